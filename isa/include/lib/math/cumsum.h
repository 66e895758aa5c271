// Running sums.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// How to add: one after another. (The other algorithm is one of later cores.)
enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY };
struct CumSumConfig {
  bool isLastAxis{true};
  bool isReuseSource{false};
  bool outputLastRow{false};
  CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
  std::uint32_t outter{0};
  std::uint32_t inner{0};
};

}  // namespace AscendC

namespace davsim::api::lib {

template <const AscendC::CumSumConfig& config, typename T>
void running_sums(Location where, const AscendC::LocalTensor<T>& dst,
                  const AscendC::LocalTensor<T>& last, const AscendC::LocalTensor<T>& src,
                  const Tensor& scratch, const AscendC::CumSumInfo& info) {
  static_assert(kIsOneOf<T, half, float>, "CumSum takes half and float");
  static_assert(config.algorithm == AscendC::CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE,
                "CumSum: CUMSUM_ALGORITHM_LINEBYLINE");
  const Tensor last_row = config.outputLastRow ? Tensor(last) : Tensor();
  const auto sums = config.isLastAxis ? sum_along_rows : sum_rows_up;
  sums({"CumSum", where}, dst, last_row, src, scratch, info.outter, info.inner);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// Running sums of [outter, inner] along rows (isLastAxis) or columns; lastRow = the last row of
/// dst. half, float; rows are multiples of 32 bytes.
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(const LocalTensor<T>& dst, const LocalTensor<T>& lastRow, const LocalTensor<T>& src,
            DAVSIM_SCRATCH, const CumSumInfo& cumSumInfo, DAVSIM_WHERE) {
  davsim::api::lib::running_sums<config>(where, dst, lastRow, src, sharedTmpBuffer, cumSumInfo);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
void CumSum(const LocalTensor<T>& dst, const LocalTensor<T>& lastRow, const LocalTensor<T>& src,
            const CumSumInfo& cumSumInfo, DAVSIM_WHERE) {
  davsim::api::lib::running_sums<config>(where, dst, lastRow, src, davsim::api::lib::Tensor(),
                                         cumSumInfo);
}

}  // namespace AscendC
