#include "lib/shape_tiling.h"

#include <algorithm>

#include "kernel_tiling/library_sizes.h"
#include "runtime/op_host/tiling_shape.hpp"

namespace AscendC {

namespace {

namespace sizes = davsim::sizes;
using op_host::rounded;

/// The last dimension, and how many rows of it there are.
struct ShapeRows {
  std::uint32_t rows = 1, width = 1;
  std::uint32_t all() const { return rows * width; }
};
ShapeRows shape_rows(const ge::Shape& shape) {
  ShapeRows made;
  if (shape.GetDimNum() == 0) return made;
  made.width =
      static_cast<std::uint32_t>(std::max<std::int64_t>(shape.GetDim(shape.GetDimNum() - 1), 1));
  made.rows =
      static_cast<std::uint32_t>(std::max<std::int64_t>(shape.GetShapeSize() / made.width, 1));
  return made;
}

enum class ReductionKind { kNumbers, kProduct, kTruth };

void reduction(const ge::Shape& shape, ge::DataType type, ReducePattern pattern, ReductionKind kind,
               std::uint32_t& most, std::uint32_t& least) {
  const ShapeRows s = shape_rows(shape);
  const bool along_rows = pattern == ReducePattern::AR;
  const std::uint32_t few = std::min(s.rows, 16u);
  const bool half = type == ge::DT_FLOAT16;
  if (kind == ReductionKind::kTruth && type != ge::DT_FLOAT) {
    const std::uint32_t wide = sizes::up(s.width, 32), held = along_rows ? s.rows : s.width;
    least = rounded(sizes::byte_reduction(1, wide, held));
    most = rounded(sizes::byte_reduction(s.rows, wide, held));
  } else if (!along_rows) {
    least = most = rounded(0);
  } else if (kind == ReductionKind::kProduct) {
    least = rounded(sizes::product(few));
    most = rounded(sizes::product(s.rows));
  } else {
    least = rounded(sizes::reduce(few, s.width, half));
    most = rounded(sizes::reduce(s.rows, s.width, half));
  }
  most = std::max(most, least);
}

/// As antiquantise() of the library counts: rows of the last dimension, which each group of a row
/// is where `transposed`, and the scales. At a time, `most` rows.
uint32_t antiquant_bytes(const ge::Shape& shape, const ge::Shape& scale, bool transposed,
                         std::uint32_t most) {
  const ShapeRows s = shape_rows(shape);
  const std::uint32_t held = shape_rows(scale).all();
  const bool grouped = transposed && held > s.rows;
  const std::uint32_t rows = grouped ? held : s.rows, width = grouped ? s.all() / held : s.width;
  return rounded(sizes::quantisation(std::min(rows, most), width) + 8ull * sizes::up(held, 16) +
                 (transposed ? 2ull * 32 * sizes::up(rows, 16) : 0));
}

}  // namespace

#define DAVSIM_REDUCTION_SIZES(Name, kind)                                                        \
  void Get##Name##MaxMinTmpSize(const ge::Shape& shape, ge::DataType type, ReducePattern pattern, \
                                bool, bool, uint32_t& most, uint32_t& least) {                    \
    reduction(shape, type, pattern, ReductionKind::kind, most, least);                            \
  }
DAVSIM_REDUCTION_SIZES(ReduceSum, kNumbers)
DAVSIM_REDUCTION_SIZES(ReduceMean, kNumbers)
DAVSIM_REDUCTION_SIZES(ReduceMax, kNumbers)
DAVSIM_REDUCTION_SIZES(ReduceMin, kNumbers)
DAVSIM_REDUCTION_SIZES(ReduceProd, kProduct)
DAVSIM_REDUCTION_SIZES(ReduceAny, kTruth)
DAVSIM_REDUCTION_SIZES(ReduceAll, kTruth)
#undef DAVSIM_REDUCTION_SIZES

void GetCumSumMaxMinTmpSize(const ge::Shape& shape, uint32_t size, bool last, bool, uint32_t& most,
                            uint32_t& least) {
  const std::uint32_t width = sizes::up(shape_rows(shape).width, 16);
  if (last) {
    least = rounded(sizes::running_sums(16));
    most = rounded(sizes::running_sums(width));
  } else {
    least = most = rounded(size == 2 ? 2 * 4ull * width : 0);
  }
}
void GetArithProgressionMaxMinTmpSize(uint32_t& most, uint32_t& least) {
  most = least = 0;
}
void GetArangeMaxMinTmpSize(uint32_t& most, uint32_t& least) {
  most = least = 0;
}

