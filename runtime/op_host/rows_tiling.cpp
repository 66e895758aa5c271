#include "lib/rows_tiling.h"

#include <algorithm>

#include "kernel_tiling/library_sizes.h"
#include "runtime/op_host/tiling_shape.hpp"

namespace AscendC {

namespace {

namespace sizes = davsim::sizes;

using op_host::Bsh;
using op_host::bsh_of;
using op_host::rounded;

void norm_sizes(const Bsh& shape, std::uint32_t& most, std::uint32_t& least) {
  const std::uint32_t rows = shape.b * shape.s;
  most = rounded(sizes::norm(rows, shape.h));
  least = rounded(sizes::norm(std::min(rows, 16u), shape.h));
}

std::uint32_t norm_rows(const Bsh& shape, std::uint32_t room) {
  return sizes::most_rows(shape.b * shape.s, room,
                          [&](std::uint32_t rows) { return sizes::norm(rows, shape.h); });
}

/// Rows of `width` elements of the whole shape.
std::uint32_t rows_of(const ge::Shape& shape, std::uint32_t width) {
  return width == 0 ? 0 : static_cast<std::uint32_t>(shape.GetShapeSize() / width);
}

void quantisation_sizes(const ge::Shape& shape, std::uint32_t& most, std::uint32_t& least) {
  const std::uint32_t width = bsh_of(shape).h;
  least = rounded(sizes::quantisation(1, width));
  most = rounded(sizes::quantisation(std::max(rows_of(shape, width), 1u), width));
}

}  // namespace

void GetLayerNormMaxMinTmpSize(const ge::Shape& shape, uint32_t, bool, uint32_t& most,
                               uint32_t& least) {
  norm_sizes(bsh_of(shape), most, least);
}

void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t, bool,
                              tiling::LayerNormTiling& tiling) {
  const Bsh dims = bsh_of(shape);
  tiling = {};
  tiling.bLength = dims.b;
  tiling.sLength = dims.s;
  tiling.hLength = dims.h;
  tiling.originalHLength = dims.counting;
  tiling.inputXSize = dims.b * dims.s * dims.h;
  tiling.meanVarSize = dims.b * dims.s;
  tiling.tmpBufSize = room / 4;
  tiling.bsCurLength = norm_rows(dims, room);
  tiling.bshCurLength = tiling.bsCurLength * dims.h;
  tiling.lastDimValueBack = dims.counting == 0 ? 0 : 1.0f / static_cast<float>(dims.counting);
}
void GetLayerNormNDTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, bool reuse,
                              optiling::LayerNormTiling& tiling) {
  tiling::LayerNormTiling made;
  GetLayerNormNDTilingInfo(shape, room, size, reuse, made);
#define DAVSIM_SET(name) tiling.set_##name(made.name);
  DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_SET)
#undef DAVSIM_SET
  tiling.set_lastDimValueBack(made.lastDimValueBack);
}

bool GetRmsNormMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& most, uint32_t& least,
                             bool) {
  const Bsh dims = bsh_of(shape);
  if (dims.b == 0 || dims.s == 0 || dims.h == 0) return false;
  norm_sizes(dims, most, least);
  return true;
}

bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room, uint32_t,
                          tiling::RmsNormTiling& tiling, bool) {
  const Bsh dims = bsh_of(shape), counting = bsh_of(origin);
  const std::uint32_t rows = norm_rows(dims, room);
  if (rows == 0 || counting.h == 0 || counting.h > dims.h) return false;
  tiling = {};
  tiling.bLength = dims.b;
  tiling.sLength = dims.s;
  tiling.hLength = dims.h;
  tiling.originalHLength = counting.h;
  tiling.reciprocalOfHLength = 1.0f / static_cast<float>(counting.h);
  tiling.mainBsLength = rows;
  tiling.mainBsLengthAlign = sizes::up(rows, 8);
  tiling.mainBshLength = rows * dims.h;
  tiling.loopRound = dims.b * dims.s / rows;
  tiling.inputTailPos = tiling.loopRound * tiling.mainBshLength;
  tiling.tailBsLength = dims.b * dims.s % rows;
  tiling.tailBshLength = tiling.tailBsLength * dims.h;
  return true;
}
bool GetRmsNormTilingInfo(const ge::Shape& shape, const ge::Shape& origin, uint32_t room,
                          uint32_t size, optiling::RmsNormTiling& tiling, bool basic) {
  tiling::RmsNormTiling made;
  if (!GetRmsNormTilingInfo(shape, origin, room, size, made, basic)) return false;
#define DAVSIM_SET(name) tiling.set_##name(made.name);
  DAVSIM_SET(bLength)
  DAVSIM_SET(sLength)
  DAVSIM_SET(hLength)
  DAVSIM_SET(originalHLength)
  DAVSIM_SET(reciprocalOfHLength)
  DAVSIM_RMS_NORM_TILING_FIELDS(DAVSIM_SET)
#undef DAVSIM_SET
  return true;
}

