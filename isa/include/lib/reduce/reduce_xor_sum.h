// The sum of the exclusive or of two tensors.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// dst[0] = the sum of src0 xor src1 over calCount elements, the nearest limit where it is out of
/// the type's range. int16_t. The sum is made in float.
template <typename T, bool isReuseSource = false>
void ReduceXorSum(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                  DAVSIM_SCRATCH, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(std::is_same_v<T, std::int16_t>, "ReduceXorSum takes int16_t");
  davsim::api::lib::xor_sum({"ReduceXorSum", where}, dst, src0, src1, sharedTmpBuffer, calCount);
}
template <typename T, bool isReuseSource = false>
void ReduceXorSum(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                  const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(std::is_same_v<T, std::int16_t>, "ReduceXorSum takes int16_t");
  davsim::api::lib::xor_sum({"ReduceXorSum", where}, dst, src0, src1, {}, calCount);
}

}  // namespace AscendC
