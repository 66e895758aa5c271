// Gradients of layer norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC

namespace davsim::api::lib {

template <typename T>
void layer_norm_grad(Location where, const NormGradTensors& tensors, T epsilon,
                     const AscendC::LayerNormGradTiling& tiling,
                     const AscendC::LayerNormGradShapeInfo& shape) {
  static_assert(kIsOneOf<T, half, float>, "LayerNormGrad takes half and float");
  if (shape.dataFormat != AscendC::DataFormat::ND) {
    refuse("LayerNormGrad", "dataFormat", static_cast<std::int64_t>(shape.dataFormat), "ND, 0",
           where);
  }
  layer_norm_grad(
      {"LayerNormGrad", where}, tensors,
      {tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength, number(epsilon)});
}

}  // namespace davsim::api::lib

namespace AscendC {

/// outputPdX = the gradient of x, resForGamma = (x - mean) / sqrt(variance + epsilon), of [b, s,
/// h]. half, float.
template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, DAVSIM_SCRATCH, const T epsilon,
                   const LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {},
                   DAVSIM_WHERE) {
  davsim::api::lib::layer_norm_grad<T>(where,
                                       {.dst = outputPdX,
                                        .normal = resForGamma,
                                        .dy = inputDy,
                                        .src = inputX,
                                        .variance = inputVariance,
                                        .mean = inputMean,
                                        .gamma = inputGamma,
                                        .scratch = sharedTmpBuffer},
                                       epsilon, tiling, shapeInfo);
}
template <typename T, bool isReuseSource = false>
void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                   const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                   const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                   const LocalTensor<T>& inputGamma, const T epsilon,
                   const LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {},
                   DAVSIM_WHERE) {
  davsim::api::lib::layer_norm_grad<T>(where,
                                       {.dst = outputPdX,
                                        .normal = resForGamma,
                                        .dy = inputDy,
                                        .src = inputX,
                                        .variance = inputVariance,
                                        .mean = inputMean,
                                        .gamma = inputGamma},
                                       epsilon, tiling, shapeInfo);
}

/// outputPdGamma = the sum of resForGamma inputDy over b and s, outputPdBeta = that of inputDy.
/// half, float.
template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       DAVSIM_SCRATCH, const LayerNormGradBetaTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>,
                "LayerNormGradBeta takes half and float");
  davsim::api::lib::layer_norm_grad_beta(
      {"LayerNormGradBeta", where},
      {outputPdGamma, outputPdBeta, resForGamma, inputDy, sharedTmpBuffer},
      tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength);
}
template <typename T, bool isReuseSource = false>
void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                       const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                       const LayerNormGradBetaTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>,
                "LayerNormGradBeta takes half and float");
  davsim::api::lib::layer_norm_grad_beta(
      {"LayerNormGradBeta", where}, {outputPdGamma, outputPdBeta, resForGamma, inputDy, {}},
      tiling.bLength * tiling.sLength, tiling.originalHLength, tiling.hLength);
}

}  // namespace AscendC
