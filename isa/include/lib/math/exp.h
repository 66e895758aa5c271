// Exponentials with more precision than the instruction has.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = exp(src), of the whole part by the instruction and of the rest by taylorExpandLevel terms
/// of the series; level 0 is the instruction alone. half, float.
template <typename T, std::uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
         const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Exp takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kExp, {"Exp", where},
      {.dst = dst, .src0 = src, .scratch = sharedTmpBuffer, .scalar = taylorExpandLevel}, calCount);
}
template <typename T, std::uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Exp takes half and float");
  davsim::api::lib::element_function(
      davsim::ElementFunction::kExp, {"Exp", where},
      {.dst = dst, .src0 = src, .scratch = sharedTmpBuffer, .scalar = taylorExpandLevel},
      src.GetSize());
}
template <typename T, std::uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const std::uint32_t calCount,
         DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Exp takes half and float");
  davsim::api::lib::element_function(davsim::ElementFunction::kExp, {"Exp", where},
                                     {.dst = dst, .src0 = src, .scalar = taylorExpandLevel},
                                     calCount);
}
template <typename T, std::uint8_t taylorExpandLevel, bool isReuseSource = false>
void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "Exp takes half and float");
  davsim::api::lib::element_function(davsim::ElementFunction::kExp, {"Exp", where},
                                     {.dst = dst, .src0 = src, .scalar = taylorExpandLevel},
                                     src.GetSize());
}

}  // namespace AscendC
