// Moves in runs at a pitch: GM <-> UB, GM <-> L1, UB -> UB.
#include "isa/exec/move/move.hpp"

#include <algorithm>
#include <cstring>

#include "isa/exec/accesses.hpp"
#include "isa/exec/exec_table.hpp"
#include "isa/exec/move/move_atomic.hpp"
#include "isa/exec/move/move_operands.hpp"
#include "isa/numeric/layout.hpp"

namespace davsim::isa {
namespace {

const MoveParams& move_of(const Instr& instr) {
  return std::get<MoveParams>(instr.params);
}

/// A buffer of the core is read and written in whole DataBlocks.
void require_blocks(std::string_view name, const Operand& operand, std::uint32_t runs,
                    std::int64_t pitch) {
  if (operand.space == Space::kGm) return;
  require_aligned(std::string(name) + " address", operand.addr, kBlockBytes);
  if (runs > 1) {
    require_aligned(std::string(name) + " pitch", static_cast<std::uint64_t>(pitch), kBlockBytes);
  }
}

/// Moves of whole DataBlocks need GM addresses that fit the element.
void require_element_address(std::string_view name, const Operand& operand) {
  if (operand.space != Space::kGm) return;
  // Two int4 share a byte.
  const std::uint64_t element = std::max<std::uint64_t>(1, dtype_bytes(operand.type));
  require_aligned(std::string(name) + " address", operand.addr, element);
}

void check_ends(const Instr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  require_blocks("src", instr.src0, move.bursts, move.src_pitch);
  require_blocks("dst", instr.dst, move.bursts, move.dst_pitch);
  require_atomic_type(move.atomic, instr.dst.type);
  require_inside(instr, memory);
}

template <Space kFrom, Space kTo>
void decode_move(DecodedInstr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  require_space("src", instr.src0, kFrom);
  require_space("dst", instr.dst, kTo);
  require_aligned("the length of a block", move.burst_bytes, kBlockBytes);
  require_element_address("src", instr.src0);
  require_element_address("dst", instr.dst);
  check_ends(instr, memory);
}

/// LoadData of fractals from global memory; GM addresses may be any.
void decode_load_gm_to_l0(DecodedInstr& instr, const CoreMemory& memory) {
  require_space("src", instr.src0, Space::kGm);
  if (instr.dst.space != Space::kL0A) require_space("dst", instr.dst, Space::kL0B);
  require_aligned("dst address", instr.dst.addr, kFractalBytes);
  require_inside(instr, memory);
}

void execute_move(const DecodedInstr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  const std::byte* src = host_of(memory, instr.src0);
  std::byte* dst = host_of(memory, instr.dst);
  if (move.atomic == AtomicOp::kNone) {
    copy_runs(dst, src, move);
    return;
  }
  for (std::uint32_t i = 0; i < move.bursts; ++i) {
    combine(move.atomic, instr.dst.type, dst, src, move.burst_bytes);
    dst += move.dst_pitch;
    src += move.src_pitch;
  }
}

void decode_pad_in(DecodedInstr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  const auto element = static_cast<std::uint32_t>(dtype_bytes(instr.dst.type));
  require_space("src", instr.src0, Space::kGm);
  require_space("dst", instr.dst, Space::kUb);
  if (element == 0) refuse_operand("DataCopyPad takes elements of whole bytes");
  require_aligned("blockLen", move.burst_bytes, element);
  require_within("leftPadding in bytes", move.left_pad * element, 0, kBlockBytes);
  require_within("rightPadding in bytes", move.right_pad * element, 0, kBlockBytes);
  check_ends(instr, memory);
}

/// Writes `count` elements of `element` bytes at `dst`.
void fill(std::byte* dst, const std::byte* value, std::size_t element, std::size_t bytes) {
  for (std::size_t at = 0; at + element <= bytes; at += element) {
    std::memcpy(dst + at, value, element);
  }
}

void execute_pad_in(const DecodedInstr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  const std::size_t element = dtype_bytes(instr.dst.type);
  const std::uint64_t filled = padded_burst(move, instr.dst.type);
  const std::byte* src = host_of(memory, instr.src0);
  std::byte* dst = host_of(memory, instr.dst);
  if (move.burst_bytes == 0) return;
  const std::size_t left = move.left_pad * element;
  const bool repeat_first = move.left_pad == 0 && move.right_pad == 0;
  std::byte value[8];
  std::memcpy(value, &move.pad_value, sizeof value);
  for (std::uint32_t i = 0; i < move.bursts; ++i) {
    // What neither a value nor the rule of the first element defines keeps its old content.
    if (repeat_first || move.pad) {
      const std::byte* with = repeat_first ? src : value;
      fill(dst, with, element, left);
      fill(dst + left + move.burst_bytes, with, element, filled - left - move.burst_bytes);
    }
    std::memcpy(dst + left, src, move.burst_bytes);
    src += move.src_pitch;
    dst += move.dst_pitch;
  }
}

void decode_pad_out(DecodedInstr& instr, const CoreMemory& memory) {
  const MoveParams& move = move_of(instr);
  require_space("src", instr.src0, Space::kUb);
  require_space("dst", instr.dst, Space::kGm);
  const std::size_t element = dtype_bytes(instr.src0.type);
  if (element == 0) refuse_operand("DataCopyPad takes elements of whole bytes");
  require_aligned("blockLen", move.burst_bytes, element);
  check_ends(instr, memory);
}

}  // namespace

std::uint64_t padded_burst(const MoveParams& move, DType type) {
  const std::uint64_t pad = std::uint64_t{move.left_pad} + move.right_pad;
  return ceil_align(move.burst_bytes + pad * dtype_bytes(type), kBlockBytes);
}

void copy_runs(std::byte* dst, const std::byte* src, const MoveParams& move) {
  const auto bytes = static_cast<std::int64_t>(move.burst_bytes);
  if (move.src_pitch == bytes && move.dst_pitch == bytes) {
    std::memmove(dst, src, move.burst_bytes * std::size_t{move.bursts});
    return;
  }
  for (std::uint32_t i = 0; i < move.bursts; ++i) {
    std::memmove(dst, src, move.burst_bytes);
    dst += move.dst_pitch;
    src += move.src_pitch;
  }
}

void add_move_rows(ExecTable& table) {
  table.set(Opcode::kMoveGmToUb, {decode_move<Space::kGm, Space::kUb>, execute_move});
  table.set(Opcode::kMoveUbToGm, {decode_move<Space::kUb, Space::kGm>, execute_move});
  table.set(Opcode::kMoveGmToL1, {decode_move<Space::kGm, Space::kL1>, execute_move});
  table.set(Opcode::kMoveL1ToGm, {decode_move<Space::kL1, Space::kGm>, execute_move});
  table.set(Opcode::kMoveUbToUb, {decode_move<Space::kUb, Space::kUb>, execute_move});
  table.set(Opcode::kLoadGmToL0, {decode_load_gm_to_l0, execute_move});
  table.set(Opcode::kMoveGmToUbPad, {decode_pad_in, execute_pad_in});
  table.set(Opcode::kMoveUbToGmPad, {decode_pad_out, execute_move});
  table.set(Opcode::kMoveGmToL1Nd2Nz, {decode_nd2nz, execute_nd2nz});
}

}  // namespace davsim::isa
