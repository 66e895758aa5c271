// What bytes an instruction touches: the one answer that checks of addresses, the DMA engines, the
// checker, counters and traces derive theirs from. Each kind of parameters has one function that
// lists its accesses.
#pragma once

#include <cstdint>
#include <utility>

#include "isa/core/core_memory.hpp"
#include "isa/exec/access.hpp"
#include "isa/instr/decoded_instr.hpp"

namespace davsim::isa {

/// Puts the accesses of `instr` into `list`. Where addresses come from memory (Gather, Select by
/// the address in CMPMASK, GatherMask by a tensor of bits) it is read now.
void list_accesses(const DecodedInstr& instr, const CoreMemory& memory, AccessList& list);

/// The same without a look into memory: where contents decide, all of UB that the instruction may
/// touch. For questions about instructions that have not come to their turn yet.
void list_possible_accesses(const DecodedInstr& instr, std::uint64_t ub_bytes, AccessList& list);

/// Whether list_accesses() reads memory for this instruction.
bool accesses_depend_on_contents(const Instr& instr);

/// Bytes that a move, a load or Fixpipe transfers: what it reads or writes in global memory, else
/// what it writes on the chip. 0 for other instructions.
std::uint64_t moved_bytes(const Instr& instr);

/// The whole fractals of L0C that Mmad writes or Fixpipe reads, from the first to the last: address
/// and bytes.
std::pair<std::uint64_t, std::uint64_t> accumulator_extent(const Instr& instr);

/// Throws Fault(kAddress) unless all that a move, a load, Mmad or Fixpipe touches lies in its
/// buffers, and in allocations of global memory.
void require_inside(const Instr& instr, const CoreMemory& memory);

/// The global-memory side of a move: `rows` runs at a fixed pitch, matrix after matrix. A DMA
/// engine cuts it into bursts.
struct GmFootprint {
  std::uint64_t addr = 0;       ///< first byte
  std::uint32_t rows = 0;       ///< runs a matrix
  std::uint32_t row_bytes = 0;  ///< bytes a run
  std::int64_t row_pitch = 0;   ///< start to start
  std::uint32_t matrices = 1;
  std::int64_t matrix_pitch = 0;
  bool write = false;
  bool no_allocate = false;  ///< leaves no new line in L2
  /// From the first byte to behind the last; both 0 if there is none.
  std::pair<std::uint64_t, std::uint64_t> range() const;
  std::uint64_t bytes() const { return std::uint64_t{rows} * row_bytes * matrices; }
};

/// Footprint of a Dma or Fixpipe instruction; rows == 0 if it does not touch global memory.
GmFootprint gm_footprint(const Instr& instr);

}  // namespace davsim::isa
