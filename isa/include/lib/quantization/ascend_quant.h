// Quantisation to int8_t.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace davsim::api::lib {

constexpr std::uint32_t either(std::uint32_t constant, std::uint32_t otherwise) {
  return constant != 0 ? constant : otherwise;
}

}  // namespace davsim::api::lib

namespace AscendC {

/// Counts that are known at compile time; 0: what the call says, or the sizes of the tensors.
struct AscendQuantConfig {
  constexpr AscendQuantConfig(std::uint32_t calcCountIn, std::uint32_t offsetCountIn,
                              std::uint32_t scaleCountIn, std::uint32_t workLocalSizeIn = 0)
      : calcCount(calcCountIn),
        offsetCount(offsetCountIn),
        scaleCount(scaleCountIn),
        workLocalSize(workLocalSizeIn) {}
  std::uint32_t calcCount = 0;
  std::uint32_t offsetCount = 0;
  std::uint32_t scaleCount = 0;
  std::uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

/// dst = src scale + offset in half, rounded to the nearest even and saturated. One scale and
/// offset for all elements, or one a column: then rows of as many elements as there are scales (a
/// multiple of 32) follow each other. half, float.
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, const std::uint32_t calCount,
                 DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale_value = scale, .offset_value = offset}, 0, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scaleCount, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, [[maybe_unused]] const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset = offset}, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale_value = scale, .offset_value = offset}, 0,
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             davsim::api::lib::either(config.scaleCount, scale.GetSize()),
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, sharedTmpBuffer,
                             {.scale = scale, .offset = offset},
                             davsim::api::lib::either(config.scaleCount, scale.GetSize()),
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale_value = scale, .offset_value = offset}, 0, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             scaleCount, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, [[maybe_unused]] const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset = offset}, scaleCount, calCount);
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale_value = scale, .offset_value = offset}, 0,
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset_value = davsim::api::lib::number(offset)},
                             davsim::api::lib::either(config.scaleCount, scale.GetSize()),
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}
template <typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
void AscendQuant(const LocalTensor<std::int8_t>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "AscendQuant takes half and float");
  davsim::api::lib::quantise({"AscendQuant", where}, dst, src, {},
                             {.scale = scale, .offset = offset},
                             davsim::api::lib::either(config.scaleCount, scale.GetSize()),
                             davsim::api::lib::either(config.calcCount, src.GetSize()));
}

// With the type of dst named; architecture 2201 has int8_t.
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, const std::uint32_t calCount,
                 DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, calCount, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, scaleCount,
                                        calCount, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, scaleCount,
                                        offsetCount, calCount, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const float scale, const float offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, DAVSIM_SCRATCH,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, sharedTmpBuffer, scale, offset, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, calCount, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, const std::uint32_t scaleCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, scaleCount, calCount, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset,
                 const std::uint32_t scaleCount, const std::uint32_t offsetCount,
                 const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, scaleCount, offsetCount, calCount,
                                        where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src, const float scale,
                 const float offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const T offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, where);
}
template <typename dstT, typename T, bool isReuseSource = false,
          const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
requires std::is_same_v<dstT, std::int8_t>
void AscendQuant(const LocalTensor<dstT>& dst, const LocalTensor<T>& src,
                 const LocalTensor<T>& scale, const LocalTensor<T>& offset, DAVSIM_WHERE) {
  AscendQuant<T, isReuseSource, config>(dst, src, scale, offset, where);
}

}  // namespace AscendC