void GetSumMaxMinTmpSize(uint32_t n, uint32_t size, bool, uint32_t& most, uint32_t& least) {
  least = most = rounded(sizes::reduce(16, n, size == 2));
}
void GetReduceXorSumMaxMinTmpSize(const ge::Shape& shape, const uint32_t, const bool,
                                  uint32_t& most, uint32_t& least) {
  least = most = rounded(sizes::xor_sum(static_cast<uint32_t>(shape.GetShapeSize())));
}
void GetMeanMaxMinTmpSize(uint32_t n, uint32_t size, uint32_t, bool reuse, uint32_t& most,
                          uint32_t& least) {
  GetSumMaxMinTmpSize(n, size, reuse, most, least);
}
void GetMeanTmpBufferFactorSize(uint32_t size, uint32_t& factor, uint32_t& extra) {
  constexpr std::uint32_t kRow = 4096;
  std::uint32_t most = 0;
  GetSumMaxMinTmpSize(16, size, false, extra, most);
  GetSumMaxMinTmpSize(kRow, size, false, most, most);
  factor = (most + kRow * size - 1) / (kRow * size);
}
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&,
                               const ge::Shape& dst, uint32_t size, bool, uint32_t& most,
                               uint32_t& least) {
  const std::uint32_t width = bsh_of(dst).h;
  least = most =
      rounded(sizes::broadcast(dst.GetDimNum() > 1 ? rows_of(dst, width) : 1, width, size));
}
void GetAscendQuantMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& most,
                                 uint32_t& least) {
  quantisation_sizes(shape, most, least);
}
void GetAscendQuantTmpBufferFactorSize(uint32_t& factor, uint32_t& extra) {
  constexpr std::uint32_t kLeastBytes = 2;  // of an element
  constexpr std::uint32_t kElement = sizes::quantisation(1, 32) - sizes::quantisation(1, 16);
  factor = kElement / 16 / kLeastBytes;
  constexpr std::uint32_t kRounding = 512;  // of the row and of the size
  extra = rounded(sizes::quantisation(1, 16)) + kRounding;
}
void GetAscendDequantTmpBufferFactorSize(const ge::Shape&, uint32_t& factor, uint32_t& extra) {
  GetAscendQuantTmpBufferFactorSize(factor, extra);
}
void GetAscendDequantMaxMinTmpSize(const ge::Shape& shape, uint32_t, uint32_t& most,
                                   uint32_t& least) {
  quantisation_sizes(shape, most, least);
}
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outter,
                          bool, bool, TopKMode mode, bool, uint32_t, uint32_t& most,
                          uint32_t& least) {
  if (inner <= 0 || outter <= 0) return false;
  least = most = rounded(sizes::top_k(static_cast<std::uint32_t>(inner)));
  if (mode == TopKMode::TOPK_NSMALL) {
    const auto rows = static_cast<std::uint32_t>(outter);
    least = rounded(sizes::small_top_k(std::min(rows, sizes::kSmallTopKRows)));
    most = rounded(sizes::small_top_k(rows));
  }
  return true;
}

bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, int32_t inner, int32_t outter,
                    int32_t k, uint32_t size, bool, TopKMode mode, bool,
                    tiling::TopkTiling& tiling) {
  if (inner <= 0 || outter <= 0 || k < 1 || k > inner || size == 0) return false;
  tiling = {};
  const std::uint64_t bytes = mode == TopKMode::TOPK_NSMALL
                                  ? sizes::small_top_k(static_cast<std::uint32_t>(outter))
                                  : sizes::top_k(static_cast<std::uint32_t>(inner));
  tiling.tmpLocalSize = static_cast<int32_t>(bytes / size);
  tiling.allDataSize = inner * outter;
  tiling.innerDataSize = inner;
  tiling.sortRepeat = inner / 32;
  tiling.kAlignFourBytes = (k + 7) / 8 * 8;
  tiling.kAlignTwoBytes = (k + 15) / 16 * 16;
  return true;
}
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, int32_t inner,
                    int32_t outter, int32_t k, uint32_t size, bool index, TopKMode mode,
                    bool largest, optiling::TopkTiling& tiling) {
  tiling::TopkTiling made;
  if (!TopKTilingFunc(platform, inner, outter, k, size, index, mode, largest, made)) return false;
#define DAVSIM_SET(name) tiling.set_##name(made.name);
  DAVSIM_TOPK_TILING_FIELDS(DAVSIM_SET)
#undef DAVSIM_SET
  return true;
}

uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t count, uint32_t) {
  constexpr std::uint32_t kPairBytes = 8;
  return rounded(std::uint64_t{count} * kPairBytes);
}
uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, uint32_t, uint32_t) {
  return rounded(0);
}

}  // namespace AscendC
