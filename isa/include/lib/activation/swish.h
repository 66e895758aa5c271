// Swish.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src / (1 + exp(-scalarValue src)). half, float.
template <typename T, bool isReuseSource = false>
void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, std::uint32_t dataSize,
           const T scalarValue, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Swish takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kSwish, {"Swish", where},
      {.dst = dst, .src0 = src, .scalar = static_cast<float>(scalarValue)}, dataSize);
}

}  // namespace AscendC
