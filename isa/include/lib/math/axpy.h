// Multiples of a tensor, added up.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src scalarValue + dst, rounded twice. half, float, or half into float.
template <typename T, typename U, bool isReuseSource = false>
void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U scalarValue, DAVSIM_SCRATCH,
          const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<U, half, float> &&
                    (std::is_same_v<T, U> || std::is_same_v<T, float>),
                "Axpy: half, float, or half into float");
  davsim::api::lib::axpy({"Axpy", where},
                         {.dst = dst,
                          .src0 = src,
                          .scratch = sharedTmpBuffer,
                          .scalar = static_cast<float>(scalarValue)},
                         calCount);
}

}  // namespace AscendC
