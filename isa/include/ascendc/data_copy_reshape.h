// DataCopy forms that rearrange data between GM and UB. The machine has no instruction for them.
// They are series of plain moves in queue MTE2 (into UB) and MTE3 (out of UB).
#pragma once

#include <array>

#include "ascendc/data_copy_emit.h"
#include "isa/numeric/layout.hpp"
#include "isa/numeric/min_max.hpp"

namespace davsim::api {

/// Runs that one move instruction takes at most.
inline constexpr std::uint32_t kMaxBursts = 4095;

/// Hands `rows` runs over, as many at a time as an instruction takes.
inline void emit_rows(const CopyPath& path, isa::Operand dst, isa::Operand src,
                      isa::MoveParams move, std::uint32_t rows, Location where) {
  for (std::uint32_t row = 0; row < rows; row += kMaxBursts) {
    move.bursts = std::min(kMaxBursts, rows - row);
    emit_move(path, dst, src, move, where);
    src.addr += static_cast<std::uint64_t>(move.src_pitch * move.bursts);
    dst.addr += static_cast<std::uint64_t>(move.dst_pitch * move.bursts);
  }
}

/// A row-major matrix in GM to NZ in UB, a column of 32 bytes after the other; the last is filled
/// up with 0.
inline void emit_nd2nz_matrix_to_ub(isa::Operand dst, isa::Operand src,
                                    const AscendC::Nd2NzParams& params, Location where) {
  const auto element = static_cast<std::uint32_t>(isa::dtype_bytes(src.type));
  isa::MoveParams move;
  move.src_pitch = std::int64_t{params.srcDValue} * element;
  move.dst_pitch = std::int64_t{params.dstNzNStride} * isa::kBlockBytes;
  for (std::uint32_t left = params.dValue * element; left > 0; left -= move.burst_bytes) {
    move.burst_bytes = std::min(left, isa::kBlockBytes);
    const bool whole = move.burst_bytes == isa::kBlockBytes;
    move.pad = !whole;
    move.right_pad = static_cast<std::uint8_t>((isa::kBlockBytes - move.burst_bytes) / element);
    const isa::Opcode op = whole ? isa::Opcode::kMoveGmToUb : isa::Opcode::kMoveGmToUbPad;
    emit_rows({op, isa::Pipe::MTE2}, dst, src, move, params.nValue, where);
    src.addr += isa::kBlockBytes;
    dst.addr += std::uint64_t{params.dstNzC0Stride} * isa::kBlockBytes;
  }
}

inline void emit_nd2nz_to_ub(isa::Operand dst, isa::Operand src, const AscendC::Nd2NzParams& params,
                             Location where) {
  const std::uint64_t element = isa::dtype_bytes(src.type);
  for (std::uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    emit_nd2nz_matrix_to_ub(dst, src, params, where);
    src.addr += params.srcNdMatrixStride * element;
    dst.addr += params.dstNzMatrixStride * element;
  }
}

/// ND2NZ: one instruction into L1, a series of moves into UB. int4b_t counts as bytes.
inline void emit_nd2nz_anywhere(isa::Operand dst, isa::Operand src,
                                const AscendC::Nd2NzParams& params, Location where) {
  if (src.type == isa::DType::kI4) src.type = dst.type = isa::DType::kI8;
  check_nd2nz(dst, src, params, where);
  if (params.ndNum == 0 || params.nValue == 0 || params.dValue == 0) return;
  if (dst.space == isa::Space::kUb) {
    emit_nd2nz_to_ub(dst, src, params, where);
  } else {
    emit_nd2nz(dst, src, params, where);
  }
}

/// NZ matrices in UB, columns of 16 elements, to row-major ones in GM.
inline void emit_nz2nd(isa::Operand dst, isa::Operand src, const AscendC::Nz2NdParamsFull& params,
                       Location where) {
  if (src.space != isa::Space::kUb) refuse_path("DataCopy", src.space, dst.space, where);
  require_range("DataCopy", "ndNum", params.ndNum, 0, 4095, where);
  require_range("DataCopy", "nValue", params.nValue, 0, 8192, where);
  require_range("DataCopy", "dValue", params.dValue, 0, 8192, where);
  require_range("DataCopy", "srcNdMatrixStride", params.srcNdMatrixStride, 0, 512, where);
  require_range("DataCopy", "srcNStride", params.srcNStride, 0, 4096, where);
  require_range("DataCopy", "dstDStride", params.dstDStride, 1, 65535, where);
  if (params.dValue % isa::kFractalRows != 0) {
    refuse("DataCopy", "dValue", params.dValue, "multiples of 16", where);
  }
  const std::uint64_t element = isa::dtype_bytes(src.type);
  const std::uint64_t column = isa::kFractalRows * element;
  isa::MoveParams move;
  move.burst_bytes = static_cast<std::uint32_t>(column);
  move.src_pitch = static_cast<std::int64_t>(column);
  move.dst_pitch = static_cast<std::int64_t>(params.dstDStride * element);
  for (std::uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    for (std::uint32_t i = 0; i < params.dValue / isa::kFractalRows; ++i) {
      isa::Operand from = src, to = dst;
      from.addr += i * params.srcNStride * column;
      to.addr += i * column;
      emit_rows({isa::Opcode::kMoveUbToGm, isa::Pipe::MTE3}, to, from, move, params.nValue, where);
    }
    src.addr += params.srcNdMatrixStride * isa::kFractalRows * column;
    dst.addr += params.dstNdMatrixStride * element;
  }
}

/// The pieces of one dimension of a slice, in elements.
struct SlicePieces {
  std::uint64_t count, start, pitch;
};

inline SlicePieces slice_pieces(const AscendC::SliceInfo& slice, std::uint64_t length,
                                Location where) {
  if (slice.startIndex > slice.endIndex || slice.endIndex > slice.shapeValue) {
    refuse("DataCopy", "endIndex", slice.endIndex,
           {"startIndex to shapeValue, ", slice.startIndex, " to ", slice.shapeValue}, where);
  }
  const std::uint64_t covered = std::uint64_t{slice.endIndex} - slice.startIndex + 1;
  const std::uint64_t pitch = length + slice.stride;
  if (pitch == 0 || (covered + slice.stride) % pitch != 0) {
    refuse("DataCopy", "endIndex - startIndex + 1", static_cast<std::int64_t>(covered),
           {"whole pieces of ", length, " elements with gaps of ", slice.stride}, where);
  }
  return {(covered + slice.stride) / pitch, slice.startIndex, pitch};
}

/// A slice of a tensor of up to eight dimensions.
class Slice {
 public:
  static constexpr std::uint32_t kMaxDimensions = 8;

