// The functional meaning of instructions: what each one does to memory, independent of time.
#pragma once

#include <utility>

#include "isa/core/core_memory.hpp"
#include "isa/instr/instr.hpp"

namespace davsim::isa {

/// Applies `instr` to `memory`. Synchronisation and scalar records have no effect on memory.
/// Throws Fault (kAddress, kAlignment, kParameter). It has then changed nothing or only bytes of
/// the destination.
void execute(const Instr& instr, const CoreMemory& memory);

/// Checks everything about `instr` that does not depend on memory contents: alignment, ranges of
/// parameters and operands inside their buffers. Called when the instruction is issued, so that a
/// fault names the present line of the kernel. Throws Fault.
void validate(const Instr& instr, const CoreMemory& memory);

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
