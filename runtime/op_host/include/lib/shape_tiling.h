// Temporary buffers and tilings of reductions, running sums, padding, transposition, masks and
// AscendAntiQuant. Sizes are in bytes; typeSize is the bytes of an element.
#pragma once

#include "graph/types.h"
#include "lib/rows_tiling.h"

namespace AscendC {

/// Another name of shapes.
using TensorShape = ge::Shape;

#define DAVSIM_REDUCTION_SIZES(Name)                                                           \
  void Get##Name##MaxMinTmpSize(const ge::Shape& srcShape, ge::DataType dataType,              \
                                ReducePattern pattern, bool isSrcInnerPad, bool isReuseSource, \
                                uint32_t& maxValue, uint32_t& minValue);
/// Of two dimensions.
DAVSIM_REDUCTION_SIZES(ReduceSum)
DAVSIM_REDUCTION_SIZES(ReduceMean)
DAVSIM_REDUCTION_SIZES(ReduceMax)
DAVSIM_REDUCTION_SIZES(ReduceMin)
DAVSIM_REDUCTION_SIZES(ReduceProd)
DAVSIM_REDUCTION_SIZES(ReduceAny)
DAVSIM_REDUCTION_SIZES(ReduceAll)
#undef DAVSIM_REDUCTION_SIZES

/// Of [outter, inner].
void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isLastAxis,
                            bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);
void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue);

/// Of [height, width].
void GetPadMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                         uint32_t& minValue);
void PadTilingFunc(const ge::Shape& srcShape, const ge::Shape& oriSrcShape,
                   uint32_t stackBufferSize, uint32_t typeSize, optiling::PadTiling& tiling);
void PadTilingFunc(const ge::Shape& srcShape, const ge::Shape& oriSrcShape,
                   uint32_t stackBufferSize, uint32_t typeSize, tiling::PadTiling& tiling);
void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                           const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                           uint32_t& minValue);
void UnPadTilingFunc(const ge::Shape& srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                     optiling::UnPadTiling& tiling);
void UnPadTilingFunc(const ge::Shape& srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                     tiling::UnPadTiling& tiling);

/// transposeTypeIn is the number of the TransposeType: 1 to 6 of [B, N, S, H / N], 7 of [H, W].
void GetTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                               uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue);
void GetTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                            uint32_t transposeTypeIn, optiling::ConfusionTransposeTiling& tiling);
void GetTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize, uint32_t typeSize,
                            uint32_t transposeTypeIn, tiling::ConfusionTransposeTiling& tiling);
/// Of 16-bit elements. False for other formats than those of TransData, or another type.
bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                               const ge::Shape& srcShape, const ge::Shape& dstShape,
                               const ge::DataType dataType, const TransDataConfig& config,
                               uint32_t& maxValue, uint32_t& minValue);
/// Older names.
inline void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                               uint32_t transposeTypeIn, uint32_t& maxValue,
                                               uint32_t& minValue) {
  GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
template <class Tiling>
void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                     uint32_t typeSize, uint32_t transposeTypeIn, Tiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
template <class Tiling>
void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                         uint32_t typeSize, Tiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}

uint32_t GetDropOutMaxTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource);
uint32_t GetDropOutMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource);
void GetDropOutMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                             uint32_t& maxValue, uint32_t& minValue);

/// The source that is a scalar has the shape {1}.
uint32_t GetSelectMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                             uint32_t srcTypeSize, const ge::Shape& maskShape,
                             uint32_t maskTypeSize, bool isReuseMask);
uint32_t GetSelectMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                             uint32_t srcTypeSize, const ge::Shape& maskShape,
                             uint32_t maskTypeSize, bool isReuseMask);
void GetSelectMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                            uint32_t srcTypeSize, const ge::Shape& maskShape, uint32_t maskTypeSize,
                            bool isReuseMask, uint32_t& maxValue, uint32_t& minValue);
/// Older names.
uint32_t GetSelectWithBytesMaskMaxTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
uint32_t GetSelectWithBytesMaskMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                          uint32_t srcTypeSize, const ge::Shape& maskShape,
                                          uint32_t maskTypeSize, bool isReuseMask);
void GetSelectWithBytesMaskMaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,
                                         uint32_t srcTypeSize, const ge::Shape& maskShape,
                                         uint32_t maskTypeSize, bool isReuseMask,
                                         uint32_t& maxValue, uint32_t& minValue);

void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                     bool isTranspose, ge::DataType inputDataType,
                                     ge::DataType outputDataType, uint32_t& maxValue,
                                     uint32_t& minValue);
/// In bytes: an element of the source has one, or half of one.
void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                           bool isTranspose, ge::DataType inputDataType,
                                           ge::DataType outputDataType, uint32_t& maxLiveNodeCount,
                                           uint32_t& extraBuf);
uint32_t GetAscendAntiQuantMaxTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);
uint32_t GetAscendAntiQuantMinTmpSize(const ge::Shape& srcShape, const ge::Shape& scaleShape,
                                      bool isTranspose, ge::DataType inputDataType,
                                      ge::DataType outputDataType);

}  // namespace AscendC
