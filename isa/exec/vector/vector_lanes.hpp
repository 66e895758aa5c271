// The arithmetic of vector instructions on packed lanes. Each instruction and type has one
// function, in versions for several host instruction sets. The best version is chosen at run time.
// All versions give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instr/opcode_facts.hpp"
#include "isa/instr/params.hpp"
#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// Computes `n` lanes. A source that the instruction does not have is null. `dst` is the same
/// address as a source or does not overlap it. `scalar` has the bits of the scalar operand.
using LaneFn = void (*)(void* dst, const void* src0, const void* src1, std::uint64_t scalar,
                        std::size_t n);

/// Makes `n` results finite, in place: infinities become the largest numbers, NaN becomes 0.
using SaturateFn = void (*)(void* results, std::size_t n);

inline constexpr std::size_t kDTypeCount = static_cast<std::size_t>(DType::kF64) + 1;

class LaneTable {
 public:
  /// Null if the instruction does not exist for these types and this rounding mode.
  LaneFn find(Opcode op, DType dst, DType src, RoundMode round, OverflowModes overflow = {}) const {
    if (op == Opcode::kCast) {
      const LaneFn wraps = wrapping_cast_[index(dst)][index(src)][index(round)];
      return overflow.casts_wrap && wraps != nullptr ? wraps
                                                     : cast_[index(dst)][index(src)][index(round)];
    }
    // For an instruction without source, both types are that of the destination.
    const DType from = facts(op).src0 == Form::kAbsent ? dst : src;
    const LaneFn saturates = saturating_[index(op)][index(dst)][index(from)];
    return overflow.integers_saturate && saturates != nullptr
               ? saturates
               : typed_[index(op)][index(dst)][index(from)];
  }

  /// An instruction whose operands have one type.
  void set(Opcode op, DType type, LaneFn fn) { set(op, type, type, fn); }
  /// An instruction whose sources have another type than its destination.
  void set(Opcode op, DType dst, DType src, LaneFn fn) {
    typed_[index(op)][index(dst)][index(src)] = fn;
  }
  void set_cast(DType dst, DType src, RoundMode round, LaneFn fn) {
    cast_[index(dst)][index(src)][index(round)] = fn;
  }
  /// Adds the function for the other overflow mode of an instruction, if its results differ.
  void set_saturating(Opcode op, DType dst, DType src, LaneFn fn) {
    saturating_[index(op)][index(dst)][index(src)] = fn;
  }
  void set_wrapping_cast(DType dst, DType src, RoundMode round, LaneFn fn) {
    wrapping_cast_[index(dst)][index(src)][index(round)] = fn;
  }

 private:
  template <class Enum>
  static constexpr std::size_t index(Enum value) {
    return static_cast<std::size_t>(value);
  }

  template <std::size_t inner>
  using PairTable = std::array<std::array<std::array<LaneFn, inner>, kDTypeCount>, kDTypeCount>;
  using TypedTable =
      std::array<std::array<std::array<LaneFn, kDTypeCount>, kDTypeCount>, kOpcodeCount>;

  TypedTable typed_{}, saturating_{};                ///< [opcode][destination][source]
  PairTable<kRoundModes> cast_{}, wrapping_cast_{};  ///< [destination][source][mode]
};

// Each function adds a group for the best instruction set of the host, or for the one that a test
// has chosen with hwy::SetSupportedTargetsForTest.
void add_arithmetic_lanes(LaneTable& table);  ///< vector_lanes_arithmetic.cpp
void add_function_lanes(LaneTable& table);    ///< vector_lanes_function.cpp: exp, ln, roots, ...
void add_fused_lanes(LaneTable& table);       ///< vector_lanes_fused.cpp: add + relu + cast, ...
void add_cast_lanes(LaneTable& table);        ///< vector_lanes_cast.cpp
void add_dequant_lanes(LaneTable& table);     ///< vector_lanes_dequant.cpp: by DEQSCALE, int4
void add_overflow_lanes(LaneTable& table);    ///< vector_lanes_overflow.cpp: the other modes
void add_all_lanes(LaneTable& table);         ///< all of the above

/// The table of this host.
const LaneTable& lane_table();

/// Null for all types but half and bfloat16, because CTRL[48] does not change their results.
SaturateFn saturate_lanes(DType type);

}  // namespace davsim::isa
