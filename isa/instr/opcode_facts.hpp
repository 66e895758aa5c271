// What the row of an opcode says beside its name and its unit. Whoever treats instructions alike
// that have something in common asks here: the shape and the bytes of an instruction, the types
// that it takes, the checks, the counters, the timing and the traces keep no lists of opcodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/instr/opcode.hpp"
#include "isa/numeric/dtype.hpp"
#include "isa/numeric/round_mode.hpp"

namespace davsim::isa {

/// How an operand lies in memory, and which elements of it an instruction touches.
enum class Form : std::uint8_t {
  kAbsent,  ///< the instruction has no such operand

  // Vector instructions with VectorParams. A lane is an element of a repeat.
  kLanes,         ///< an element a lane, in DataBlocks at block and repeat strides
  kHalfBlocks,    ///< the same, but an instruction fills only half of each DataBlock
  kResults,       ///< an element (and its index) for each group of lanes
  kBits,          ///< a bit a lane, those of a repeat behind those of the repeat before it
  kLanesOrBits,   ///< Select: kBits in the mode kTensorScalar, else kLanes
  kEights,        ///< eight consecutive elements a repeat
  kOffsets,       ///< a byte offset of 32 bits a lane
  kBlockOffsets,  ///< a byte offset of 32 bits a DataBlock
  kGathered,      ///< the elements or DataBlocks that the offsets lead to
  kKept,          ///< the elements that were kept, one behind the other
  kKeepBits,      ///< GatherMask: a bit a lane where there is no fixed pattern, else absent
  kMaskBytes,     ///< the 16 bytes of CMPMASK
  kQuantWords,    ///< sixteen quantisation words in UB, or one word in place of an address

  // Vector instructions with other parameters.
  kTiles,    ///< sixteen DataBlocks from anywhere
  kScores,   ///< elements to be sorted, one behind the other
  kIndices,  ///< the 32-bit index of each
  kPairs,    ///< a score and its index, 8 bytes
  kQueues,   ///< up to four runs of kPairs

  // Moves, loads, the cube and Fixpipe.
  kRuns,           ///< runs of bytes at a pitch
  kPaddedRuns,     ///< the same, filled up to whole DataBlocks
  kRows,           ///< row-major matrices, or their columns of fractals
  kColumns,        ///< matrices as columns of DataBlocks (NZ)
  kFractals,       ///< fractals of 512 bytes
  kSquares,        ///< squares of fractals, which are transposed as one
  kFeatureMap,     ///< a map [C1, H, W, C0], read through a filter
  kSparseIndices,  ///< the indices of sparse fractals
  kMatrix,         ///< a matrix of fractals

  kWord,  ///< one element that the scalar unit loads or stores
};

/// What VectorParams::scalar holds.
enum class ScalarOperand : std::uint8_t {
  kNoScalar,
  kElement,   ///< an element of the source's type
  kPlaces,    ///< by how many places to shift
  kDeqScale,  ///< the register DEQSCALE, for the types that are scaled by it
};

/// What can happen to results.
enum class Numbers : std::uint8_t {
  kExact,      ///< nothing: numbers are moved, compared or chosen, or bits combined
  kComputed,   ///< they may be infinite, NaN or too large; CTRL says what becomes of them
  kConverted,  ///< they are put into another type, whose limits they may exceed
};

/// The number that a conversion puts into the type of its destination.
enum class Converts : std::uint8_t { kValue, kSum, kDifference, kProduct };

/// The lanes that a reduction makes one result of, and how.
enum class Group : std::uint8_t { kNoGroup, kRepeat, kBlock, kPair };
enum class Reduction : std::uint8_t { kSum, kMax, kMin };

/// Registers of the vector unit, see isa/core/registers.hpp.
enum class VectorRegister : std::uint8_t {
  kNoRegister,
  kCmpMask,
  kAccVal,  ///< written where VectorParams::accumulate asks for it
  kMaxMinCnt,
  kRsvdCnt,
  kMergeCounts,
};

/// What an instruction has to do with flags.
enum class SyncRole : std::uint8_t {
  kNoSync,
  kSets,
  kWaits,
  kWaitsForAll,  ///< a barrier
};

/// The row of the vendor's timelines in which an instruction is shown.
enum class ShownAs : std::uint8_t {
  kPipeWork,      ///< that of its pipe
  kScalarMemory,  ///< loads and stores of the scalar unit
  kCodeFetch,     ///< misses of the instruction cache
};

/// Element types as bits, the bit number being the enumerator's value.
using TypeSet = std::uint16_t;

constexpr TypeSet type_bit(DType type) {
  return static_cast<TypeSet>(1u << static_cast<unsigned>(type));
}
constexpr bool contains(TypeSet set, DType type) {
  return (set & type_bit(type)) != 0;
}

/// Rounding modes likewise.
using RoundModes = std::uint8_t;
constexpr RoundModes mode_bit(RoundMode mode) {
  return static_cast<RoundModes>(1u << static_cast<unsigned>(mode));
}

/// Types of the destination that go with types of the elements that an instruction reads: of src0,
/// of Gather's and Gatherb's table. kNone stands for no source.
struct TypeRule {
  TypeSet dst = 0, src = 0;
  bool same = false;  ///< destination and source have the same one of these types
  RoundModes modes = 0xff;

  constexpr bool allows(DType to, DType from) const {
    return contains(dst, to) && contains(src, from) && (!same || to == from);
  }
};

/// The rules of an opcode; one of them must allow a pair of types.
struct TypeRules {
  static constexpr std::size_t kNoRule = 12;
  std::array<TypeRule, kNoRule> rules{};

