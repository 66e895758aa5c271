// Sums of rows.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// outter rows of inner elements, of which n count.
struct SumParams {
  std::uint32_t outter = 1;
  std::uint32_t inner;
  std::uint32_t n;
};

/// dst[r] = the sum of a row, in the type of its elements: half, float.
template <typename T, std::int32_t reduceDim = -1, bool isReuseSource = false,
          bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
         const SumParams& sumParams, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Sum takes half and float");
  static_assert(reduceDim == -1, "Sum: reduceDim is -1, the last dimension");
  davsim::api::lib::reduce_to_values({"Sum", where}, davsim::api::lib::RowOperation::kSum, dst, src,
                                     sharedTmpBuffer, sumParams.outter, sumParams.n,
                                     sumParams.inner, 1, true);
}
template <typename T, std::int32_t reduceDim = -1, bool isReuseSource = false,
          bool isBasicBlock = false>
void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& sumParams,
         DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Sum takes half and float");
  static_assert(reduceDim == -1, "Sum: reduceDim is -1, the last dimension");
  davsim::api::lib::reduce_to_values({"Sum", where}, davsim::api::lib::RowOperation::kSum, dst, src,
                                     {}, sumParams.outter, sumParams.n, sumParams.inner, 1, true);
}

}  // namespace AscendC
