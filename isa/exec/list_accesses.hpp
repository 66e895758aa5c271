// The functions behind list_accesses(), one for each kind of parameters.
#pragma once

#include "isa/exec/accesses.hpp"

namespace davsim::isa {

/// Runs of an operand.
Access runs_of(const Operand& operand, Access::Kind kind, std::uint64_t count, std::uint64_t bytes,
               std::int64_t pitch);
/// Bytes that no tensor names: of a table or a register.
Access unnamed(Space space, Access::Kind kind, std::uint64_t addr, std::uint64_t bytes);

// Both ends of a move; Fill has no source. See move/move_accesses.cpp.
Access source_of(const Instr& instr, const MoveParams& move);
Access destination_of(const Instr& instr, const MoveParams& move);
Access source_of(const Instr& instr, const Nd2NzMoveParams& move);
void list_destination(const Instr& instr, const Nd2NzMoveParams& move, AccessList& list);

// See cube/cube_accesses.cpp and cube/load_3d.cpp.
void list_load_2d(const Instr& instr, const Load2dParams& load, AccessList& list);
void list_load_3d(const Instr& instr, const Load3dParams& load, AccessList& list);
void list_mmad(const Instr& instr, const MmadInstrParams& mmad, AccessList& list);
Access source_of(const Instr& instr, const FixpipeInstrParams& fixpipe);
Access destination_of(const Instr& instr, const FixpipeInstrParams& fixpipe);
void list_fixpipe(const Instr& instr, const FixpipeInstrParams& fixpipe, AccessList& list);

// See vector/accesses_vector.cpp. Without `memory`, what may be touched of a UB of `ub_bytes`.
void list_vector(const DecodedInstr& instr, const CoreMemory* memory, std::uint64_t ub_bytes,
                 AccessList& list);
void list_transpose(const Instr& instr, const TransposeParams& params, AccessList& list);
void list_sort(const Instr& instr, const SortParams& params, AccessList& list);

/// All of these but those of vector instructions.
void list_unit_accesses(const Instr& instr, AccessList& list);

}  // namespace davsim::isa
