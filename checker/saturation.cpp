#include "checker/saturation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "checker/number_at.hpp"
#include "isa/exec/cube/fixpipe_quant.hpp"
#include "isa/exec/execute.hpp"
#include "isa/exec/vector/vector_dequant.hpp"
#include "isa/instr/opcode_facts.hpp"
#include "isa/numeric/convert.hpp"

namespace davsim::checker {
namespace {

using isa::Access;
using isa::AccessList;
using isa::CoreMemory;
using isa::DecodedInstr;
using isa::DType;
using isa::Instr;
using isa::Opcode;

double rounded(double value, isa::RoundMode mode) {
  return static_cast<double>(isa::round_to_integral(static_cast<float>(value), mode));
}

// --- conversions of the vector unit --------------------------------------------------------------

double lane_value(const CoreMemory& memory, const isa::Operand& operand,
                  const isa::VectorOperandShape& shape, std::uint32_t repeat, std::uint32_t lane) {
  const std::uint64_t in_block = lane % shape.lanes_per_block;
  const std::uint64_t addr =
      shape.block_addr(repeat, shape.block_of(lane)) + in_block * shape.element_bytes;
  return number_at(memory.at(operand.space, addr, shape.element_bytes), operand.type);
}

template <class Visit>
void for_each_lane(const DecodedInstr& instr, Visit visit) {
  const isa::VectorShape& shape = instr.shape;
  const isa::LaneMask& mask = std::get<isa::VectorParams>(instr.params).mask;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    for (std::uint32_t lane = 0; lane < shape.lanes_of(repeat); ++lane) {
      if (shape.lane_active(mask, lane)) visit(repeat, lane);
    }
  }
}

/// The value of a converted lane before it is limited to its integer type.
class Conversion {
 public:
  Conversion(const DecodedInstr& instr, const CoreMemory& memory)
      : instr_(instr), memory_(memory), shape_(instr.shape) {
    if (instr.op == Opcode::kCastDequant) table_ = isa::dequant_table(instr, memory);
  }

  std::uint64_t beyond(const Range& range) const {
    std::uint64_t count = 0;
    for_each_lane(instr_, [&](std::uint32_t repeat, std::uint32_t lane) {
      const double value = result(repeat, lane);
      count += !std::isnan(value) && !range.holds(value);
    });
    return count;
  }

 private:
  double result(std::uint32_t repeat, std::uint32_t lane) const {
    const double value = operands_combined(repeat, lane);
    if (instr_.op == Opcode::kCastDequant) {
      const std::size_t word = lane % isa::kDequantWords;
      return rounded(value * static_cast<double>(table_.scale[word]), isa::RoundMode::kRint) +
             table_.offset[word];
    }
    if (!is_float(instr_.src0.type)) return value;
    const auto mode = std::get<isa::VectorParams>(instr_.params).round;
    return rounded(value, instr_.op == Opcode::kCast ? mode : isa::RoundMode::kRint);
  }

  double operands_combined(std::uint32_t repeat, std::uint32_t lane) const {
    const isa::OpcodeFacts& row = isa::facts(instr_.op);
    const double a = lane_value(memory_, instr_.src0, shape_.src0, repeat, lane);
    if (row.converts == isa::Converts::kValue) return a;
    const double b = lane_value(memory_, instr_.src1, shape_.src1, repeat, lane);
    const double value = row.converts == isa::Converts::kSum          ? a + b
                         : row.converts == isa::Converts::kDifference ? a - b
                                                                      : a * b;
    return row.relu ? std::max(value, 0.0) : value;
  }