  /// The place of the rule that allows these types; kNoRule if there is none. No pointer: with
  /// -fsanitize=undefined g++ 12 takes no comparison of one with null for a constant.
  constexpr std::size_t find(DType to, DType from) const {
    std::size_t place = 0;
    while (place < kNoRule && !rules[place].allows(to, from)) ++place;
    return place;
  }
};

/// The facts of an opcode.
struct OpcodeFacts {
  Form dst = Form::kAbsent, src0 = Form::kAbsent, src1 = Form::kAbsent;
  ScalarOperand scalar = ScalarOperand::kNoScalar;
  bool reads_dst = false;  ///< the result depends on what the destination holds
  TypeRules types{};
  Numbers numbers = Numbers::kExact;
  Converts converts = Converts::kValue;  ///< of Numbers::kConverted
  bool relu = false;                     ///< a conversion puts 0 in place of what is negative
  /// Arithmetic operations an element, as the vendor's profiler counts them; 0: not arithmetic.
  std::uint8_t operations = 0;
  /// Types for which src1 may be what an earlier repeat of the same instruction has written, where
  /// src1 or the destination stays where it is from repeat to repeat: documented.
  TypeSet chains = 0;
  /// In counter mode the mask counts the lanes of each repeat and not those of all repeats.
  bool counts_each_repeat = false;
  Group group = Group::kNoGroup;
  Reduction reduces = Reduction::kSum;
  VectorRegister reads = VectorRegister::kNoRegister, writes = VectorRegister::kNoRegister;
  SyncRole sync = SyncRole::kNoSync;
  ShownAs shown_as = ShownAs::kPipeWork;
};

/// The words of opcodes.def.
namespace opcode_rows {

using enum Form;
using enum ScalarOperand;
using enum Numbers;
using enum Converts;
using enum Group;
using enum VectorRegister;
using enum SyncRole;
using enum ShownAs;

inline constexpr TypeSet kNoType = type_bit(DType::kNone);
inline constexpr TypeSet kF16 = type_bit(DType::kF16);
inline constexpr TypeSet kBF16 = type_bit(DType::kBF16);
inline constexpr TypeSet kF32 = type_bit(DType::kF32);
inline constexpr TypeSet kI4 = type_bit(DType::kI4);
inline constexpr TypeSet kI8 = type_bit(DType::kI8);
inline constexpr TypeSet kU8 = type_bit(DType::kU8);
inline constexpr TypeSet kI16 = type_bit(DType::kI16);
inline constexpr TypeSet kU16 = type_bit(DType::kU16);
inline constexpr TypeSet kI32 = type_bit(DType::kI32);
inline constexpr TypeSet kU32 = type_bit(DType::kU32);
inline constexpr TypeSet kI64 = type_bit(DType::kI64);
inline constexpr TypeSet k4Bit = kI4;
inline constexpr TypeSet k8Bit = kI8 | kU8 | type_bit(DType::kBool);
inline constexpr TypeSet k16Bit = kF16 | kBF16 | kI16 | kU16;
inline constexpr TypeSet k32Bit = kF32 | kI32 | kU32;
inline constexpr TypeSet kAnyType = 0xffff;

inline constexpr RoundModes kUnrounded = mode_bit(RoundMode::kNone);
inline constexpr RoundModes kFiveModes = mode_bit(RoundMode::kRint) | mode_bit(RoundMode::kFloor) |
                                         mode_bit(RoundMode::kCeil) | mode_bit(RoundMode::kRound) |
                                         mode_bit(RoundMode::kTrunc);
inline constexpr RoundModes kFiveOrNone = kFiveModes | kUnrounded;
inline constexpr RoundModes kFiveNoneOrOdd = kFiveOrNone | mode_bit(RoundMode::kOdd);

/// Destinations of any type of `dst` from sources of any type of `src`.
constexpr TypeRule into(TypeSet dst, TypeSet src, RoundModes modes = 0xff) {
  return {dst, src, false, modes};
}
/// One type, which is any of `types`, for destination and sources.
constexpr TypeRules same(TypeSet types) {
  return {{TypeRule{types, types, true}}};
}

inline constexpr std::array kFacts = {
#define DAVSIM_OPCODE(id, mnemonic, unit, ...) OpcodeFacts{__VA_ARGS__},
#include "isa/instr/opcodes.def"
#undef DAVSIM_OPCODE
};

}  // namespace opcode_rows

constexpr const OpcodeFacts& facts(Opcode op) {
  return opcode_rows::kFacts[static_cast<std::size_t>(op)];
}

/// Vector instructions that compute each lane of the result of the same lanes of the sources, and
/// of a scalar: what a lane function does, see isa/exec/vector/vector_lanes.hpp.
constexpr bool computes_lanes(Opcode op) {
  const OpcodeFacts& row = facts(op);
  const auto lanes = [](Form form) { return form == Form::kLanes || form == Form::kAbsent; };
  return row.dst == Form::kLanes && lanes(row.src0) && lanes(row.src1);
}

/// The same and Select, whose sources are chosen between lane by lane. A source may be the
/// destination itself.
constexpr bool works_lane_by_lane(Opcode op) {
  return computes_lanes(op) ||
         (facts(op).dst == Form::kLanes && facts(op).src1 == Form::kLanesOrBits);
}

constexpr bool is_reduction(Opcode op) {
  return facts(op).dst == Form::kResults;
}

}  // namespace davsim::isa
