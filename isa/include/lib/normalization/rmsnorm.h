// RMS norm.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src / sqrt(mean of src^2 + epsilon) gamma along rows. half, float.
template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma,
             DAVSIM_SCRATCH, const T epsilon, const RmsNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "RmsNorm takes half and float");
  davsim::api::lib::rms_norm({"RmsNorm", where},
                             {.dst = dst, .src = src, .gamma = gamma, .scratch = sharedTmpBuffer},
                             {tiling.bLength * tiling.sLength, tiling.originalHLength,
                              tiling.hLength, davsim::api::lib::number(epsilon)});
}
template <typename T, bool isBasicBlock = false>
void RmsNorm(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& gamma,
             const T epsilon, const RmsNormTiling& tiling, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "RmsNorm takes half and float");
  davsim::api::lib::rms_norm({"RmsNorm", where}, {.dst = dst, .src = src, .gamma = gamma},
                             {tiling.bLength * tiling.sLength, tiling.originalHLength,
                              tiling.hLength, davsim::api::lib::number(epsilon)});
}

}  // namespace AscendC