void GetPadMaxMinTmpSize(const ge::Shape& shape, uint32_t size, uint32_t& most, uint32_t& least) {
  least = most =
      rounded(sizes::pad(sizes::up(shape_rows(shape).width, size == 0 ? 32 : 32 / size)));
}
void PadTilingFunc(const ge::Shape& shape, const ge::Shape& origin, uint32_t, uint32_t,
                   tiling::PadTiling& tiling) {
  const ShapeRows s = shape_rows(shape);
  tiling = {};
  tiling.srcHeight = s.rows;
  tiling.srcWidth = s.width;
  tiling.srcOriWidth = shape_rows(origin).width;
}
void PadTilingFunc(const ge::Shape& shape, const ge::Shape& origin, uint32_t room, uint32_t size,
                   optiling::PadTiling& tiling) {
  tiling::PadTiling made;
  PadTilingFunc(shape, origin, room, size, made);
  tiling.set_srcHeight(made.srcHeight);
  tiling.set_srcWidth(made.srcWidth);
  tiling.set_srcOriWidth(made.srcOriWidth);
}
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape&, uint32_t,
                           uint32_t& most, uint32_t& least) {
  most = least = 0;
}
void UnPadTilingFunc(const ge::Shape& shape, uint32_t, uint32_t, tiling::UnPadTiling& tiling) {
  const ShapeRows s = shape_rows(shape);
  tiling = {};
  tiling.srcHeight = s.rows;
  tiling.srcWidth = s.width;
}
void UnPadTilingFunc(const ge::Shape& shape, uint32_t, uint32_t, optiling::UnPadTiling& tiling) {
  const ShapeRows s = shape_rows(shape);
  tiling.set_srcHeight(s.rows);
  tiling.set_srcWidth(s.width);
}

void GetTransposeMaxMinTmpSize(const ge::Shape&, uint32_t, uint32_t, uint32_t& most,
                               uint32_t& least) {
  most = least = rounded(0);
}
bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& from,
                               const ge::Shape& to, const ge::DataType type,
                               const TransDataConfig& config, uint32_t& most, uint32_t& least) {
  const auto letters = [](DataFormat format) -> std::size_t {
    if (format == DataFormat::NCDHW) return 5;
    if (format == DataFormat::NDC1HWC0) return 6;
    return format == DataFormat::FRACTAL_Z_3D ? 7 : 0;
  };
  const std::size_t in = letters(config.srcFormat), out = letters(config.dstFormat);
  const bool of_16_bits = type == ge::DT_FLOAT16 || type == ge::DT_BF16 || type == ge::DT_INT16 ||
                          type == ge::DT_UINT16;
  if (in == 0 || out == 0 || (in == 5) == (out == 5) || from.GetDimNum() != in ||
      to.GetDimNum() != out || !of_16_bits) {
    return false;
  }
  most = least = rounded(sizes::formats());
  return true;
}
void GetTransposeTilingInfo(const ge::Shape& shape, uint32_t, uint32_t size, uint32_t type,
                            tiling::ConfusionTransposeTiling& tiling) {
  constexpr uint32_t kMatrix = 7, kSide = 16;
  const auto dim = [&](std::size_t i) { return static_cast<std::uint32_t>(shape.GetDim(i)); };
  tiling = {};
  if (type != kMatrix) {
    tiling.param0 = dim(0);
    tiling.param1 = dim(1);
    tiling.param2 = dim(2);
    tiling.param3 = dim(3);
    return;
  }
  const std::uint32_t block = size == 0 ? 1 : 32 / size;
  tiling.param0 = block;
  tiling.param1 = dim(0);
  tiling.param2 = dim(1);
  tiling.param3 = dim(0) / kSide;
  tiling.param4 = dim(0);
  tiling.param5 = dim(1) / block;
}
void GetTransposeTilingInfo(const ge::Shape& shape, uint32_t room, uint32_t size, uint32_t type,
                            optiling::ConfusionTransposeTiling& tiling) {
  tiling::ConfusionTransposeTiling made;
  GetTransposeTilingInfo(shape, room, size, type, made);
#define DAVSIM_SET(name) tiling.set_##name(made.name);
  DAVSIM_TRANSPOSE_TILING_FIELDS(DAVSIM_SET)
#undef DAVSIM_SET
}

