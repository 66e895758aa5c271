// Limits.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src, and scalar where src is larger. half, float. No temporary buffer is used.
template <typename T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, [[maybe_unused]] DAVSIM_SCRATCH,
              const T scalar, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ClampMax takes half and float");
  davsim::api::lib::clamp({"ClampMax", where},
                          {.dst = dst, .src0 = src, .scalar = static_cast<float>(scalar)}, true,
                          calCount);
}
template <typename T, bool isReuseSource = false>
void ClampMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T scalar,
              const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ClampMax takes half and float");
  davsim::api::lib::clamp({"ClampMax", where},
                          {.dst = dst, .src0 = src, .scalar = static_cast<float>(scalar)}, true,
                          calCount);
}
/// dst = src, and scalar where src is smaller. half, float. No temporary buffer is used.
template <typename T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, [[maybe_unused]] DAVSIM_SCRATCH,
              const T scalar, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ClampMin takes half and float");
  davsim::api::lib::clamp({"ClampMin", where},
                          {.dst = dst, .src0 = src, .scalar = static_cast<float>(scalar)}, false,
                          calCount);
}
template <typename T, bool isReuseSource = false>
void ClampMin(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T scalar,
              const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "ClampMin takes half and float");
  davsim::api::lib::clamp({"ClampMin", where},
                          {.dst = dst, .src0 = src, .scalar = static_cast<float>(scalar)}, false,
                          calCount);
}

}  // namespace AscendC
