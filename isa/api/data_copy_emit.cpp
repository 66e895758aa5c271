// Checks and builds the instruction records of the data copies.
#include "ascendc/data_copy_emit.h"

#include <algorithm>
#include <utility>

#include "ascendc/cube_courier.h"

#include "isa/instr/place_name.hpp"

namespace davsim::api {

void refuse_path(const char* call, isa::Space from, isa::Space to, Location where) {
  const bool to_cube = from == isa::Space::kUb && to == isa::Space::kL1;
  fail(isa::FaultClass::kParameter, call,
       {"there is no path from ", isa::place_name(from), " to ", isa::place_name(to),
        to_cube ? "; the cores share global memory only, through which a Matmul object's calls "
                  "would go"
                : ""},
       where);
}

std::uint32_t whole_blocks(const char* call, std::uint32_t count, isa::DType type, Location where) {
  // An int4b_t counts as the byte that sizeof says.
  const std::uint64_t bytes =
      std::uint64_t{count} * std::max<std::size_t>(isa::dtype_bits(type) / 8, 1);
  require_range(call, "bytes", static_cast<std::int64_t>(bytes), 0, UINT32_MAX, where);
  const std::uint64_t moved = bytes / isa::kBlockBytes * isa::kBlockBytes;
  if (moved != bytes) isa::current_core().copied_short(bytes, moved, where);
  return static_cast<std::uint32_t>(moved);
}

CopyPath copy_path(const char* call, isa::Space from, isa::Space to, Location where) {
  using isa::Opcode;
  using isa::Pipe;
  using isa::Space;
  if (from == Space::kGm && to == Space::kUb) return {Opcode::kMoveGmToUb, Pipe::MTE2};
  if (from == Space::kGm && to == Space::kL1) return {Opcode::kMoveGmToL1, Pipe::MTE2};
  if (from == Space::kUb && to == Space::kGm) return {Opcode::kMoveUbToGm, Pipe::MTE3};
  if (from == Space::kL1 && to == Space::kGm) return {Opcode::kMoveL1ToGm, Pipe::MTE3};
  if (from == Space::kUb && to == Space::kUb) return {Opcode::kMoveUbToUb, Pipe::V};
  if (from == Space::kL1 && to == Space::kBt) return {Opcode::kMoveL1ToBt, Pipe::MTE1, 64};
  if (from == Space::kL1 && to == Space::kFb) return {Opcode::kMoveL1ToFb, Pipe::FIX, 128, true};
  refuse_path(call, from, to, where);
}

void emit_move(const CopyPath& path, isa::Operand dst, const isa::Operand& src,
               isa::MoveParams move, Location where) {
  if (move.bursts == 0 || move.burst_bytes == 0) return;  // documented as a no-op
  if (dst.space == isa::Space::kGm && registers().atomic != isa::AtomicOp::kNone) {
    move.atomic = registers().atomic;
    dst.type = registers().atomic_type;  // L2 takes the bytes for what the register says
  }
  emit(path.op, path.pipe, dst, src, {}, move, where);
}

namespace {

/// The courier, if a vector core copies into L1.
CubeCourier* courier_to(const isa::Operand& dst, const isa::Operand& src) {
  const bool from = src.space == isa::Space::kUb || src.space == isa::Space::kGm;
  return dst.space == isa::Space::kL1 && from ? cube_courier() : nullptr;
}

}  // namespace

void emit_copy(const isa::Operand& dst, const isa::Operand& src, std::uint32_t count,
               Location where) {
  if (CubeCourier* courier = courier_to(dst, src)) {
    const std::uint32_t blocks =
        whole_blocks("DataCopy", count, src.type, where) / isa::kBlockBytes;
    require_range("DataCopy", "DataBlocks", blocks, 0, UINT16_MAX, where);
    courier->copy(dst, src, AscendC::DataCopyParams(1, static_cast<std::uint16_t>(blocks), 0, 0),
                  where);
    return;
  }
  const CopyPath path = copy_path("DataCopy", src.space, dst.space, where);
  isa::MoveParams move;
  move.burst_bytes = whole_blocks("DataCopy", count, src.type, where);
  move.src_pitch = move.dst_pitch = move.burst_bytes;
  emit_move(path, dst, src, move, where);
}

void emit_copy(const isa::Operand& dst, const isa::Operand& src,
               const AscendC::DataCopyParams& params, Location where) {
  require_range("DataCopy", "blockCount", params.blockCount, 0, 4095, where);
  if (CubeCourier* courier = courier_to(dst, src)) return courier->copy(dst, src, params, where);
  const CopyPath path = copy_path("DataCopy", src.space, dst.space, where);
  isa::MoveParams move;
  move.bursts = params.blockCount;
  move.burst_bytes = params.blockLen * path.length_unit;
  const std::int64_t run = path.gap_from_start ? 0 : move.burst_bytes;
  // A bias widened from half to float takes half the bytes out of L1.
  const bool widens = path.op == isa::Opcode::kMoveL1ToBt && src.type == isa::DType::kF16;
  move.src_pitch = (widens ? run / 2 : run) + std::int64_t{params.srcGap} * isa::kBlockBytes;
  move.dst_pitch = run + std::int64_t{params.dstGap} * path.length_unit;
  emit_move(path, dst, src, move, where);
}

void check_nd2nz(const isa::Operand& dst, const isa::Operand& src,
                 const AscendC::Nd2NzParams& params, Location where) {
  if (dst.space != isa::Space::kL1 && dst.space != isa::Space::kUb) {
    refuse_path("DataCopy", src.space, dst.space, where);
  }
  require_range("DataCopy", "ndNum", params.ndNum, 0, 4095, where);
  require_range("DataCopy", "nValue", params.nValue, 0, 16384, where);
  if (params.ndNum == 0 || params.nValue == 0 || params.dValue == 0) return;
  // A distance that nothing is moved by may be anything; kernels leave it at 0.
  const std::int64_t rows = params.nValue > 1 ? 1 : 0;
  const bool one_column = params.dValue * isa::dtype_bits(dst.type) / 8 <= isa::kBlockBytes;
  require_range("DataCopy", "srcDValue", params.srcDValue, rows, 65535, where);
  require_range("DataCopy", "dstNzC0Stride", params.dstNzC0Stride, one_column ? 0 : 1, 16384,
                where);
  require_range("DataCopy", "dstNzNStride", params.dstNzNStride, rows, 16384, where);
}

void emit_nd2nz(const isa::Operand& dst, const isa::Operand& src,
                const AscendC::Nd2NzParams& params, Location where) {
  if (CubeCourier* courier = courier_to(dst, src)) {
    return courier->copy(dst, src, {}, params, where);
  }
  isa::Nd2NzMoveParams move;
  move.matrices = params.ndNum;
  move.rows = params.nValue;
  move.cols = params.dValue;
  move.src_matrix_stride = params.srcNdMatrixStride;
  move.src_row_stride = params.srcDValue;
  move.dst_c0_stride = params.dstNzC0Stride;
  move.dst_row_stride = params.dstNzNStride;
  move.dst_matrix_stride = params.dstNzMatrixStride;
  emit(isa::Opcode::kMoveGmToL1Nd2Nz, isa::Pipe::MTE2, dst, src, {}, move, where);
}

void emit_nd2nz_to_cube(const isa::Operand& dst, const isa::Operand& src,
                        const AscendC::Nd2NzParams& params, Location where) {
  CubeCourier* courier = courier_to(dst, src);
  if (courier == nullptr) refuse_path("DataCopy", src.space, dst.space, where);
  check_nd2nz(dst, src, params, where);
  if (params.ndNum == 0 || params.nValue == 0 || params.dValue == 0) return;
  // As the matrices lie in UB, from the first element to the last.
  const std::uint64_t last = std::uint64_t{params.ndNum - 1u} * params.srcNdMatrixStride +
                             std::uint64_t{params.nValue - 1u} * params.srcDValue + params.dValue;
  AscendC::DataCopyExtParams all;
  all.blockLen = static_cast<std::uint32_t>(last * isa::dtype_bytes(src.type));
  courier->copy(dst, src, all, params, where);
}

void emit_pad_nd2nz_to_cube(const isa::Operand& dst, const isa::Operand& src,
                            const AscendC::DataCopyExtParams& blocks,
                            const AscendC::Nd2NzParams& params, Location where) {
  CubeCourier* courier = courier_to(dst, src);
  if (courier == nullptr) refuse_path("DataCopyPad", src.space, dst.space, where);
  check_nd2nz(dst, src, params, where);
  if (params.ndNum == 0 || params.nValue == 0 || params.dValue == 0) return;
  courier->copy(dst, src, blocks, params, where);
}

void emit_copy_pad_in(const isa::Operand& dst, const isa::Operand& src,
                      const AscendC::DataCopyExtParams& params, const PadRequest& pad,
                      Location where) {
  if (dst.space != isa::Space::kUb) refuse_path("DataCopyPad", src.space, dst.space, where);
  const auto element = static_cast<std::uint32_t>(isa::dtype_bytes(dst.type));
  require_range("DataCopyPad", "blockCount", params.blockCount, 0, 4095, where);
  require_range("DataCopyPad", "blockLen", params.blockLen, 0, 2097151, where);
  require_range("DataCopyPad", "leftPadding", pad.left, 0, isa::kBlockBytes / element, where);
  require_range("DataCopyPad", "rightPadding", pad.right, 0, isa::kBlockBytes / element, where);
  if (element == 8 && pad.is_pad && pad.value != 0) {
    refuse("DataCopyPad", "paddingValue", static_cast<std::int64_t>(pad.value),
           "0 for 64-bit types", where);
  }
  isa::MoveParams move;
  move.bursts = params.blockCount;
  move.burst_bytes = params.blockLen;
  move.left_pad = pad.left;
  move.right_pad = pad.right;
  move.pad = pad.is_pad || registers().move_pad_set;
  move.pad_value = pad.is_pad ? pad.value : registers().move_pad;
  move.sets_pad = pad.is_pad || std::exchange(registers().move_pad_written, false);
  const std::uint64_t filled = params.blockLen + std::uint64_t{element} * (pad.left + pad.right);
  const std::uint64_t blocks = (filled + isa::kBlockBytes - 1) / isa::kBlockBytes;
  move.src_pitch = std::int64_t{params.blockLen} + params.srcStride;
  move.dst_pitch = static_cast<std::int64_t>((blocks + params.dstStride) * isa::kBlockBytes);
  emit_move({isa::Opcode::kMoveGmToUbPad, isa::Pipe::MTE2}, dst, src, move, where);
}

void emit_copy_pad_out(const isa::Operand& dst, const isa::Operand& src,
                       const AscendC::DataCopyExtParams& params, Location where) {
  if (src.space != isa::Space::kUb) refuse_path("DataCopyPad", src.space, dst.space, where);
  require_range("DataCopyPad", "blockCount", params.blockCount, 0, 4095, where);
  require_range("DataCopyPad", "blockLen", params.blockLen, 0, 2097151, where);
  isa::MoveParams move;
  move.bursts = params.blockCount;
  move.burst_bytes = params.blockLen;
  const std::uint64_t blocks =
      (std::uint64_t{params.blockLen} + isa::kBlockBytes - 1) / isa::kBlockBytes;
  move.src_pitch = static_cast<std::int64_t>((blocks + params.srcStride) * isa::kBlockBytes);
  move.dst_pitch = std::int64_t{params.blockLen} + params.dstStride;
  emit_move({isa::Opcode::kMoveUbToGmPad, isa::Pipe::MTE3}, dst, src, move, where);
}

}  // namespace davsim::api
