// Parts of the moves that several files share.
#pragma once

#include <cstddef>

#include "isa/core/core_memory.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Copies the runs of `move`, whose operands have been checked.
void copy_runs(std::byte* dst, const std::byte* src, const MoveParams& move);

/// Bytes that a padded burst of elements of `type` fills in UB.
std::uint64_t padded_burst(const MoveParams& move, DType type);

/// Whether a bias of half becomes one of float on its way into BT.
inline bool widens(const Instr& instr) {
  return instr.op == Opcode::kMoveL1ToBt && instr.src0.type == DType::kF16 &&
         instr.dst.type == DType::kF32;
}

/// Row-major matrices in GM to Nz in L1; see move_nd2nz.cpp.
void decode_nd2nz(DecodedInstr& instr, const CoreMemory& memory);
void execute_nd2nz(const DecodedInstr& instr, const CoreMemory& memory);

}  // namespace davsim::isa
