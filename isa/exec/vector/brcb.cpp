// Brcb: eight elements a repeat, each of which fills a DataBlock.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/vector/vector_check.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

/// True if a block that the instruction writes has bytes in common with its source.
bool overlaps_source(const VectorShape& shape) {
  const std::uint64_t begin = shape.src0.addr;
  const std::uint64_t end = begin + std::uint64_t{shape.repeats} * shape.src0.repeat_pitch;
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    for (std::uint32_t block = 0; block < kBlocksPerRepeat; ++block) {
      const std::uint64_t at = shape.dst.block_addr(repeat, block);
      if (at < end && begin < at + kBlockBytes) return true;
    }
  }
  return false;
}

void decode_brcb(DecodedInstr& instr, const CoreMemory& memory) {
  vector_params(instr);
  if (!types_exist(instr.op, instr.dst.type, instr.src0.type)) {
    refuse_vector(instr, FaultClass::kParameter,
                  "there is no such instruction for " + std::string(dtype_name(instr.dst.type)) +
                      " from " + std::string(dtype_name(instr.src0.type)));
  }
  decode_shape(instr, memory);
  if (overlaps_source(instr.shape)) {
    refuse_vector(instr, FaultClass::kParameter,
                  "dst lies on src, which is at byte " + std::to_string(instr.shape.src0.addr) +
                      " of UB; the two must not overlap");
  }
}

template <class Bits>
void broadcast(const VectorShape& shape, std::byte* ub) {
  for (std::uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
    std::array<Bits, kBlocksPerRepeat> elements;
    std::memcpy(elements.data(), ub + shape.src0.block_addr(repeat, 0), sizeof elements);
    for (std::uint32_t block = 0; block < kBlocksPerRepeat; ++block) {
      auto* to = reinterpret_cast<Bits*>(ub + shape.dst.block_addr(repeat, block));
      std::fill_n(to, kBlockBytes / sizeof(Bits), elements[block]);
    }
  }
}

void execute_brcb(const DecodedInstr& instr, const CoreMemory& memory) {
  std::byte* ub = memory.host(Space::kUb, 0);
  if (dtype_bytes(instr.dst.type) == 2) {
    broadcast<std::uint16_t>(instr.shape, ub);
  } else {
    broadcast<std::uint32_t>(instr.shape, ub);
  }
}

}  // namespace

void add_brcb_row(ExecTable& table) {
  table.set(Opcode::kBrcb, {&decode_brcb, &execute_brcb});
}

}  // namespace davsim::isa
