// Comparisons and selections of packed lanes with one bit for each lane, in versions for several
// host instruction sets (see vector_lanes.hpp). Lane i is bit i % 8 of byte i / 8.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instr/params.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// The number of lanes that are compared together. The number of lanes of a call is a multiple of
/// it.
inline constexpr std::size_t kCompareChunk = 64;

/// bits = a <mode> b. A comparison with NaN is false, also NotEqual. From chunk to chunk, `b`
/// advances by `b_step` lanes: kCompareChunk, or 0 if all chunks are compared with the same one.
using CompareFn = void (*)(const void* a, const void* b, std::size_t b_step, std::uint8_t* bits,
                           std::size_t n);
/// dst = bit ? a : b. `dst` is the same address as a source or does not overlap it.
using SelectFn = void (*)(void* dst, const void* a, const void* b, const std::uint8_t* bits,
                          std::size_t n);

/// The functions of one host instruction set.
struct CompareTable {
  static constexpr std::size_t kModes = static_cast<std::size_t>(CompareMode::kNotEqual) + 1;
  /// Null if there is no such comparison.
  CompareFn compare(CompareMode mode, DType type) const {
    const auto index = static_cast<std::size_t>(mode);
    if (index >= kModes) return nullptr;
    if (type == DType::kF32) return of_float[index];
    if (type == DType::kF16) return of_half[index];
    const bool integers = type == DType::kI32 && mode == CompareMode::kEqual;
    return integers ? equal_int32 : nullptr;
  }
  /// For elements of 2 or 4 bytes.
  SelectFn select(std::size_t element_bytes) const {
    return element_bytes == 2 ? select_16 : select_32;
  }

  std::array<CompareFn, kModes> of_float{}, of_half{};
  CompareFn equal_int32 = nullptr;
  SelectFn select_16 = nullptr, select_32 = nullptr;
};

/// The table for the host's best instruction set, or for the one that a test asked for.
CompareTable make_compare_table();

/// The table of this host.
const CompareTable& compare_table();

}  // namespace davsim::isa
