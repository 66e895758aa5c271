#include "checker/numbers.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include "isa/exec/fixpipe_quant.hpp"
#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::checker {
namespace {

using isa::Access;
using isa::DType;
using isa::Opcode;

bool is_float(DType type) {
  return type == DType::kF16 || type == DType::kBF16 || type == DType::kF32;
}

/// Calls visit(number) for every element of an access to tensor elements of `type`.
template <class Visit>
void for_each_number(const isa::CoreMemory& memory, const Access& access, DType type, Visit visit) {
  const std::size_t size = isa::dtype_bytes(type);
  access.for_each_touched([&](std::uint64_t addr, std::uint64_t bytes) {
    if (!memory.contains(access.space, addr, bytes)) return;
    const std::byte* at = memory.at(access.space, addr, bytes);
    for (std::uint64_t i = 0; i + size <= bytes; i += size) {
      if (type == DType::kF32) {
        float value;
        std::memcpy(&value, at + i, sizeof value);
        visit(static_cast<double>(value));
      } else if (type == DType::kI32) {
        std::int32_t value;
        std::memcpy(&value, at + i, sizeof value);
        visit(static_cast<double>(value));
      } else {
        std::uint16_t bits;
        std::memcpy(&bits, at + i, sizeof bits);
        if (type == DType::kI16) {
          visit(static_cast<double>(static_cast<std::int16_t>(bits)));
        } else if (type == DType::kF16) {
          visit(static_cast<double>(isa::float_from_half_bits(bits)));
        } else {
          visit(static_cast<double>(isa::float_from_bfloat16_bits(bits)));
        }
      }
    }
  });
}

bool readable(DType type) {
  return is_float(type) || type == DType::kI32 || type == DType::kI16;
}

/// What a type can hold; nothing for types whose range no source here exceeds.
struct Range {
  double low, high;
};

std::optional<Range> range_of(DType type) {
  constexpr double kLargestHalf = 65504;
  switch (type) {
    case DType::kI4:
      return Range{-8, 7};
    case DType::kI8:
      return Range{-128, 127};
    case DType::kU8:
      return Range{0, 255};
    case DType::kI16:
      return Range{-32768, 32767};
    case DType::kI32:
      return Range{-2147483648.0, 2147483647.0};
    case DType::kF16:
      return Range{-kLargestHalf, kLargestHalf};
    default:
      return std::nullopt;
  }
}

/// What the source is multiplied by and what is added on the way to the result.
struct Scale {
  double factor = 1, offset = 0;
};

/// None where the scale differs from column to column or the instruction converts nothing.
std::optional<Scale> conversion(const isa::Instr& instr) {
  if (instr.op == Opcode::kCast) {
    // int32 to half is scaled by DEQSCALE, which has half's range in view.
    if (instr.src0.type == DType::kI32 && instr.dst.type == DType::kF16) return std::nullopt;
    return Scale{};
  }
  const auto* fixpipe = std::get_if<isa::FixpipeInstrParams>(&instr.params);
  if (fixpipe == nullptr || isa::takes_words_per_column(fixpipe->quant)) return std::nullopt;
  if (!isa::takes_one_word(fixpipe->quant)) return Scale{};
  const isa::QuantWord word(fixpipe->quant_scalar);
  return Scale{static_cast<double>(word.scale), static_cast<double>(word.offset)};
}

std::uint64_t saturated(const isa::CoreMemory& memory, const isa::Instr& instr,
                        const Access& source) {
  const auto range = range_of(instr.dst.type);
  const auto scale = conversion(instr);
  if (!range || !scale || !readable(instr.src0.type) || instr.dst.type == instr.src0.type) return 0;
  std::uint64_t count = 0;
  for_each_number(memory, source, instr.src0.type, [&](double value) {
    const double result = value * scale->factor + scale->offset;
    // Rounding takes half a unit beyond the limits back in.
    count += result >= range->high + 0.5 || result < range->low - 0.5;
  });
  return count;
}

/// Instructions that move numbers, or are given them as they are, make none.
bool computes(const isa::Instr& instr) {
  switch (instr.opcode_info().unit) {
    case isa::Unit::Vector:
      return instr.op != Opcode::kDuplicate && instr.op != Opcode::kCopyUbToUb &&
             instr.op != Opcode::kSelect && instr.op != Opcode::kMoveUbToUb;
    case isa::Unit::Cube:
    case isa::Unit::Fixpipe:
      return true;
    default:
      return false;
  }
}

std::uint64_t nonfinite(const isa::CoreMemory& memory, const Access& access, DType type) {
  std::uint64_t count = 0;
  for_each_number(memory, access, type, [&](double value) { count += !std::isfinite(value); });
  return count;
}

}  // namespace

void Numbers::issued(const isa::Instr& instr, const isa::AccessList& accesses) {
  if (!computes(instr)) return;
  Pending pending;
  for (const Access& access : accesses) {
    if (access.writes() || access.operand == nullptr) continue;
    if (is_float(access.operand->type) && pending.finite) {
      pending.finite = nonfinite(memory_, access, access.operand->type) == 0;
    }
    if (access.operand == &instr.src0) pending.saturated += saturated(memory_, instr, access);
  }
  pending_[static_cast<std::size_t>(instr.pipe)].push_back(pending);
}

NumberEvent Numbers::ended(const isa::Instr& instr, isa::AccessList& accesses) {
  auto& queue = pending_[static_cast<std::size_t>(instr.pipe)];
  if (!computes(instr) || queue.empty()) return {};
  const Pending pending = queue.front();
  queue.pop_front();
  NumberEvent event{0, pending.saturated};
  if (!pending.finite || !is_float(instr.dst.type)) return event;
  isa::list_accesses(instr, memory_, accesses);
  for (const Access& access : accesses) {
    if (!access.writes() || access.operand == nullptr) continue;
    event.nonfinite += nonfinite(memory_, access, access.operand->type);
  }
  return event;
}

}  // namespace davsim::checker
