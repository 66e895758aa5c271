// Transpose and TransDataTo5HD: sixteen DataBlocks become columns of sixteen others.
#include "isa/exec/transpose.hpp"

#include <cstring>
#include <string>

#include "isa/exec/exec_table.hpp"

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

/// Row r, column c of the tile goes to row c, column r. A tile has sixteen rows, one from each
/// source; its `columns` columns are sixteen elements each and fill one or more destinations.
template <class T>
void transpose_tile(const T* const (&rows)[kTransposeBlocks], T* columns, std::uint32_t count) {
  for (std::uint32_t c = 0; c < count; ++c) {
    for (std::uint32_t r = 0; r < kTransposeBlocks; ++r) {
      columns[c * kTransposeBlocks + r] = rows[r][c];
    }
  }
}

/// One repeat. All sources are read before anything is written.
template <class T>
void run_repeat(const TransposeParams& params, std::uint32_t repeat, std::byte* ub) {
  // Of 8-bit elements half a DataBlock takes part.
  constexpr std::uint32_t kUsedBytes = sizeof(T) == 1 ? kBlockBytes / 2 : kBlockBytes;
  constexpr std::uint32_t kColumns = kUsedBytes / sizeof(T);
  const auto address = [&](std::uint16_t first, std::uint16_t step, bool upper) {
    return ub + block_of(first, step, repeat, params.repeats) * kBlockBytes +
           (sizeof(T) == 1 && upper ? kUsedBytes : 0);
  };
  const T* rows[kTransposeBlocks];
  for (std::uint32_t r = 0; r < kTransposeBlocks; ++r) {
    rows[r] = reinterpret_cast<const T*>(address(params.src[r], params.src_step, params.src_upper));
  }
  T columns[kColumns * kTransposeBlocks];
  transpose_tile(rows, columns, kColumns);
  const auto* from = reinterpret_cast<const std::byte*>(columns);
  for (std::uint32_t i = 0; i < kTransposeBlocks; ++i) {
    std::memcpy(address(params.dst[i], params.dst_step, params.dst_upper), from + i * kUsedBytes,
                kUsedBytes);
  }
}

template <class T>
void run_repeats(const TransposeParams& params, std::byte* ub) {
  for (std::uint32_t repeat = 0; repeat < params.repeats; ++repeat) {
    run_repeat<T>(params, repeat, ub);
  }
}

void execute_transpose(const Instr& instr, const CoreMemory& memory) {
  validate_transpose(instr, memory);
  const TransposeParams& params = params_of(instr);
  std::byte* ub = memory.at(Space::kUb, 0, 0);
  switch (dtype_bytes(instr.dst.type)) {
    case 1:
      return run_repeats<std::uint8_t>(params, ub);
    case 2:
      return run_repeats<std::uint16_t>(params, ub);
    default:
      return run_repeats<std::uint32_t>(params, ub);
  }
}

}  // namespace

void add_transpose_rows(ExecTable& table) {
  table.set(Opcode::kTranspose, {&validate_transpose, &execute_transpose});
  table.set(Opcode::kTransDataTo5hd, {&validate_transpose, &execute_transpose});
}

}  // namespace davsim::isa
