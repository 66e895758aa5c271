// Deep norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = LayerNorm(inputX alpha + inputGx) along rows. half, float.
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dst, const LocalTensor<T>& outputMean,
              const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
              const LocalTensor<T>& inputGx, const LocalTensor<T>& beta,
              const LocalTensor<T>& gamma, DAVSIM_SCRATCH, const T alpha, const T epsilon,
              const DeepNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "DeepNorm takes half and float");
  davsim::api::lib::layer_norm(
      {"DeepNorm", where},
      {.dst = dst,
       .src = inputX,
       .added = inputGx,
       .gamma = gamma,
       .beta = beta,
       .mean = outputMean,
       .variance = outputVariance,
       .scratch = sharedTmpBuffer},
      {tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength,
       davsim::api::lib::number(epsilon), davsim::api::lib::number(alpha)});
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
void DeepNorm(const LocalTensor<T>& dst, const LocalTensor<T>& outputMean,
              const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
              const LocalTensor<T>& inputGx, const LocalTensor<T>& beta,
              const LocalTensor<T>& gamma, const T alpha, const T epsilon,
              const DeepNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "DeepNorm takes half and float");
  davsim::api::lib::layer_norm(
      {"DeepNorm", where},
      {.dst = dst,
       .src = inputX,
       .added = inputGx,
       .gamma = gamma,
       .beta = beta,
       .mean = outputMean,
       .variance = outputVariance},
      {tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength,
       davsim::api::lib::number(epsilon), davsim::api::lib::number(alpha)});
}

}  // namespace AscendC