  const DecodedInstr& instr_;
  const CoreMemory& memory_;
  const isa::VectorShape& shape_;
  isa::DequantTable table_{};
};

// --- Fixpipe -------------------------------------------------------------------------------------

/// An element of C times its scale, as Fixpipe converts it to bytes: it is rounded to nine bits
/// first.
bool leaves_byte(double value, DType from, const isa::QuantWord& word, bool relu,
                 const Range& range) {
  constexpr Range kNineBits{-256, 255};
  constexpr double kLargestShifted = 32767;
  if (from == DType::kI32 && word.shift != 0) {
    value = std::floor(std::ldexp(value, -word.shift));
    if (value > kLargestShifted || (value < -kLargestShifted - 1 && !relu)) return true;
  }
  if (std::isnan(value) || (relu && value < 0)) return false;
  const double scaled = rounded(value * static_cast<double>(word.scale), isa::RoundMode::kRint);
  return !kNineBits.holds(scaled) || !range.holds(scaled + word.offset);
}

/// The source has blocks of 16 columns. A run is a block. A row of a block has 16 numbers.
std::uint64_t fixpipe_saturated(const Instr& instr, const CoreMemory& memory, const Access& source,
                                const Range& range) {
  const auto& fixpipe = std::get<isa::FixpipeInstrParams>(instr.params);
  const bool per_column = isa::takes_words_per_column(fixpipe.quant);
  const auto word_of = [&](std::uint64_t column) {
    std::uint64_t bits = fixpipe.quant_scalar;
    if (per_column) {
      const std::uint64_t addr = fixpipe.quant_fb_addr + column * sizeof bits;
      std::memcpy(&bits, memory.at(isa::Space::kFb, addr, sizeof bits), sizeof bits);
    }
    return isa::QuantWord(bits);
  };
  constexpr std::uint64_t kColumns = 16, kElement = 4;
  std::uint64_t count = 0;
  for (std::uint64_t column = 0; column < fixpipe.n; ++column) {
    const isa::QuantWord word = word_of(column);
    for (std::uint64_t matrix = 0; matrix < source.distinct_groups(); ++matrix) {
      const std::uint64_t start =
          source.at(matrix, column / kColumns) + column % kColumns * kElement;
      for (std::uint64_t row = 0; row < fixpipe.m; ++row) {
        const std::byte* at = memory.at(source.space, start + row * kColumns * kElement, kElement);
        const double value = number_at(at, instr.src0.type);
        count += leaves_byte(value, instr.src0.type, word, fixpipe.relu, range);
      }
    }
  }
  return count;
}

// --- atomic additions ----------------------------------------------------------------------------

std::uint64_t atomic_saturated(const Instr& instr, const CoreMemory& memory,
                               const AccessList& accesses, const Range& range) {
  std::vector<double> sums;
  const auto collect = [&](bool writes, auto take) {
    for (const Access& access : accesses) {
      if (access.writes() == writes) for_each_number(memory, access, instr.dst.type, take);
    }
  };
  collect(true, [&](double number) { sums.push_back(number); });
  std::size_t next = 0;
  collect(false, [&](double number) {
    if (next < sums.size()) sums[next++] += number;
  });
  return static_cast<std::uint64_t>(
      std::count_if(sums.begin(), sums.end(), [&](double sum) { return !range.holds(sum); }));
}

// --- arithmetic: what the other overflow mode would give -----------------------------------------

std::vector<std::byte> written_bytes(const CoreMemory& memory, const AccessList& accesses) {
  std::vector<std::byte> bytes;
  for (const Access& access : accesses) {
    if (!access.writes()) continue;
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t count) {
      const std::byte* at = memory.at(access.space, addr, count);
      bytes.insert(bytes.end(), at, at + count);
    });
  }
  return bytes;
}

void put_back(const CoreMemory& memory, const AccessList& accesses,
              const std::vector<std::byte>& bytes) {
  const std::byte* from = bytes.data();
  for (const Access& access : accesses) {
    if (!access.writes()) continue;
    access.for_each_touched([&](std::uint64_t addr, std::uint64_t count) {
      std::memcpy(memory.at(access.space, addr, count), from, count);
      from += count;
    });
  }
}

/// The bytes that the instruction would write, of all accesses in order. Memory is not changed.
std::vector<std::byte> results(const DecodedInstr& instr, const CoreMemory& memory,
                               const AccessList& accesses) {
  const std::vector<std::byte> before = written_bytes(memory, accesses);
  std::vector<std::byte> after;
  try {
    isa::execute(instr, memory);
    after = written_bytes(memory, accesses);
  } catch (const isa::Fault&) {
    // The fault is reported when the instruction is carried out. Its writes must be undone here.
  }
  put_back(memory, accesses, before);
  return after;
}

