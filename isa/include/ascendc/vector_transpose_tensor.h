// Transpose with TransposeParamsExt: [N, C, H, W] to [N, H, W, C] and back, out of tiles.
//
// A plane of H x W elements is cut into DataBlocks. Sixteen of them (8-bit elements: thirty-two)
// are the lanes of a transposition. A row of the temporary space then holds one element of each
// lane. The rows of all channels are put in the order of the result and transposed back.
#pragma once

#include "ascendc/vector_transpose.h"
#include "isa/numeric/min_max.hpp"

namespace AscendC {

enum class TransposeType : std::uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,  ///< 16 x 16
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW,
};

struct TransposeParamsExt {
  TransposeParamsExt() = default;
  TransposeParamsExt(const std::uint16_t nSizeIn, const std::uint16_t cSizeIn,
                     const std::uint16_t hSizeIn, const std::uint16_t wSizeIn,
                     const TransposeType transposeTypeIn)
      : nSize(nSizeIn),
        cSize(cSizeIn),
        hSize(hSizeIn),
        wSize(wSizeIn),
        transposeType(transposeTypeIn) {}

  std::uint16_t nSize = 0;
  std::uint16_t cSize = 0;  ///< 0 to 4095
  std::uint16_t hSize = 0;  ///< hSize * wSize: 0 to 4095, in bytes a multiple of 32
  std::uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

}  // namespace AscendC

namespace davsim::api {

/// Transposes the planes of one image at a time.
template <typename T>
class ImageTranspose {
 public:
  ImageTranspose(std::uint64_t dst, std::uint64_t src, std::uint64_t tmp,
                 const AscendC::TransposeParamsExt& params, Location where)
      : dst_(dst / isa::kBlockBytes),
        src_(src / isa::kBlockBytes),
        tmp_(tmp / isa::kBlockBytes),
        channels_(params.cSize),
        plane_(std::uint32_t{params.hSize} * params.wSize * kElementBytes<T> / isa::kBlockBytes),
        where_(where) {}

  void nchw_to_nhwc() {
    for (std::uint32_t first = 0; first < plane_; first += kLanes) {
      lanes_ = std::min(plane_ - first, kLanes);
      // Element e of the DataBlock of channel c becomes row e * channels + c.
      for (Tile& tile : tiles()) {
        spread(
            tile, [&](std::uint32_t lane) { return src_ + first + lane; }, plane_,
            [&](std::uint32_t element) { return row(element * channels_); }, kRowBlocks);
      }
      PipeBarrier();
      // Rows p, p + 1, ... of a lane follow each other in the result.
      for (Tile& tile : tiles()) {
        collect(
            tile, [&](std::uint32_t element) { return row(element); }, kElements * kRowBlocks,
            [&](std::uint32_t lane) { return dst_ + (first + lane) * channels_; }, 1);
      }
      PipeBarrier();
    }
  }

  void nhwc_to_nchw() {
    for (std::uint32_t first = 0; first < plane_; first += kLanes) {
      lanes_ = std::min(plane_ - first, kLanes);
      for (Tile& tile : tiles()) {
        spread(
            tile, [&](std::uint32_t lane) { return src_ + (first + lane) * channels_; }, 1,
            [&](std::uint32_t element) { return row(element); }, kElements * kRowBlocks);
      }
      PipeBarrier();
      for (Tile& tile : tiles()) {
        collect(
            tile, [&](std::uint32_t element) { return row(element * channels_); }, kRowBlocks,
            [&](std::uint32_t lane) { return dst_ + first + lane; }, plane_);
      }
      PipeBarrier();
    }
  }

  /// The next image.
  void advance() {
    dst_ += plane_ * channels_;
    src_ += plane_ * channels_;
  }

 private:
  /// Elements of a DataBlock, lanes of a row of the temporary space, and DataBlocks of such a row.
  static constexpr std::uint32_t kElements = isa::kBlockBytes / kElementBytes<T>;
  static constexpr std::uint32_t kLanes = kElementBytes<T> == 1 ? 32 : 16;
  static constexpr std::uint32_t kRowBlocks = kLanes * kElementBytes<T> / isa::kBlockBytes;

