// Which bytes of UB an operand of a record with VectorParams stands for, as accesses.
#pragma once

#include <cstdint>

#include "isa/exec/access.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// One run of `bytes` bytes of UB; `operand` is null for what no tensor names.
Access in_ub(const Operand* operand, Access::Kind kind, std::uint64_t addr, std::uint64_t bytes);

/// The accesses of one operand of `instr`. All arguments of the constructor must outlive it.
class OperandAccesses {
 public:
  using Kind = Access::Kind;

  OperandAccesses(const DecodedInstr& instr, const VectorOperandShape& shape,
                  const Operand& operand, AccessList& list)
      : repeats_(instr.shape),
        mask_(std::get<VectorParams>(instr.params).mask),
        shape_(shape),
        operand_(operand),
        list_(list) {}

  /// The elements of the lanes that the mask lets through.
  void add(Kind kind);
  /// A bit a lane, those of a repeat behind those of the one before.
  void add_bits(Kind kind);
  /// The same stretch of bytes for every repeat, whatever the mask: what a block has.
  void add_whole(Kind kind);

 private:
  void add_lanes(Kind kind, std::uint32_t first, std::uint32_t count, std::uint32_t lanes);
  void add_masked(Kind kind);
  void add_blocks(Kind kind, std::uint64_t first, std::uint64_t end, std::uint32_t mask);
  std::uint64_t bytes_of(std::uint64_t lanes) const;
  std::uint32_t touched_of(std::uint64_t block) const;

  const VectorRepeats& repeats_;
  const LaneMask& mask_;
  const VectorOperandShape& shape_;
  const Operand& operand_;
  AccessList& list_;
};

}  // namespace davsim::isa
