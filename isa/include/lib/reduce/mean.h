// Means of rows.
#pragma once

#include <type_traits>

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// outter rows of inner elements, of which n count.
struct MeanParams {
  std::uint32_t outter = 1;
  std::uint32_t inner;
  std::uint32_t n;
};

/// dst[r] = the mean of a row, its sum computed in accType. half, float.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          std::int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
          const MeanParams& meanParams, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Mean takes half and float");
  static_assert(davsim::api::lib::kIsOneOf<accType, T, float>, "Mean: accType is T or float");
  static_assert(reduceDim == -1, "Mean: reduceDim is -1, the last dimension");
  davsim::api::lib::reduce_to_values({"Mean", where}, davsim::api::lib::RowOperation::kSum, dst,
                                     src, sharedTmpBuffer, meanParams.outter, meanParams.n,
                                     meanParams.inner, 1.0 / meanParams.n,
                                     std::is_same_v<accType, half>);
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          std::int32_t reduceDim = -1>
void Mean(const LocalTensor<T>& dst, const LocalTensor<T>& src, const MeanParams& meanParams,
          DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Mean takes half and float");
  static_assert(davsim::api::lib::kIsOneOf<accType, T, float>, "Mean: accType is T or float");
  static_assert(reduceDim == -1, "Mean: reduceDim is -1, the last dimension");
  davsim::api::lib::reduce_to_values({"Mean", where}, davsim::api::lib::RowOperation::kSum, dst,
                                     src, {}, meanParams.outter, meanParams.n, meanParams.inner,
                                     1.0 / meanParams.n, std::is_same_v<accType, half>);
}

}  // namespace AscendC
