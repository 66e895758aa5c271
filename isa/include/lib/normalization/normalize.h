// The second half of layer norm, with means and variances from elsewhere.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"
#include "kernel_tiling/library_modes.h"

namespace AscendC {

struct NormalizePara {
  std::uint32_t aLength;
  std::uint32_t rLength;
  std::uint32_t rLengthWithPadding;
};
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  std::int32_t aLength = -1;
  bool isNoBeta = false;
  bool isNoGamma = false;
  bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};

}  // namespace AscendC

namespace davsim::api::lib {

template <const AscendC::NormalizeConfig& config>
void normalise(Location where, NormTensors tensors, double epsilon,
               const AscendC::NormalizePara& para) {
  static_assert(config.reducePattern == AscendC::ReducePattern::AR, "Normalize: the pattern is AR");
  static_assert(!config.isOnlyOutput, "Normalize: isOnlyOutput is false on architecture 2201");
  if (config.isNoBeta) tensors.beta = {};
  if (config.isNoGamma) tensors.gamma = {};
  if (config.aLength != -1 && static_cast<std::uint32_t>(config.aLength) != para.aLength) {
    refuse("Normalize", "aLength", para.aLength, {config.aLength, ", as the configuration says"},
           where);
  }
  layer_norm({"Normalize", where}, tensors,
             {para.aLength, para.rLength, para.rLengthWithPadding, epsilon});
}

}  // namespace davsim::api::lib

namespace AscendC {

/// outputRstd = 1 / sqrt(inputVariance + epsilon); output = (x - inputMean) outputRstd gamma +
/// beta, [aLength, rLength] with rows of rLengthWithPadding. half, float; U likewise, or float.
template <typename U, typename T, bool isReuseSource = false,
          const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
               const LocalTensor<U>& beta, DAVSIM_SCRATCH, const float epsilon,
               const NormalizePara& para, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Normalize takes half and float");
  davsim::api::lib::normalise<config>(where,
                                      {.dst = output,
                                       .src = inputX,
                                       .gamma = gamma,
                                       .beta = beta,
                                       .reciprocal = outputRstd,
                                       .given_mean = inputMean,
                                       .given_variance = inputVariance,
                                       .scratch = sharedTmpBuffer},
                                      epsilon, para);
}
template <typename U, typename T, bool isReuseSource = false,
          const NormalizeConfig& config = NLCFG_NORM>
void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
               const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
               const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
               const LocalTensor<U>& beta, const float epsilon, const NormalizePara& para,
               DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Normalize takes half and float");
  davsim::api::lib::normalise<config>(where,
                                      {.dst = output,
                                       .src = inputX,
                                       .gamma = gamma,
                                       .beta = beta,
                                       .reciprocal = outputRstd,
                                       .given_mean = inputMean,
                                       .given_variance = inputVariance},
                                      epsilon, para);
}

}  // namespace AscendC
