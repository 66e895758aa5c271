// The arithmetic of vector instructions on packed lanes: one function an instruction and type, in
// versions for several host instruction sets of which the best one is chosen at run time. All
// versions give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instr/opcode.hpp"
#include "isa/instr/params.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// Computes `n` lanes. Sources that an instruction has not are null. `dst` is either the same
/// address as a source or does not overlap it. `scalar` holds the bits of the scalar operand.
using LaneFn = void (*)(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                        std::size_t n);

inline constexpr std::size_t kDTypeCount = static_cast<std::size_t>(DType::kBool) + 1;

class LaneTable {
 public:
  /// Null where the instruction does not exist for these types and rounding mode.
  LaneFn find(Opcode op, DType dst, DType src, RoundMode round) const {
    if (op == Opcode::kCast) return cast_[index(dst)][index(src)][static_cast<std::size_t>(round)];
    if (src == dst || op == Opcode::kDuplicate) return same_[index(op)][index(dst)];
    if (dst == DType::kF32 && src == DType::kF16) return half_to_float_[index(op)];
    return nullptr;
  }

  /// An instruction whose operands have one type.
  void set(Opcode op, DType type, LaneFn fn) { same_[index(op)][index(type)] = fn; }
  /// An instruction with half sources and an fp32 destination.
  void set_half_to_float(Opcode op, LaneFn fn) { half_to_float_[index(op)] = fn; }
  void set_cast(DType dst, DType src, RoundMode round, LaneFn fn) {
    cast_[index(dst)][index(src)][static_cast<std::size_t>(round)] = fn;
  }

 private:
  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }

  std::array<std::array<LaneFn, kDTypeCount>, kOpcodeCount> same_{};
  std::array<LaneFn, kOpcodeCount> half_to_float_{};
  std::array<std::array<std::array<LaneFn, kRoundModes>, kDTypeCount>, kDTypeCount> cast_{};
};

// Each adds its group for the host's best instruction set, or for the one that a test asked for
// with hwy::SetSupportedTargetsForTest.
void add_arithmetic_lanes(LaneTable& table);  ///< vector_lanes_arithmetic.cpp
void add_function_lanes(LaneTable& table);    ///< vector_lanes_function.cpp: exp, ln, roots, ...
void add_cast_lanes(LaneTable& table);        ///< vector_lanes_cast.cpp

/// The table of this host.
const LaneTable& lane_table();

}  // namespace davsim::isa