  Slice(const AscendC::SliceInfo* info, std::uint32_t dimensions, std::uint64_t element,
        Location where)
      : element_(element), dimensions_(std::min(dimensions, kMaxDimensions)) {
    std::uint64_t elements = 1;
    for (std::uint32_t i = 0; i < dimensions_; ++i) {
      if (i > 0) require_range("DataCopy", "burstLen", info[i].burstLen, 1, 1, where);
      const std::uint64_t length =
          i == 0 ? info[i].burstLen * std::uint64_t{isa::kBlockBytes} / element : 1;
      pieces_[i] = slice_pieces(info[i], length, where);
      elements_of_[i] = elements;
      elements *= info[i].shapeValue;
    }
  }

  std::uint64_t count(std::uint32_t dimension) const { return pieces_[dimension].count; }
  /// Rows: the pieces of all dimensions but the first.
  std::uint64_t rows() const {
    std::uint64_t rows = 1;
    for (std::uint32_t i = 1; i < dimensions_; ++i) rows *= pieces_[i].count;
    return rows;
  }
  std::int64_t pitch() const { return static_cast<std::int64_t>(pieces_[0].pitch * element_); }
  /// Bytes from the tensor's start to the first piece of row `row`.
  std::uint64_t offset(std::uint64_t row) const {
    std::uint64_t at = pieces_[0].start;
    for (std::uint32_t i = 1; i < dimensions_; ++i) {
      at += (pieces_[i].start + row % pieces_[i].count * pieces_[i].pitch) * elements_of_[i];
      row /= pieces_[i].count;
    }
    return at * element_;
  }

