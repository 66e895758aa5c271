// Reads numbers of any element type from a core's memories.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>

#include "isa/core/core_memory.hpp"
#include "isa/exec/accesses.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::checker {

inline bool is_float(isa::DType type) {
  return type == isa::DType::kF16 || type == isa::DType::kBF16 || type == isa::DType::kF32;
}

/// Types that number_at() reads. Numbers of other types never round or overflow.
inline bool readable(isa::DType type) {
  return is_float(type) || type == isa::DType::kI32 || type == isa::DType::kI16 ||
         type == isa::DType::kI8 || type == isa::DType::kI64;
}

/// The number of a readable type whose bytes begin at `bytes`.
inline double number_at(const std::byte* bytes, isa::DType type) {
  const auto value = [bytes](auto number) {
    std::memcpy(&number, bytes, sizeof number);
    return number;
  };
  switch (type) {
    case isa::DType::kF32:
      return static_cast<double>(value(float{}));
    case isa::DType::kF16:
      return static_cast<double>(isa::float_from_half_bits(value(std::uint16_t{})));
    case isa::DType::kBF16:
      return static_cast<double>(isa::float_from_bfloat16_bits(value(std::uint16_t{})));
    case isa::DType::kI64:
      return static_cast<double>(value(std::int64_t{}));
    case isa::DType::kI32:
      return static_cast<double>(value(std::int32_t{}));
    case isa::DType::kI16:
      return static_cast<double>(value(std::int16_t{}));
    default:
      return static_cast<double>(value(std::int8_t{}));
  }
}

/// Calls visit(number) for every element of an access to elements of a readable type.
template <class Visit>
void for_each_number(const isa::CoreMemory& memory, const isa::Access& access, isa::DType type,
                     Visit visit) {
  const std::size_t size = isa::dtype_bytes(type);
  access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
    if (!memory.contains(access.space, addr, bytes)) return;
    const std::byte* at = memory.at(access.space, addr, bytes);
    for (std::uint64_t i = 0; i + size <= bytes; i += size) visit(number_at(at + i, type));
  });
}

/// The range of an integer type; nothing for other types.
struct Range {
  double low, high;
  bool holds(double number) const { return number >= low && number <= high; }
};

inline std::optional<Range> range_of(isa::DType type) {
  switch (type) {
    case isa::DType::kI4:
      return Range{-8, 7};
    case isa::DType::kI8:
      return Range{-128, 127};
    case isa::DType::kU8:
      return Range{0, 255};
    case isa::DType::kI16:
      return Range{-32768, 32767};
    case isa::DType::kI32:
      return Range{-2147483648.0, 2147483647.0};
    default:
      return std::nullopt;
  }
}

}  // namespace davsim::checker