  /// Which sixteen lanes and, of 8-bit types, which sixteen elements a TransDataTo5HD handles.
  struct Tile {
    bool upper_lanes = false, upper_elements = false;
  };
  static std::array<Tile, kElementBytes<T> == 1 ? 4 : 1>& tiles() {
    static std::array<Tile, kElementBytes<T> == 1 ? 4 : 1> all = [] {
      std::array<Tile, kElementBytes<T> == 1 ? 4 : 1> list{};
      for (std::size_t i = 0; i < list.size(); ++i) list[i] = {i / 2 == 1, i % 2 == 1};
      return list;
    }();
    return all;
  }

  std::uint32_t row(std::uint32_t number) const { return tmp_ + number * kRowBlocks; }
  /// Lanes that there are not repeat the last one: what they write is written there anyway.
  std::uint32_t lane_of(const Tile& tile, std::uint32_t i) const {
    return std::min(i + (tile.upper_lanes ? 16u : 0u), lanes_ - 1);
  }

  /// DataBlocks of lanes to rows, for all channels.
  template <class LaneAt, class RowAt>
  void spread(const Tile& tile, LaneAt lane_at, std::uint32_t lane_step, RowAt row_at,
              std::uint32_t row_step) {
    TransposeBlocks lanes, rows;
    for (std::uint32_t i = 0; i < isa::kTransposeBlocks; ++i) {
      lanes[i] = narrow(lane_at(lane_of(tile, i)));
      // Of 32-bit elements a row is two DataBlocks, lanes 0 to 7 and 8 to 15.
      const std::uint32_t element = i / kRowBlocks + (tile.upper_elements ? 16u : 0u);
      rows[i] = narrow(row_at(element) + i % kRowBlocks);
    }
    repeat(rows, row_step, lanes, lane_step, tile.upper_lanes, tile.upper_elements);
  }

  /// Rows back to DataBlocks of lanes.
  template <class RowAt, class LaneAt>
  void collect(const Tile& tile, RowAt row_at, std::uint32_t row_step, LaneAt lane_at,
               std::uint32_t lane_step) {
    TransposeBlocks lanes, rows;
    for (std::uint32_t i = 0; i < isa::kTransposeBlocks; ++i) {
      // Of 32-bit elements eight rows give their lanes 0 to 7, then the same their lanes 8 to 15;
      // the results of both alternate.
      const std::uint32_t row_number =
          kRowBlocks == 2 ? i % kElements : i + (tile.upper_elements ? 16u : 0u);
      const std::uint32_t half = kRowBlocks == 2 ? i / kElements : 0;
      rows[i] = narrow(row_at(row_number) + half);
      const std::uint32_t lane = kRowBlocks == 2 ? i / 2 + i % 2 * 8 : i;
      lanes[i] = narrow(lane_at(lane_of(tile, lane)));
    }
    repeat(lanes, lane_step, rows, row_step, tile.upper_elements, tile.upper_lanes);
  }

  /// One TransDataTo5HD for each 255 channels.
  void repeat(TransposeBlocks dst, std::uint32_t dst_step, TransposeBlocks src,
              std::uint32_t src_step, bool dst_upper, bool src_upper) {
    for (std::uint32_t done = 0; done < channels_;) {
      const std::uint32_t now = std::min(channels_ - done, 255u);
      isa::TransposeParams params{
          dst,       src,      static_cast<std::uint8_t>(now), narrow(dst_step), narrow(src_step),
          dst_upper, src_upper};
      if (now == 1) params.dst_step = params.src_step = 0;  // a single repeat starts a step behind
      emit_transpose<isa::Opcode::kTransDataTo5hd, T>(params, {}, where_);
      for (std::uint16_t& block : dst) block = narrow(block + now * dst_step);
      for (std::uint16_t& block : src) block = narrow(block + now * src_step);
      done += now;
    }
  }

  static std::uint16_t narrow(std::uint64_t blocks) { return static_cast<std::uint16_t>(blocks); }
  void PipeBarrier() { AscendC::PipeBarrier<PIPE_V>(where_); }