/// Whether CTRL chooses between saturation and wrap-around for arithmetic on this integer type.
bool has_modes(DType type) {
  return type == DType::kI16 || type == DType::kI32;
}

/// Gives the instruction modes that reveal an overflow: infinities are kept, and integers use the
/// opposite mode. Returns false if the instruction has no such modes.
bool let_overflow_show(Instr& instr) {
  if (auto* vector = std::get_if<isa::VectorParams>(&instr.params)) {
    const bool computed = isa::facts(instr.op).numbers == isa::Numbers::kComputed;
    const bool integers = has_modes(instr.dst.type) || (computed && has_modes(instr.src0.type));
    const bool floats = is_float(instr.dst.type) && vector->overflow.floats_saturate;
    if (!integers && !floats) return false;
    vector->overflow.floats_saturate = false;
    vector->overflow.integers_saturate = !vector->overflow.integers_saturate;
    return true;
  }
  bool* saturates = nullptr;
  if (auto* mmad = std::get_if<isa::MmadInstrParams>(&instr.params)) {
    saturates = &mmad->floats_saturate;
  } else if (auto* fixpipe = std::get_if<isa::FixpipeInstrParams>(&instr.params)) {
    saturates = &fixpipe->floats_saturate;
  }
  if (saturates == nullptr || !*saturates) return false;
  *saturates = false;
  return true;
}

std::uint64_t differing(const std::vector<std::byte>& a, const std::vector<std::byte>& b,
                        std::size_t element) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i + element <= std::min(a.size(), b.size()); i += element) {
    count += std::memcmp(&a[i], &b[i], element) != 0;
  }
  return count;
}

std::uint64_t overflowing(const DecodedInstr& instr, const CoreMemory& memory,
                          const AccessList& accesses) {
  DecodedInstr other = instr;
  if (!let_overflow_show(other)) return 0;
  return differing(results(instr, memory, accesses), results(other, memory, accesses),
                   isa::dtype_bytes(instr.dst.type));
}

/// Sums of int32 always saturate. A sum at a limit is therefore a saturated one.
std::uint64_t at_the_limits(const DecodedInstr& instr, const CoreMemory& memory,
                            const AccessList& accesses) {
  const std::vector<std::byte> sums = results(instr, memory, accesses);
  const auto range = range_of(DType::kI32);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i + 4 <= sums.size(); i += 4) {
    const double sum = number_at(&sums[i], DType::kI32);
    count += sum == range->low || sum == range->high;
  }
  return count;
}

const Access* source_of(const Instr& instr, const AccessList& accesses) {
  for (const Access& access : accesses) {
    if (!access.writes() && access.operand == &instr.src0) return &access;
  }
  return nullptr;
}

std::uint64_t count_of(const DecodedInstr& instr, const CoreMemory& memory,
                       const AccessList& accesses) {
  const auto range = range_of(instr.dst.type);
  if (const auto* move = std::get_if<isa::MoveParams>(&instr.params)) {
    const bool sums = move->atomic == isa::AtomicOp::kAdd && range && readable(instr.dst.type);
    return sums ? atomic_saturated(instr, memory, accesses, *range) : 0;
  }
  if (instr.op == Opcode::kMmad && instr.dst.type == DType::kI32) {
    return at_the_limits(instr, memory, accesses);
  }
  if (std::holds_alternative<isa::FixpipeInstrParams>(instr.params) &&
      (instr.dst.type == DType::kI8 || instr.dst.type == DType::kU8)) {
    const Access* source = source_of(instr, accesses);
    return source == nullptr ? 0 : fixpipe_saturated(instr, memory, *source, *range);
  }
  const bool vector = instr.opcode_info().unit == isa::Unit::Vector;
  if (range && vector && isa::facts(instr.op).numbers == isa::Numbers::kConverted) {
    return readable(instr.src0.type) ? Conversion(instr, memory).beyond(*range) : 0;
  }
  return overflowing(instr, memory, accesses);
}

}  // namespace

std::uint64_t saturated(const DecodedInstr& instr, const CoreMemory& memory,
                        const AccessList& accesses) {
  try {
    return count_of(instr, memory, accesses);
  } catch (const isa::Fault&) {
    return 0;  // the fault is reported when the instruction is carried out
  }
}

}  // namespace davsim::checker
