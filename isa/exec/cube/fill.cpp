// Fill: runs of one value in L1, L0A or L0B.
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/cube/load.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

void require_type(const Instr& instr) {
  const std::size_t bytes = dtype_bytes(instr.dst.type);
  if (bytes == 2 || bytes == 4) return;
  refuse_operand("Fill takes types of 16 and 32 bits, not " +
                 std::string(dtype_name(instr.dst.type)));
}

}  // namespace

void decode_fill_l0(DecodedInstr& instr, const CoreMemory& memory) {
  if (instr.dst.space != Space::kL0A) require_space("dst", instr.dst, Space::kL0B);
  require_type(instr);
  require_aligned("dst address", instr.dst.addr, kFractalBytes);
  require_inside(instr, memory);
}

void decode_fill_l1(DecodedInstr& instr, const CoreMemory& memory) {
  require_space("dst", instr.dst, Space::kL1);
  require_type(instr);
  require_aligned("dst address", instr.dst.addr, kBlockBytes);
  require_inside(instr, memory);
}

void execute_fill(const DecodedInstr& instr, const CoreMemory& memory) {
  const auto& move = std::get<MoveParams>(instr.params);
  const std::size_t element = dtype_bytes(instr.dst.type);
  std::byte block[kBlockBytes];
  for (std::size_t at = 0; at < kBlockBytes; at += element) {
    std::memcpy(block + at, &move.pad_value, element);
  }
  for (std::uint32_t i = 0; i < move.bursts; ++i) {
    std::byte* run = host_of(memory, instr.dst) + i * move.dst_pitch;
    for (std::size_t at = 0; at < move.burst_bytes; at += kBlockBytes) {
      std::memcpy(run + at, block, kBlockBytes);
    }
  }
}

}  // namespace davsim::isa
