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
  bool isInplace = false;  ///< elements from abComputeLength to abLength keep what came in
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {};

}  // namespace AscendC

namespace davsim::api::lib {

template <typename T, typename U>
void welford_step(const Call& call, const WelfordTensors& tensors,
                  const AscendC::WelfordUpdateParam& para, bool keep_rest) {
  static_assert(kIsOneOf<T, isa::half, float> && std::is_same_v<U, float>,
                "WelfordUpdate: half or float into float");
  require_range(call.name, "rnLength", para.rnLength, 1, 1, call.where);
  require_range(call.name, "abComputeLength", para.abComputeLength, 1, para.abLength, call.where);
  const std::uint32_t kept = keep_rest ? para.abLength : para.abComputeLength;
  welford_update(call, tensors, para.abComputeLength, kept, para.nRec);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// A step of Welford's algorithm for each element: means and sums of squared differences, with one
/// more value. Results may be what comes in. T half or float, U float.
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, DAVSIM_SCRATCH, const WelfordUpdateParam& para,
                   DAVSIM_WHERE) {
  davsim::api::lib::welford_step<T, U>({"WelfordUpdate", where},
                                       {.mean = outputMean,
                                        .squares = outputVariance,
                                        .in_mean = inputMean,
                                        .in_squares = inputVariance,
                                        .src = inputX,
                                        .scratch = sharedTmpBuffer},
                                       para, config.isInplace);
}
template <typename T, typename U, bool isReuseSource = false,
          const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                   const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                   const LocalTensor<T>& inputX, const WelfordUpdateParam& para, DAVSIM_WHERE) {
  davsim::api::lib::welford_step<T, U>({"WelfordUpdate", where},
                                       {.mean = outputMean,
                                        .squares = outputVariance,
                                        .in_mean = inputMean,
                                        .in_squares = inputVariance,
                                        .src = inputX},
                                       para, config.isInplace);
}

}  // namespace AscendC
