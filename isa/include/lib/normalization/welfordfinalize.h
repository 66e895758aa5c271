// The end of Welford's algorithm: one mean and one variance.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct WelfordFinalizePara {
  std::uint32_t rnLength;
  std::uint32_t abLength;
  std::uint32_t headCount;
  std::uint32_t headCountLength;
  std::uint32_t tailCount;
  std::uint32_t tailCountLength;
  float abRec;
  float rRec;
  float rRecWithCorrection = 0;
};
struct WelfordFinalizeConfig {
  bool isCorrection = false;
};
constexpr WelfordFinalizeConfig WFFINALIZE_DEFAULT_CFG = {false};

}  // namespace AscendC

namespace davsim::api::lib {

/// Without counts: the first headCountLength pairs stand for headCount values each, the others for
/// tailCount; without a tail all stand for rnLength.
template <const AscendC::WelfordFinalizeConfig& config>
void welford_finalize(Location where, WelfordEnd end, const AscendC::WelfordFinalizePara& para) {
  static_assert(!config.isCorrection, "architecture 2201 has no WelfordFinalize with isCorrection");
  end.count = para.abLength;
  end.heads = para.abLength;
  end.head = para.rnLength;
  end.reciprocal_pairs = para.abRec;
  end.reciprocal_values = para.rRec;
  if (!end.counts.present() && para.tailCountLength != 0) {
    if (para.headCountLength + std::uint64_t{para.tailCountLength} != para.abLength) {
      refuse("WelfordFinalize", "headCountLength + tailCountLength",
             para.headCountLength + std::int64_t{para.tailCountLength},
             {std::int64_t{para.abLength}, ", abLength"}, where);
    }
    if (para.tailCount == 0) {
      refuse("WelfordFinalize", "tailCountLength where tailCount is 0", para.tailCountLength, "0",
             where);
    }
    end.heads = para.headCountLength;
    end.head = para.headCount;
    end.tail = para.tailCount;
  }
  welford_finalize({"WelfordFinalize", where}, end);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// The mean and the variance of all values behind abLength pairs of WelfordUpdate. float.
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     DAVSIM_SCRATCH, const WelfordFinalizePara& para, DAVSIM_WHERE) {
  davsim::api::lib::welford_finalize<config>(where,
                                             {.mean = outputMean,
                                              .variance = outputVariance,
                                              .in_mean = inputMean,
                                              .in_squares = inputVariance,
                                              .scratch = sharedTmpBuffer},
                                             para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const WelfordFinalizePara& para, DAVSIM_WHERE) {
  davsim::api::lib::welford_finalize<config>(where,
                                             {.mean = outputMean,
                                              .variance = outputVariance,
                                              .in_mean = inputMean,
                                              .in_squares = inputVariance},
                                             para);
}
/// counts[i] is the number of values behind pair i.
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<std::int32_t>& counts, DAVSIM_SCRATCH,
                     const WelfordFinalizePara& para, DAVSIM_WHERE) {
  davsim::api::lib::welford_finalize<config>(where,
                                             {.mean = outputMean,
                                              .variance = outputVariance,
                                              .in_mean = inputMean,
                                              .in_squares = inputVariance,
                                              .counts = counts,
                                              .scratch = sharedTmpBuffer},
                                             para);
}
template <bool isReuseSource = false, const WelfordFinalizeConfig& config = WFFINALIZE_DEFAULT_CFG>
void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                     const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                     const LocalTensor<std::int32_t>& counts, const WelfordFinalizePara& para,
                     DAVSIM_WHERE) {
  davsim::api::lib::welford_finalize<config>(where,
                                             {.mean = outputMean,
                                              .variance = outputVariance,
                                              .in_mean = inputMean,
                                              .in_squares = inputVariance,
                                              .counts = counts},
                                             para);
}

}  // namespace AscendC
