// Transpose and TransDataTo5HD: sixteen DataBlocks become columns of sixteen others.
#include "isa/exec/transpose.hpp"

#include <cstring>
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/transpose_tile.hpp"

namespace davsim::isa {
namespace {

const TransposeParams& params_of(const Instr& instr) {
  const auto* params = std::get_if<TransposeParams>(&instr.params);
  if (params == nullptr || !transpose_exists(instr.op, instr.dst.type) ||
      instr.dst.type != instr.src0.type) {
    throw Fault(FaultClass::kParameter, std::string(instr.opcode_info().mnemonic) +
                                            ": there is no such instruction for " +
                                            std::string(dtype_name(instr.dst.type)) + " from " +
                                            std::string(dtype_name(instr.src0.type)));
  }
  return *params;
}

/// A single repeat starts a step behind its addresses, several repeats start at them: documented.
std::uint64_t block_of(std::uint16_t first, std::uint16_t step, std::uint32_t repeat,
                       std::uint32_t repeats) {
  return first + std::uint64_t{step} * (repeats == 1 ? 1 : repeat);
}

void check_blocks(const Instr& instr, const CoreMemory& memory, const char* name,
                  const std::array<std::uint16_t, kTransposeBlocks>& blocks, std::uint16_t step,
                  std::uint32_t repeats) {
  for (std::uint32_t i = 0; i < kTransposeBlocks; ++i) {
    const std::uint64_t end = (block_of(blocks[i], step, repeats - 1, repeats) + 1) * kBlockBytes;
    if (end <= memory.size(Space::kUb)) continue;
    throw Fault(FaultClass::kAddress,
                std::string(instr.opcode_info().mnemonic) + ": " + name + "[" + std::to_string(i) +
                    "] reaches from byte " + std::to_string(blocks[i] * kBlockBytes) + " to " +
                    std::to_string(end) + " of UB, which has " +
                    std::to_string(memory.size(Space::kUb)) + " (" + std::to_string(repeats) +
                    " repeats, " + std::to_string(step) + " DataBlocks from one to the next)");
  }
}

void validate_transpose(const Instr& instr, const CoreMemory& memory) {
  const TransposeParams& params = params_of(instr);
  if (params.repeats == 0) return;
  check_blocks(instr, memory, "dst", params.dst, params.dst_step, params.repeats);
  check_blocks(instr, memory, "src", params.src, params.src_step, params.repeats);
}

/// One repeat. All sources are read before anything is written.
void run_repeat(const TransposeParams& params, std::uint32_t repeat, std::uint32_t bytes,
                std::byte* ub) {
  // Of 8-bit elements half a DataBlock takes part.
  const std::uint32_t used = bytes == 1 ? kBlockBytes / 2 : kBlockBytes;
  const auto address = [&](std::uint16_t first, std::uint16_t step, bool upper) {
    return ub + block_of(first, step, repeat, params.repeats) * kBlockBytes +
           (bytes == 1 && upper ? used : 0);
  };
  const std::byte* rows[kTransposeBlocks];
  for (std::uint32_t r = 0; r < kTransposeBlocks; ++r) {
    rows[r] = address(params.src[r], params.src_step, params.src_upper);
  }
  alignas(64) std::byte columns[kTransposeBlocks * kBlockBytes];
  transpose_tile(rows, columns, bytes);
  for (std::uint32_t i = 0; i < kTransposeBlocks; ++i) {
    std::byte* const to = address(params.dst[i], params.dst_step, params.dst_upper);
    // Known sizes: a move or two each.
    if (bytes == 1) {
      std::memcpy(to, columns + i * (kBlockBytes / 2), kBlockBytes / 2);
    } else {
      std::memcpy(to, columns + i * kBlockBytes, kBlockBytes);
    }
  }
}

void execute_transpose(const Instr& instr, const CoreMemory& memory) {
  validate_transpose(instr, memory);
  const TransposeParams& params = params_of(instr);
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  std::byte* ub = memory.at(Space::kUb, 0, 0);
  for (std::uint32_t repeat = 0; repeat < params.repeats; ++repeat) {
    run_repeat(params, repeat, bytes, ub);
  }
}

}  // namespace

void add_transpose_rows(ExecTable& table) {
  table.set(Opcode::kTranspose, {&validate_transpose, &execute_transpose});
  table.set(Opcode::kTransDataTo5hd, {&validate_transpose, &execute_transpose});
}

}  // namespace davsim::isa
