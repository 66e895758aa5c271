// Temporary buffers of the functions of the high-level API that work element by element. typeSize
// is the bytes of an element. With minValue bytes a function takes the smallest pieces, with
// maxValue bytes all elements at once. extraBuf is 0: maxLiveNodeCount tensors of the type are all
// it takes.
#pragma once

#include <cstdint>

#include "graph/tensor.h"
#include "kernel_tiling/element_functions.h"

namespace AscendC {

/// Bytes for `tensors` tensors of elements of `bytes` bytes.
void GetElementMaxMinTmpSize(const ge::Shape& srcShape, uint32_t tensors, uint32_t bytes,
                             uint32_t& maxValue, uint32_t& minValue);

#define DAVSIM_ELEMENT_SIZES(name, sources, work)                                                 \
  inline void Get##name##MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,        \
                                       const bool, uint32_t& maxValue, uint32_t& minValue) {      \
    GetElementMaxMinTmpSize(srcShape, davsim::sizes::element_tensors(sources, work, typeSize),    \
                            sizeof(float), maxValue, minValue);                                   \
  }                                                                                               \
  inline void Get##name##MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,        \
                                       uint32_t& maxValue, uint32_t& minValue) {                  \
    Get##name##MaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);                      \
  }                                                                                               \
  inline void Get##name##TmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,  \
                                 uint32_t& maxValue, uint32_t& minValue) {                        \
    Get##name##MaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);                      \
  }                                                                                               \
  inline void Get##name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                             uint32_t& extraBuf) {                                \
    maxLiveNodeCount = davsim::sizes::element_tensors(sources, work, typeSize) *                  \
                       static_cast<uint32_t>(sizeof(float)) / typeSize;                           \
    extraBuf = 0;                                                                                 \
  }
DAVSIM_ELEMENT_FUNCTIONS(DAVSIM_ELEMENT_SIZES)
#undef DAVSIM_ELEMENT_SIZES

/// Of a base and an exponent, one of which may be a scalar (a shape of one element).
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2,
                                  const bool typeIsInt, const uint32_t typeSize, const bool,
                                  uint32_t& maxValue, uint32_t& minValue) {
  const bool first = srcShape1.GetShapeSize() >= srcShape2.GetShapeSize();
  const uint32_t tensors = typeIsInt ? davsim::sizes::kIntegerPowerTensors
                                     : davsim::sizes::element_tensors(2, 4, typeSize) + 1;
  GetElementMaxMinTmpSize(first ? srcShape1 : srcShape2, tensors, 4, maxValue, minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool typeIsInt,
                                        const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                        uint32_t& extraBuffer) {
  const uint32_t tensors = typeIsInt ? davsim::sizes::kIntegerPowerTensors
                                     : davsim::sizes::element_tensors(2, 4, typeSize) + 1;
  maxLiveNodeCount = tensors * static_cast<uint32_t>(sizeof(float)) / typeSize;
  extraBuffer = 0;
}
/// The order of its parameters is its own.
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                   uint32_t& maxValue, uint32_t& minValue, const bool) {
  GetSwiGLUMaxMinTmpSize(srcShape, typeSize, false, maxValue, minValue);
}
/// Log is one instruction and needs nothing. The sizes are not 0, so that a buffer can have them.
inline void GetLogMaxMinTmpSize(const ge::Shape&, const uint32_t, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  maxValue = minValue = 256;
}
inline void GetLogTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount,
                                      uint32_t& extraBuf) {
  maxLiveNodeCount = extraBuf = 0;
}
inline void GetXorTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount,
                                      uint32_t& extraBuf) {
  maxLiveNodeCount = davsim::sizes::kXorTensors;
  extraBuf = 0;
}
inline void GetAxpyTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount,
                                       uint32_t& extraBuf) {
  maxLiveNodeCount = davsim::sizes::kAxpyTensors * static_cast<uint32_t>(sizeof(float)) / typeSize;
  extraBuf = 0;
}
inline void GetClampTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount,
                                        uint32_t& extraBuf) {
  maxLiveNodeCount = 1;
  extraBuf = 0;
}
inline void GetXorMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                uint32_t& maxValue, uint32_t& minValue) {
  GetElementMaxMinTmpSize(srcShape, davsim::sizes::kXorTensors, typeSize, maxValue, minValue);
}
inline void GetAxpyMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool,
                                 uint32_t& maxValue, uint32_t& minValue) {
  GetElementMaxMinTmpSize(srcShape, davsim::sizes::kAxpyTensors, 4, maxValue, minValue);
}
inline void GetClampMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                  uint32_t& maxValue, uint32_t& minValue) {
  GetElementMaxMinTmpSize(srcShape, 1, typeSize, maxValue, minValue);
}

}  // namespace AscendC
