// Exclusive or.
#pragma once

#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src0 xor src1, bit by bit. int16_t, uint16_t.
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         DAVSIM_SCRATCH, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, std::int16_t, std::uint16_t>,
                "Xor takes int16_t and uint16_t");
  davsim::api::lib::exclusive_or(
      {"Xor", where}, {.dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer},
      calCount);
}
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         DAVSIM_SCRATCH, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, std::int16_t, std::uint16_t>,
                "Xor takes int16_t and uint16_t");
  davsim::api::lib::exclusive_or(
      {"Xor", where}, {.dst = dst, .src0 = src0, .src1 = src1, .scratch = sharedTmpBuffer},
      src0.GetSize());
}
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, std::int16_t, std::uint16_t>,
                "Xor takes int16_t and uint16_t");
  davsim::api::lib::exclusive_or({"Xor", where}, {.dst = dst, .src0 = src0, .src1 = src1},
                                 calCount);
}
template <typename T, bool isReuseSource = false>
void Xor(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
         DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, std::int16_t, std::uint16_t>,
                "Xor takes int16_t and uint16_t");
  davsim::api::lib::exclusive_or({"Xor", where}, {.dst = dst, .src0 = src0, .src1 = src1},
                                 src0.GetSize());
}

}  // namespace AscendC
