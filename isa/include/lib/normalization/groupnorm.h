// Group norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace davsim::api::lib {

/// [n, c, hw] in groups of d = c / g channels. Rows of hw elements lie hwAlignSize apart.
template <typename T>
void group_norm(Location where, NormTensors tensors, T epsilon,
                const AscendC::GroupNormTiling& tiling) {
  static_assert(kIsOneOf<T, half, float>, "GroupNorm takes half and float");
  group_norm(
      {"GroupNorm", where}, tensors,
      {tiling.n * tiling.c, tiling.hw, tiling.hwAlignSize, tiling.d, tiling.c, number(epsilon)});
}

}  // namespace davsim::api::lib

namespace AscendC {

/// output = (x - mean) / sqrt(variance + epsilon) gamma + beta over the channels of a group of [n,
/// c, h, w]; outputMean and outputVariance have an element a group, gamma and beta one a channel.
/// half, float.
template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, DAVSIM_SCRATCH,
               const T epsilon, const GroupNormTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::group_norm<T>(where,
                                  {.dst = output,
                                   .src = inputX,
                                   .gamma = gamma,
                                   .beta = beta,
                                   .mean = outputMean,
                                   .variance = outputVariance,
                                   .scratch = sharedTmpBuffer},
                                  epsilon, tiling);
}
template <typename T, bool isReuseSource = false>
void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               const GroupNormTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::group_norm<T>(where,
                                  {.dst = output,
                                   .src = inputX,
                                   .gamma = gamma,
                                   .beta = beta,
                                   .mean = outputMean,
                                   .variance = outputVariance},
                                  epsilon, tiling);
}

}  // namespace AscendC
