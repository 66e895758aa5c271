// Where the lanes of a vector instruction lie: its repeats, and the DataBlocks of each operand.
//
// A vector instruction advances in repeats of up to 256 bytes of its widest operand. A repeat has
// 256 / (bytes of that element) lanes; a DataBlock of an operand holds 32 / (bytes of its element)
// of them, so a narrower operand uses fewer blocks of each repeat.
//
// A shape is computed once, by decode() in isa/exec/execute.hpp, and travels with its instruction.
// It is therefore kept small: what follows from its fields by a shift or two is a function.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "isa/instr/params.hpp"

namespace davsim::isa {

/// A bit for each lane of a repeat, as VectorParams::mask.
using LaneMask = std::array<std::uint64_t, 2>;

/// Where one operand's DataBlocks lie.
struct VectorOperandShape {
  std::uint32_t addr = 0;                  ///< byte offset in UB of block 0 of repeat 0
  std::uint32_t block_pitch = 0;           ///< bytes from block to block of a repeat
  std::uint32_t repeat_pitch = 0;          ///< bytes from repeat to repeat
  std::uint16_t lanes_per_block = 0;       ///< a power of two; 0: there is no such operand
  std::uint8_t element_bytes = 0;          ///< 1 for int4
  std::uint8_t block_bytes = kBlockBytes;  ///< touched of each block: half of it in CastDequant

  bool used() const { return lanes_per_block != 0; }
  /// Block of its repeat in which lane `lane` lies. A shift, because blocks hold 4 to 64 lanes.
  std::uint64_t block_of(std::uint64_t lane) const {
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): does not know of the shift
    return lane >> std::countr_zero(std::uint32_t{lanes_per_block});
  }
  /// Bytes that `lanes` lanes fill where blocks follow each other without gap.
  std::uint64_t bytes_of(std::uint64_t lanes) const {
    return lanes * block_bytes >> std::countr_zero(std::uint32_t{lanes_per_block});
  }
  /// Byte offset in UB of block `block` of repeat `repeat`.
  std::uint64_t block_addr(std::uint64_t repeat, std::uint64_t block) const {
    return addr + offset(repeat, block);
  }
  /// The same from the operand's start.
  std::uint64_t offset(std::uint64_t repeat, std::uint64_t block) const {
    return repeat * repeat_pitch + block * block_pitch;
  }
};

/// The repeats of an instruction and their lanes.
struct VectorRepeats {
  std::uint32_t repeats = 0;           ///< 0: the instruction does nothing
  std::uint32_t lanes_per_repeat = 0;  ///< up to the last one that the mask lets through
  std::uint32_t last_lanes = 0;        ///< the same of the last repeat: fewer in counter mode
  /// Lanes of each repeat that the mask lets through, if these are not the first ones. 0: they are,
  /// and the mask need not be looked at.
  std::uint32_t masked_lanes = 0;

  /// The lanes of every repeat are the first ones.
  bool prefix() const { return masked_lanes == 0; }
  /// Lanes computed by the whole instruction.
  std::uint64_t lanes() const {
    if (repeats == 0) return 0;
    if (!prefix()) return std::uint64_t{masked_lanes} * repeats;
    return std::uint64_t{repeats - 1} * lanes_per_repeat + last_lanes;
  }
  /// Lanes of a repeat up to the last one that is computed.
  std::uint32_t lanes_of(std::uint32_t repeat) const {
    return repeat + 1 == repeats ? last_lanes : lanes_per_repeat;
  }
  /// DataBlocks of `operand` that hold those lanes.
  std::uint64_t blocks_of(const VectorOperandShape& operand, std::uint32_t repeat) const {
    return operand.block_of(std::uint64_t{lanes_of(repeat)} + operand.lanes_per_block - 1);
  }
  /// Whether `lane`, which is below lanes_of() its repeat, is computed. `mask` is that of the
  /// instruction's VectorParams.
  bool lane_active(const LaneMask& mask, std::uint32_t lane) const {
    return prefix() || (mask[lane / 64] >> (lane % 64) & 1u) != 0;
  }
  /// The lanes among [first, first + count) that are computed, as bits: bit i for lane first + i.
  /// All of them are below lanes_of() their repeat and in one word of the mask.
  std::uint64_t active_lanes(const LaneMask& mask, std::uint32_t first, std::uint32_t count) const {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - count);
    return prefix() ? all : mask[first / 64] >> (first % 64) & all;
  }
};

/// The shape of an instruction with VectorParams.
struct VectorShape : VectorRepeats {
  VectorOperandShape dst, src0, src1;

  /// Bytes of an element of the widest operand.
  std::uint32_t widest() const {
    return std::max({dst.element_bytes, src0.element_bytes, src1.element_bytes});
  }
  /// Lanes of a repeat of 256 bytes.
  std::uint32_t step_lanes() const { return kRepeatBytes >> std::countr_zero(widest()); }
  /// Steps of 256 bytes of the widest operand: what the vector unit takes a beat each for. Equal to
  /// `repeats` but for Copy in counter mode, whose repeats may be longer.
  std::uint64_t steps() const {
    const std::uint64_t each = std::uint64_t{lanes_per_repeat} + step_lanes() - 1;
    return repeats * (each >> std::countr_zero(step_lanes()));
  }
};
static_assert(sizeof(VectorShape) == 64, "a cache line of the host");

}  // namespace davsim::isa
