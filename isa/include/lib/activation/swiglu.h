// SwiGLU.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 src1 / (1 + exp(-scalarValue src1)). half, float.
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, DAVSIM_SCRATCH, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "SwiGLU takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kSwiGLU, {"SwiGLU", where},
      {.dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer, .scalar = scalarValue},
      calCount);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, DAVSIM_SCRATCH, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "SwiGLU takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kSwiGLU, {"SwiGLU", where},
      {.dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer, .scalar = scalarValue},
      src0.GetSize());
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "SwiGLU takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kSwiGLU, {"SwiGLU", where},
      {.dst = dst, .src0 = src0, .src1 = src1, .scalar = scalarValue}, calCount);
}
template <typename T, bool isReuseSource = false>
void SwiGLU(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
            const float& scalarValue, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "SwiGLU takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kSwiGLU, {"SwiGLU", where},
      {.dst = dst, .src0 = src0, .src1 = src1, .scalar = scalarValue}, src0.GetSize());
}

}  // namespace AscendC
