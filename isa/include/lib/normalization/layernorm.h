// Layer norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct LayerNormPara {
  std::uint32_t aLength;
  std::uint32_t rLength;
  std::uint32_t rLengthWithPadding;
};
struct LayerNormConfig {
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
constexpr LayerNormConfig LNCFG_NORM = {};
constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false};
constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false};

/// output = (x - mean) / sqrt(variance + epsilon) gamma + beta along rows; means and variances are
/// results, an element a row. half, float.
template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, DAVSIM_SCRATCH,
               const T epsilon, const LayerNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "LayerNorm takes half and float");
  davsim::api::lib::layer_norm({"LayerNorm", where},
                               {.dst = output,
                                .src = inputX,
                                .gamma = gamma,
                                .beta = beta,
                                .mean = outputMean,
                                .variance = outputVariance,
                                .scratch = sharedTmpBuffer},
                               {tiling.bLength * tiling.sLength, tiling.originalHLength,
                                tiling.hLength, davsim::api::lib::number(epsilon)});
}
template <typename T, bool isReuseSource = false>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
               const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX,
               const LocalTensor<T>& gamma, const LocalTensor<T>& beta, const T epsilon,
               const LayerNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "LayerNorm takes half and float");
  davsim::api::lib::layer_norm({"LayerNorm", where},
                               {.dst = output,
                                .src = inputX,
                                .gamma = gamma,
                                .beta = beta,
                                .mean = outputMean,
                                .variance = outputVariance},
                               {tiling.bLength * tiling.sLength, tiling.originalHLength,
                                tiling.hLength, davsim::api::lib::number(epsilon)});
}
/// The same of [aLength, rLength], with 1 / sqrt(variance + epsilon) in place of the variances.
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               DAVSIM_SCRATCH, const LayerNormPara& para,
               [[maybe_unused]] const LayerNormSeparateTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "LayerNorm takes half and float");
  static_assert(!config.isOnlyOutput, "LayerNorm: isOnlyOutput is false on architecture 2201");
  davsim::api::lib::layer_norm({"LayerNorm", where},
                               {.dst = output,
                                .src = inputX,
                                .gamma = davsim::api::lib::unless<config.isNoGamma>(gamma),
                                .beta = davsim::api::lib::unless<config.isNoBeta>(beta),
                                .mean = outputMean,
                                .reciprocal = outputRstd,
                                .scratch = sharedTmpBuffer},
                               {para.aLength, para.rLength, para.rLengthWithPadding, epsilon});
}
template <typename U, typename T, bool isReuseSource = false,
          const LayerNormConfig& config = LNCFG_NORM>
void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
               const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX,
               const LocalTensor<U>& gamma, const LocalTensor<U>& beta, const float epsilon,
               const LayerNormPara& para, [[maybe_unused]] const LayerNormSeparateTiling& tiling,
               DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "LayerNorm takes half and float");
  static_assert(!config.isOnlyOutput, "LayerNorm: isOnlyOutput is false on architecture 2201");
  davsim::api::lib::layer_norm({"LayerNorm", where},
                               {.dst = output,
                                .src = inputX,
                                .gamma = davsim::api::lib::unless<config.isNoGamma>(gamma),
                                .beta = davsim::api::lib::unless<config.isNoBeta>(beta),
                                .mean = outputMean,
                                .reciprocal = outputRstd},
                               {para.aLength, para.rLength, para.rLengthWithPadding, epsilon});
}

}  // namespace AscendC
