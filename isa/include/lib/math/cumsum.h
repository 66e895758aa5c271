// Running sums.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
  std::uint32_t outter{0};
  std::uint32_t inner{0};
};

/// dst[r] = the sum of rows 0 to r of src, [outter, inner]; lastRow = the last of them. Along the
/// first axis only (isLastAxis false). half, float; rows are multiples of 32 bytes.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(const LocalTensor<T>& dst, const LocalTensor<T>& lastRow, const LocalTensor<T>& src,
            DAVSIM_SCRATCH, const CumSumInfo& cumSumInfo, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "CumSum takes half and float");
  static_assert(!config.isLastAxis, "davsim does not support CumSum along the last axis yet");
  davsim::api::lib::sum_rows_up(
      {"CumSum", where}, dst,
      config.outputLastRow ? davsim::api::lib::Tensor(lastRow) : davsim::api::lib::Tensor(), src,
      sharedTmpBuffer, cumSumInfo.outter, cumSumInfo.inner);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(const LocalTensor<T>& dst, const LocalTensor<T>& lastRow, const LocalTensor<T>& src,
            const CumSumInfo& cumSumInfo, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "CumSum takes half and float");
  static_assert(!config.isLastAxis, "davsim does not support CumSum along the last axis yet");
  davsim::api::lib::sum_rows_up(
      {"CumSum", where}, dst,
      config.outputLastRow ? davsim::api::lib::Tensor(lastRow) : davsim::api::lib::Tensor(), src,
      {}, cumSumInfo.outter, cumSumInfo.inner);
}

}  // namespace AscendC
