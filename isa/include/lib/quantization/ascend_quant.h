// Quantisation to int8_t.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// dst = src scale + offset in half, rounded to the nearest even and saturated. One scale and
/// offset for all elements, or one a column: then rows of as many elements as there are scales (a
/// multiple of 32) follow each other. half, float.
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, const std::uint32_t calCount,
                 DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale_value = scale, .offset_value = offset}, 0, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scaleCount, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, [[maybe_unused]] const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset = offset}, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale_value = scale, .offset_value = offset}, 0, src.GetSize());
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scale.GetSize(), src.GetSize());
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset = offset}, scale.GetSize(), src.GetSize());
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale_value = scale, .offset_value = offset}, 0, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scaleCount, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, [[maybe_unused]] const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset = offset}, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale_value = scale, .offset_value = offset}, 0, src.GetSize());
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scale.GetSize(), src.GetSize());
}
template <typename T, bool isReuseSource = false>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset = offset}, scale.GetSize(), src.GetSize());
}

}  // namespace AscendC
