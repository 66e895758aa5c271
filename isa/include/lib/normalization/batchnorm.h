// Batch norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace davsim::api::lib {

/// originalBLength rows of meanVarSize elements.
template <typename T>
void batch_norm(Location where, NormTensors tensors, T epsilon,
                const AscendC::BatchNormTiling& tiling) {
  static_assert(kIsOneOf<T, half, float>, "BatchNorm takes half and float");
  batch_norm({"BatchNorm", where}, tensors,
             {tiling.originalBLength, tiling.meanVarSize, tiling.meanVarSize, number(epsilon)});
}

}  // namespace davsim::api::lib

namespace AscendC {

/// output = (x - mean) / sqrt(variance + epsilon) gamm + beta over b of [b, s, h]; outputMean and
/// outputVariance are [s, h], gamm and beta have an element for each b. half, float.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamm, const LocalTensor<T>& beta, DAVSIM_SCRATCH,
               const T epsilon, const BatchNormTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::batch_norm<T>(where,
                                  {.dst = output,
                                   .src = inputX,
                                   .gamma = gamm,
                                   .beta = beta,
                                   .mean = outputMean,
                                   .variance = outputVariance,
                                   .scratch = sharedTmpBuffer},
                                  epsilon, tiling);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamm, const LocalTensor<T>& beta, const T epsilon,
               const BatchNormTiling& tiling, DAVSIM_WHERE) {
  davsim::api::lib::batch_norm<T>(where,
                                  {.dst = output,
                                   .src = inputX,
                                   .gamma = gamm,
                                   .beta = beta,
                                   .mean = outputMean,
                                   .variance = outputVariance},
                                  epsilon, tiling);
}

}  // namespace AscendC