uint32_t GetDropOutMaxTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return rounded(sizes::byte_mask(shape_rows(shape).all(), false));
}
uint32_t GetDropOutMinTmpSize(const ge::Shape& shape, uint32_t, bool) {
  return rounded(sizes::byte_mask(shape_rows(shape).width, false));
}
void GetDropOutMaxMinTmpSize(const ge::Shape& shape, uint32_t size, bool reuse, uint32_t& most,
                             uint32_t& least) {
  most = GetDropOutMaxTmpSize(shape, size, reuse);
  least = GetDropOutMinTmpSize(shape, size, reuse);
}

uint32_t GetSelectMaxTmpSize(const ge::Shape& src0, const ge::Shape& src1, uint32_t,
                             const ge::Shape&, uint32_t mask_size, bool) {
  const std::uint32_t all = std::max(shape_rows(src0).all(), shape_rows(src1).all());
  return rounded(sizes::byte_mask(all, mask_size == 4));
}
uint32_t GetSelectMinTmpSize(const ge::Shape& src0, const ge::Shape& src1, uint32_t,
                             const ge::Shape&, uint32_t mask_size, bool) {
  const std::uint32_t width = std::max(shape_rows(src0).width, shape_rows(src1).width);
  return rounded(sizes::byte_mask(width, mask_size == 4));
}
void GetSelectMaxMinTmpSize(const ge::Shape& src0, const ge::Shape& src1, uint32_t size,
                            const ge::Shape& mask, uint32_t mask_size, bool reuse, uint32_t& most,
                            uint32_t& least) {
  most = GetSelectMaxTmpSize(src0, src1, size, mask, mask_size, reuse);
  least = GetSelectMinTmpSize(src0, src1, size, mask, mask_size, reuse);
}
uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0, const ge::Shape& src1,
                                          uint32_t size, const ge::Shape& mask, uint32_t mask_size,
                                          bool reuse) {
  return GetSelectMaxTmpSize(src0, src1, size, mask, mask_size, reuse);
}
uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape& src0, const ge::Shape& src1,
                                          uint32_t size, const ge::Shape& mask, uint32_t mask_size,
                                          bool reuse) {
  return GetSelectMinTmpSize(src0, src1, size, mask, mask_size, reuse);
}
void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0, const ge::Shape& src1,
                                         uint32_t size, const ge::Shape& mask, uint32_t mask_size,
                                         bool reuse, uint32_t& most, uint32_t& least) {
  GetSelectMaxMinTmpSize(src0, src1, size, mask, mask_size, reuse, most, least);
}

uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& shape, const ge::Shape& scale,
                                      bool transposed, ge::DataType, ge::DataType) {
  return antiquant_bytes(shape, scale, transposed, UINT32_MAX);
}
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& shape, const ge::Shape& scale,
                                      bool transposed, ge::DataType, ge::DataType) {
  return antiquant_bytes(shape, scale, transposed, transposed ? 8 : 1);
}
void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& shape, const ge::Shape& scale,
                                     bool transposed, ge::DataType in, ge::DataType out,
                                     uint32_t& most, uint32_t& least) {
  most = GetAscendAntiQuantMaxTmpSize(shape, scale, transposed, in, out);
  least = GetAscendAntiQuantMinTmpSize(shape, scale, transposed, in, out);
}
void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape& shape, const ge::Shape& scale,
                                           bool transposed, ge::DataType in, ge::DataType out,
                                           uint32_t& factor, uint32_t& extra) {
  const auto elements = static_cast<std::uint32_t>(std::max<std::int64_t>(shape.GetShapeSize(), 1));
  extra = 0;
  factor =
      (GetAscendAntiQuantMaxTmpSize(shape, scale, transposed, in, out) + elements - 1) / elements;
}

}  // namespace AscendC
