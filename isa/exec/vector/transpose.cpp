// Transpose and TransDataTo5HD: sixteen DataBlocks become columns of sixteen others.
#include "isa/exec/vector/transpose.hpp"

#include <algorithm>
#include <string>

#include "isa/exec/exec_table.hpp"
#include "isa/exec/list_accesses.hpp"
#include "isa/exec/vector/transpose_tile.hpp"
#include "isa/instr/vector_types.hpp"

namespace davsim::isa {
namespace {

const TransposeParams& params_of(const Instr& instr) {
  const auto* params = std::get_if<TransposeParams>(&instr.params);
  if (params == nullptr || !types_exist(instr.op, instr.dst.type, instr.src0.type)) {
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

/// A quick bound: even if the highest DataBlock took one step more than repeats ask for, it would
/// lie in UB.
bool surely_inside(const std::array<std::uint16_t, kTransposeBlocks>& blocks, std::uint16_t step,
                   std::uint32_t repeats, const CoreMemory& memory) {
  const std::uint64_t highest = *std::max_element(blocks.begin(), blocks.end());
  return (highest + std::uint64_t{step} * repeats + 1) * kBlockBytes <= memory.size(Space::kUb);
}

void decode_transpose(DecodedInstr& instr, const CoreMemory& memory) {
  const TransposeParams& params = params_of(instr);
  if (surely_inside(params.dst, params.dst_step, params.repeats, memory) &&
      surely_inside(params.src, params.src_step, params.repeats, memory)) {
    return;
  }
  AccessList list;
  list_transpose(instr, params, list);
  std::uint32_t i = 0;  // sixteen DataBlocks of the source, then those of the destination
  for (const Access& access : list) {
    const bool source = i < kTransposeBlocks;
    const std::uint32_t number = i++ % kTransposeBlocks;
    if (memory.contains(Space::kUb, access.low(), access.high() - access.low())) continue;
    throw Fault(FaultClass::kAddress,
                std::string(instr.opcode_info().mnemonic) + (source ? ": src[" : ": dst[") +
                    std::to_string(number) + "] reaches from byte " + std::to_string(access.low()) +
                    " to " + std::to_string(access.high()) + " of UB, which has " +
                    std::to_string(memory.size(Space::kUb)) + " (" +
                    std::to_string(params.repeats) + " repeats, " +
                    std::to_string(source ? params.src_step : params.dst_step) +
                    " DataBlocks from one to the next)");
  }
}

void execute_transpose(const DecodedInstr& instr, const CoreMemory& memory) {
  const TransposeParams& params = params_of(instr);
  const auto bytes = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  std::byte* ub = memory.host(Space::kUb, 0);
  // Of 8-bit elements half a DataBlock takes part.
  const auto address = [&](std::uint16_t first, std::uint16_t step, bool upper) {
    return ub + block_of(first, step, 0, params.repeats) * kBlockBytes +
           (bytes == 1 && upper ? kBlockBytes / 2 : 0);
  };
  TransposeTiles run;
  for (std::uint32_t i = 0; i < kTransposeBlocks; ++i) {
    run.rows[i] = address(params.src[i], params.src_step, params.src_upper);
    run.columns[i] = address(params.dst[i], params.dst_step, params.dst_upper);
  }
  run.row_step = std::size_t{params.src_step} * kBlockBytes;
  run.column_step = std::size_t{params.dst_step} * kBlockBytes;
  run.tiles = params.repeats;
  transpose_tiles(run, bytes);
}

}  // namespace

void add_transpose_rows(ExecTable& table) {
  table.set(Opcode::kTranspose, {&decode_transpose, &execute_transpose});
  table.set(Opcode::kTransDataTo5hd, {&decode_transpose, &execute_transpose});
}

std::uint64_t transposed_elements(const Instr& instr) {
  const auto& params = std::get<TransposeParams>(instr.params);
  return std::uint64_t{params.repeats} * kTransposeBlocks * kBlockBytes /
         dtype_bytes(instr.dst.type);
}

}  // namespace davsim::isa