 private:
  std::uint64_t element_;
  std::uint32_t dimensions_;
  std::array<SlicePieces, kMaxDimensions> pieces_{};
  std::array<std::uint64_t, kMaxDimensions> elements_of_{};  ///< in a step of each dimension
};

/// A slice of one tensor to a slice of another: a move a row.
inline void emit_slices(const CopyPath& path, const isa::Operand& dst, const isa::Operand& src,
                        const AscendC::SliceInfo* dst_info, const AscendC::SliceInfo* src_info,
                        std::uint32_t dimensions, Location where) {
  require_range("DataCopy", "dimValue", dimensions, 1, Slice::kMaxDimensions, where);
  const std::uint64_t element = isa::dtype_bytes(src.type);
  const Slice from(src_info, dimensions, element, where), to(dst_info, dimensions, element, where);
  for (std::uint32_t i = 0; i < dimensions; ++i) {
    if (src_info[i].burstLen != dst_info[i].burstLen || from.count(i) != to.count(i)) {
      refuse("DataCopy", "pieces of a dimension of the source slice",
             static_cast<std::int64_t>(from.count(i)),
             {"as many as in the destination's, ", to.count(i), ", with the same burstLen"}, where);
    }
  }
  isa::MoveParams move;
  move.burst_bytes = src_info[0].burstLen * isa::kBlockBytes;
  move.src_pitch = from.pitch();
  move.dst_pitch = to.pitch();
  for (std::uint64_t row = 0; row < from.rows(); ++row) {
    isa::Operand source = src, target = dst;
    source.addr += from.offset(row);
    target.addr += to.offset(row);
    emit_rows(path, target, source, move, static_cast<std::uint32_t>(from.count(0)), where);
  }
}

/// Element types of the forms here.
template <typename T>
inline constexpr bool kCanReshape =
    isa::dtype_bytes(dtype_of<T>()) != 0 && isa::dtype_bytes(dtype_of<T>()) <= 4;

}  // namespace davsim::api

namespace AscendC {

/// Row-major matrices in GM to NZ fractals in L1 or UB. int4b_t is given in bytes.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  davsim::api::emit_nd2nz_anywhere(dst.Operand(), src.Operand(), intriParams, where);
}

/// NZ matrices in UB, columns of 16 elements, to row-major ones in GM; types of 16 and 32 bits.
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src,
              const Nz2NdParamsFull& intriParams,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanReshape<T> && davsim::api::kElementBytes<T> != 1,
                "DataCopy (NZ2ND): element types of 16 and 32 bits");
  davsim::api::emit_nz2nd(dst.Operand(), src.Operand(), intriParams, where);
}

/// A slice of a tensor in GM to a slice of one in UB, dimension 0 innermost. Addresses and gaps in
/// UB are whole DataBlocks, in GM any.
template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const std::uint32_t dimValue = 1,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanReshape<T>, "DataCopy (slices): types of 8, 16 and 32 bits");
  davsim::api::emit_slices({davsim::isa::Opcode::kMoveGmToUbPad, davsim::isa::Pipe::MTE2},
                           dst.Operand(), src.Operand(), dstSliceInfo, srcSliceInfo, dimValue,
                           where);
}

/// The other way round.
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const std::uint32_t dimValue = 1,
              davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::kCanReshape<T>, "DataCopy (slices): types of 8, 16 and 32 bits");
  davsim::api::emit_slices({davsim::isa::Opcode::kMoveUbToGmPad, davsim::isa::Pipe::MTE3},
                           dst.Operand(), src.Operand(), dstSliceInfo, srcSliceInfo, dimValue,
                           where);
}

}  // namespace AscendC
