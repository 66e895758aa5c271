// LoadDataWithSparse: fractals of a matrix B that holds two of every four rows, and the indices
// that say which two.
//
// An index has two bits; a fractal of B, 32 rows x 16 columns of int8, has one for each element, in
// the same order, four to a byte with the first in the low bits: 128 bytes. They go to a memory
// beside L0B, at a quarter of the fractal's address, where MmadWithSparse finds them.
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/cube/load.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

constexpr std::uint64_t kIndexBytes = kFractalBytes / 4;

struct Ends {
  std::byte *dst, *dst_index;
  const std::byte *src, *src_index;
  std::size_t fractals;
};

/// The instruction takes a first fractal and a number of fractals; they follow each other.
Ends ends_of(const Instr& instr, const CoreMemory& memory) {
  const auto& load = std::get<Load2dParams>(instr.params);
  return {host_of(memory, instr.dst), memory.host(Space::kSparseIndex, instr.dst.addr / 4),
          host_of(memory, instr.src0) + load.start * std::size_t{kFractalBytes},
          host_of(memory, instr.src1) + load.start * kIndexBytes, load.repeats};
}

}  // namespace

void decode_load_sparse(DecodedInstr& instr, const CoreMemory& memory) {
  require_space("src", instr.src0, Space::kL1);
  require_space("idx", instr.src1, Space::kL1);
  require_space("dst", instr.dst, Space::kL0B);
  require_aligned("src address", instr.src0.addr, kBlockBytes);
  require_aligned("idx address", instr.src1.addr, kBlockBytes);
  require_aligned("dst address", instr.dst.addr, kFractalBytes);
  require_inside(instr, memory);
}

void execute_load_sparse(const DecodedInstr& instr, const CoreMemory& memory) {
  const Ends ends = ends_of(instr, memory);
  std::memcpy(ends.dst, ends.src, ends.fractals * kFractalBytes);
  std::memcpy(ends.dst_index, ends.src_index, ends.fractals * kIndexBytes);
}

}  // namespace davsim::isa