  std::uint32_t dst_, src_, tmp_;  ///< DataBlocks of UB
  std::uint32_t channels_;
  std::uint32_t plane_;  ///< DataBlocks of one channel
  std::uint32_t lanes_ = 0;
  Location where_;
};

/// Bytes of temporary space, as documented.
template <typename T>
constexpr std::uint64_t transpose_tmp_bytes(const AscendC::TransposeParamsExt& params) {
  const std::uint64_t tile = (kElementBytes<T> == 1 ? 32u : 16u) * isa::kBlockBytes;
  const bool to_nhwc = params.transposeType == AscendC::TransposeType::TRANSPOSE_NCHW2NHWC;
  return (to_nhwc ? params.cSize + 2u : params.cSize * 2u + 1u) * tile;
}

template <typename T>
void transpose_images(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                      const AscendC::LocalTensor<std::uint8_t>& tmp,
                      const AscendC::TransposeParamsExt& params, Location where) {
  const std::int64_t plane = std::int64_t{params.hSize} * params.wSize;
  require_range("Transpose", "cSize", params.cSize, 0, 4095, where);
  require_range("Transpose", "hSize * wSize", plane, 0, 4095, where);
  if (plane * static_cast<std::int64_t>(kElementBytes<T>) % isa::kBlockBytes != 0) {
    refuse("Transpose", "bytes of hSize * wSize",
           plane * static_cast<std::int64_t>(kElementBytes<T>), "multiples of 32", where);
  }
  if (params.nSize == 0 || params.cSize == 0 || plane == 0) return;
  const auto needed = static_cast<std::int64_t>(transpose_tmp_bytes<T>(params));
  require_range("Transpose", "bytes of sharedTmpBuffer", tmp.GetLength(), needed, UINT32_MAX,
                where);
  transpose_block("Transpose", "dst", dst.GetPhyAddr(), where);
  transpose_block("Transpose", "src", src.GetPhyAddr(), where);
  transpose_block("Transpose", "sharedTmpBuffer", tmp.GetPhyAddr(), where);
  ImageTranspose<T> images(dst.GetPhyAddr(), src.GetPhyAddr(), tmp.GetPhyAddr(), params, where);
  for (std::uint32_t n = 0; n < params.nSize; ++n) {
    if (params.transposeType == AscendC::TransposeType::TRANSPOSE_NCHW2NHWC) {
      images.nchw_to_nhwc();
    } else {
      images.nhwc_to_nchw();
    }
    images.advance();
  }
}

}  // namespace davsim::api

namespace AscendC {

/// TRANSPOSE_ND2ND_B16: 16 x 16 elements of uint16_t, dst may be src. TRANSPOSE_NCHW2NHWC and
/// TRANSPOSE_NHWC2NCHW: images of int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t or
/// float, dst apart from src; sharedTmpBuffer has (cSize + 2) or (2 cSize + 1) tiles of 512 bytes
/// (8-bit types: 1024). TRANSPOSE_TYPE_NONE does nothing; the other types do not exist on 2201.
template <typename T>
void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<std::uint8_t>& sharedTmpBuffer,
               const TransposeParamsExt& transposeParams,
               davsim::api::Location where = davsim::api::Location::current()) {
  if (!davsim::api::core_has(davsim::isa::Pipe::V)) return;
  switch (transposeParams.transposeType) {
    case TransposeType::TRANSPOSE_TYPE_NONE:
      return;
    case TransposeType::TRANSPOSE_ND2ND_B16:
      if constexpr (std::is_same_v<T, std::uint16_t>) return Transpose(dst, src, where);
      davsim::api::refuse("Transpose", "TRANSPOSE_ND2ND_B16: bits of an element of another type",
                          davsim::api::kElementBytes<T> * 8, "those of uint16_t", where);
    case TransposeType::TRANSPOSE_NCHW2NHWC:
    case TransposeType::TRANSPOSE_NHWC2NCHW:
      return davsim::api::transpose_images(dst, src, sharedTmpBuffer, transposeParams, where);
    default:
      davsim::api::refuse(
          "Transpose", "transposeType", static_cast<std::int64_t>(transposeParams.transposeType),
          "0 (NONE), 10 (ND2ND_B16), 11 (NCHW2NHWC) and 12 (NHWC2NCHW) on 2201", where);
  }
}

}  // namespace AscendC
