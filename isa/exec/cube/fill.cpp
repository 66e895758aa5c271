// Fill: runs of one value in L1, L0A or L0B.
#include <cstring>

#include "isa/exec/cube/load.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

Runs runs_of(const Instr& instr) {
  const auto& move = std::get<MoveParams>(instr.params);
  return {move.bursts, move.burst_bytes, move.dst_pitch};
}

void require_type(const Instr& instr) {
  const std::size_t bytes = dtype_bytes(instr.dst.type);
  if (bytes == 2 || bytes == 4) return;
  refuse_operand("Fill takes types of 16 and 32 bits, not " +
                 std::string(dtype_name(instr.dst.type)));
}

}  // namespace

void validate_fill_l0(const Instr& instr, const CoreMemory& memory) {
  if (instr.dst.space != Space::kL0A) require_space("dst", instr.dst, Space::kL0B);
  require_type(instr);
  require_aligned("dst address", instr.dst.addr, kFractalBytes);
  runs_at(memory, instr.dst.space, instr.dst.addr, runs_of(instr));
}

void validate_fill_l1(const Instr& instr, const CoreMemory& memory) {
  require_space("dst", instr.dst, Space::kL1);
  require_type(instr);
  require_aligned("dst address", instr.dst.addr, kBlockBytes);
  runs_at(memory, instr.dst.space, instr.dst.addr, runs_of(instr));
}

void execute_fill(const Instr& instr, const CoreMemory& memory) {
  const auto& move = std::get<MoveParams>(instr.params);
  const std::size_t element = dtype_bytes(instr.dst.type);
  std::byte block[kBlockBytes];
  for (std::size_t at = 0; at < kBlockBytes; at += element) {
    std::memcpy(block + at, &move.pad_value, element);
  }
  std::byte* dst = runs_at(memory, instr.dst.space, instr.dst.addr, runs_of(instr));
  for (std::uint32_t i = 0; dst != nullptr && i < move.bursts; ++i) {
    std::byte* run = dst + i * move.dst_pitch;
    for (std::size_t at = 0; at < move.burst_bytes; at += kBlockBytes) {
      std::memcpy(run + at, block, kBlockBytes);
    }
  }
}

}  // namespace davsim::isa
