// Welford's algorithm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct WelfordUpdateParam {
  std::uint32_t rnLength;  ///< 1
  std::uint32_t abLength;
  std::uint32_t abComputeLength;  ///< elements that count
  float nRec;                     ///< 1 / the number of values with this one
};
struct WelfordUpdateConfig {
  bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {};

/// A step of Welford's algorithm for each element: means and sums of squared differences, with one
/// more value. Results may be what comes in. T half or float, U float.
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, DAVSIM_SCRATCH, const WelfordUpdateParam& para,
                   DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float> && std::is_same_v<U, float>,
                "WelfordUpdate: half or float into float");
  davsim::api::require_range("WelfordUpdate", "rnLength", para.rnLength, 1, 1, where);
  davsim::api::require_range("WelfordUpdate", "abComputeLength", para.abComputeLength, 1,
                             para.abLength, where);
  davsim::api::lib::welford_update({"WelfordUpdate", where},
                                   {.mean = outputMean,
                                    .squares = outputVariance,
                                    .in_mean = inputMean,
                                    .in_squares = inputVariance,
                                    .src = inputX,
                                    .scratch = sharedTmpBuffer},
                                   para.abComputeLength, para.nRec);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const WelfordUpdateParam& para, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float> && std::is_same_v<U, float>,
                "WelfordUpdate: half or float into float");
  davsim::api::require_range("WelfordUpdate", "rnLength", para.rnLength, 1, 1, where);
  davsim::api::require_range("WelfordUpdate", "abComputeLength", para.abComputeLength, 1,
                             para.abLength, where);
  davsim::api::lib::welford_update({"WelfordUpdate", where},
                                   {.mean = outputMean,
                                    .squares = outputVariance,
                                    .in_mean = inputMean,
                                    .in_squares = inputVariance,
                                    .src = inputX},
                                   para.abComputeLength, para.nRec);
}

}  // namespace AscendC
