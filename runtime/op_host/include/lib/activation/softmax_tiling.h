// Temporary buffers and tilings of the softmax family. Shapes have rows along their last dimension,
// dataTypeSize is the bytes of an element of the sums and maxima. Sizes are in bytes: with the
// smallest, rows are taken one at a time, with the largest all at once. isFlashOutputBrc says that
// the kernel's SoftmaxConfig is SOFTMAX_OUTPUT_WITHOUT_BRC; rows are taken a DataBlock of values at
// a time.
#pragma once

#include <cstdint>

#include "graph/tensor.h"
#include "kernel_tiling/library_structs.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

#define DAVSIM_LIBRARY_FIELD(name) TILING_DATA_FIELD_DEF(uint32_t, name);
/// The struct of the kernel API as tiling data: set_srcM, get_srcM and so on.
BEGIN_TILING_DATA_DEF(SoftMaxTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
END_TILING_DATA_DEF;

BEGIN_TILING_DATA_DEF(LogSoftMaxTiling)
const char* KernelHeader() const override {
  return "kernel_tiling/kernel_tiling.h";
}
DAVSIM_SOFTMAX_TILING_FIELDS(DAVSIM_LIBRARY_FIELD)
END_TILING_DATA_DEF;
#undef DAVSIM_LIBRARY_FIELD

}  // namespace optiling

namespace AscendC {

uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isReuseSource);
uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize,
                                 bool isReuseSource);
uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isUpdate,
                                   bool isReuseSource);
uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                     uint32_t dataTypeSize2, bool isUpdate,
                                     bool isBasicBlock = false, bool isFlashOutputBrc = false);
void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize1,
                                    uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                    bool isUpdate, bool isBasicBlock = false);
uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);
uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, uint32_t dataTypeSize, bool isFront,
                                  bool isReuseSource);

// Fill a tiling for a temporary buffer of localWorkSpaceSize bytes. splitM stays 0 where not even a
// row fits.
#define DAVSIM_SOFTMAX_TILINGS(Tiling, LogTiling)                                          \
  void SoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,                 \
                         uint32_t localWorkSpaceSize, Tiling& softmaxTiling);              \
  void LogSoftMaxTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,              \
                            uint32_t localWorkSpaceSize, LogTiling& softmaxTiling);        \
  void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,            \
                              uint32_t localWorkSpaceSize, Tiling& softmaxFlashTiling,     \
                              bool isUpdate = false);                                      \
  void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,         \
                                uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,       \
                                Tiling& softmaxFlashTiling, bool isUpdate,                 \
                                bool isBasicBlock = false, bool isFlashOutputBrc = false); \
  void SoftMaxFlashV3TilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize1,         \
                                uint32_t dataTypeSize2, uint32_t localWorkSpaceSize,       \
                                Tiling& softmaxFlashV3Tiling, bool isUpdate,               \
                                bool isBasicBlock = false);                                \
  void SoftMaxGradTilingFunc(const ge::Shape& srcShape, uint32_t dataTypeSize,             \
                             uint32_t localWorkSpaceSize, Tiling& softmaxGradTiling,       \
                             bool isFront = false);                                        \
  /** Whether the template argument isBasicBlock may be said. */                           \
  bool IsBasicBlockInSoftMax(Tiling& tiling, uint32_t dataTypeSize = 2);
DAVSIM_SOFTMAX_TILINGS(optiling::SoftMaxTiling, optiling::LogSoftMaxTiling)
DAVSIM_SOFTMAX_TILINGS(tiling::SoftMaxTiling, tiling::LogSoftMaxTiling)
#undef DAVSIM_SOFTMAX_TILINGS

}  // namespace AscendC
