// Temporary buffers and tilings of norms over groups and batches, of their gradients and of
// Welford's algorithm. Sizes are in bytes.
#pragma once

#include "lib/rows_tiling.h"

namespace AscendC {

/// Of [N, C, H, W] in groupNum groups of channels.
void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue);
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              optiling::GroupNormTiling& tiling);
void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, uint32_t groupNum,
                              tiling::GroupNormTiling& tiling);

/// Of [B, S, H], of which the B of originSrcShape count. False for a shape without elements.
bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                               uint32_t typeSize, bool isReuseSource, uint32_t& maxValue,
                               uint32_t& minValue, bool isBasicBlock = false);
bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              optiling::BatchNormTiling& tiling, bool isBasicBlock = false);
bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                              uint32_t stackBufferByteSize, uint32_t typeSize, bool isReuseSource,
                              tiling::BatchNormTiling& tiling, bool isBasicBlock = false);

/// Of [B, S, H], of which the last dimension of originSrcShape counts. False for none.
bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                              bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue);
bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                           uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                           bool isBasicBlock, optiling::DeepNormTiling& tiling);
bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape,
                           uint32_t stackBufferSize, uint32_t typeSize, bool isReuseSource,
                           bool isBasicBlock, tiling::DeepNormTiling& tiling);

/// Of [A, R], for the form of LayerNorm with LayerNormPara.
void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                               bool isComputeRstd, bool isOnlyOutput, uint32_t& maxValue,
                               uint32_t& minValue);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, bool isComputeRstd,
                              optiling::LayerNormSeparateTiling& tiling);
void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                              uint32_t typeSize, bool isReuseSource, bool isComputeRstd,
                              tiling::LayerNormSeparateTiling& tiling);
void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeU, uint32_t typeSizeT,
                               bool isReuseSource, bool isComputeRstd, bool isOnlyOutput,
                               uint32_t& maxValue, uint32_t& minValue);

/// Of [B, S, H] or [B, S, H, the elements of H that count].
void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize, bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  optiling::LayerNormGradTiling& tiling);
void GetLayerNormGradNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                  uint32_t typeSize, bool isReuseSource,
                                  tiling::LayerNormGradTiling& tiling);
void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                       bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool isReuseSource,
                                      optiling::LayerNormGradBetaTiling& tiling);
void GetLayerNormGradBetaNDTilingInfo(const ge::Shape& srcShape, uint32_t stackBufferSize,
                                      uint32_t typeSize, bool isReuseSource,
                                      tiling::LayerNormGradBetaTiling& tiling);

/// Of rows of abLength elements.
void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSizeT,
                                   uint32_t typeSizeU, bool isReuseSource, bool isInplace,
                                   uint32_t& maxValue, uint32_t& minValue);
void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, uint32_t typeSize,
                                     bool isReuseSource, uint32_t& maxValue, uint32_t& minValue);

}  // namespace AscendC
