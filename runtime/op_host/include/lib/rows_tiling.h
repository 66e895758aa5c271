// Temporary buffers and tilings of the functions of the high-level API that work on rows. Shapes
// have rows along their last dimension, typeSize is the bytes of an element. Sizes are in bytes:
// with minValue a few rows are taken at a time, with maxValue all at once.
#pragma once

#include <cstdint>

#include "graph/tensor.h"
#include "kernel_tiling/library_modes.h"
#include "kernel_tiling/library_structs.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

#define DAVSIM_LIBRARY_FIELD(name) TILING_DATA_FIELD_DEF(uint32_t, name);
/// The structs of the kernel API as tiling data.
BEGIN_TILING_DATA_DEF(LayerNormTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
TILING_DATA_FIELD_DEF(float, lastDimValueBack);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(RmsNormTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
TILING_DATA_FIELD_DEF(uint32_t, bLength);
TILING_DATA_FIELD_DEF(uint32_t, sLength);
TILING_DATA_FIELD_DEF(uint32_t, hLength);
TILING_DATA_FIELD_DEF(uint32_t, originalHLength);
TILING_DATA_FIELD_DEF(float, reciprocalOfHLength);
DAVSIM_RMS_NORM_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(GroupNormTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_GROUP_NORM_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
TILING_DATA_FIELD_DEF(float, factor);
TILING_DATA_FIELD_DEF(bool, smallShape);
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(DeepNormTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_LAYER_NORM_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
TILING_DATA_FIELD_DEF(float, lastDimValueBack);
END_TILING_DATA_DEF;

#define DAVSIM_PLAIN_TILING(Name, FIELDS)     \
  BEGIN_TILING_DATA_DEF(Name)                 \
  const char* KernelHeader() const override { \
    return "kernel_tiling/kernel_tiling.h";   \
  }                                           \
  FIELDS(DAVSIM_LIBRARY_FIELD)                \
  END_TILING_DATA_DEF;
DAVSIM_PLAIN_TILINGS(DAVSIM_PLAIN_TILING)
#undef DAVSIM_PLAIN_TILING
#undef DAVSIM_LIBRARY_FIELD

#define DAVSIM_LIBRARY_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name);
BEGIN_TILING_DATA_DEF(TopkTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_TOPK_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
END_TILING_DATA_DEF;

/// LayerNormSeparateTiling, whose reciprocals are floats in the middle.
#define DAVSIM_LIBRARY_FLOAT(name) TILING_DATA_FIELD_DEF(float, name);
#undef DAVSIM_LIBRARY_FIELD
#define DAVSIM_LIBRARY_FIELD(name) TILING_DATA_FIELD_DEF(uint32_t, name);
BEGIN_TILING_DATA_DEF(LayerNormSeparateTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_SEPARATE_NORM_TILING_FIELDS(DAVSIM_LIBRARY_FIELD, DAVSIM_LIBRARY_FLOAT)
END_TILING_DATA_DEF;
#undef DAVSIM_LIBRARY_FLOAT
#undef DAVSIM_LIBRARY_FIELD

}  // namespace optiling

namespace AscendC {

/// Of [B, S, H], or of [B, S, H, the elements of H that count].
void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t& maxValue, uint32_t& minValue);
/// Fills a tiling of it; with fewer dimensions B and S are 1.
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource,
                              optiling::LayerNormTiling& tiling);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource,
                              tiling::LayerNormTiling& tiling);
/// Older spelling.
inline void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool isReuseSource,
                                      optiling::LayerNormTiling& tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}
/// False for a shape without elements.
bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                             uint32_t& minValue, bool isBasicBlock = false);
/// Of [B, S, H], of which the last dimension of originSrcShape counts. False where the buffer has
/// no room for a row.
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          optiling::RmsNormTiling& tiling, bool isBasicBlock = false);
bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                          uint32_t stackBufferByteSize, uint32_t typeSize,
                          tiling::RmsNormTiling& tiling, bool isBasicBlock = false);

/// Of rows of n elements, however many.
void GetSumMaxMinTmpSize(uint32_t n, uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                         uint32_t& minValue);
/// Of the sum of an exclusive or: both are of all elements.
void GetReduceXorSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                  const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetMeanMaxMinTmpSize(uint32_t n, uint32_t typeSize, uint32_t accTypeSize, bool isReuseSource,
                          uint32_t& maxValue, uint32_t& minValue);
/// Of one row.
void GetMeanTmpBufferFactorSize(uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                uint32_t& extraBuffer);
void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform,
                               const ge::Shape& srcShape, const ge::Shape& dstShape,
                               uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue);
void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue);
void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue);
/// Of one row, whose elements have two bytes or more.
void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf);
void GetAscendDequantTmpBufferFactorSize(const ge::Shape& srcShape, uint32_t& maxLiveNodeCount,
                                         uint32_t& extraBuf);
/// False for a shape without elements.
bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC& platform, int32_t inner,
                          int32_t outter, bool isReuseSource, bool isInitIndex, TopKMode mode,
                          bool isLargest, uint32_t dataTypeSize, uint32_t& maxValue,
                          uint32_t& minValue);
/// False for a k that is not 1 to inner.
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, int32_t inner,
                    int32_t outter, int32_t k, uint32_t dataTypeSize, bool isInitIndex,
                    TopKMode mode, bool isLargest, optiling::TopkTiling& topKTiling);
bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& platform, int32_t inner,
                    int32_t outter, int32_t k, uint32_t dataTypeSize, bool isInitIndex,
                    TopKMode mode, bool isLargest, tiling::TopkTiling& topKTiling);
/// Bytes of the temporary buffers of Sort and Concat for so many elements.
uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elemCount,
                        uint32_t dataTypeSize);
uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC& platform, uint32_t elemCount,
                          uint32_t dataTypeSize);

}  // namespace AscendC
