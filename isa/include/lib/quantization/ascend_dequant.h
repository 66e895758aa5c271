// Results of int8_t products as floating-point numbers.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };

/// m rows of n elements, of which calCount count.
struct DequantParams {
  std::uint32_t m;
  std::uint32_t n;
  std::uint32_t calCount;
};

}  // namespace AscendC

namespace davsim::api::lib {

/// The rows that are meant: one row of n elements counts as n / calCount rows where it divides.
template <AscendC::DeQuantMode mode>
AscendC::DequantParams dequant_rows(AscendC::DequantParams params) {
  const bool single = mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && params.m == 1;
  if (single && params.calCount != 0 && params.n % params.calCount == 0) {
    return {params.n / params.calCount, params.calCount, params.calCount};
  }
  return params;
}

template <typename dstT, typename scaleT>
inline constexpr bool kDequantTypes =
    kIsOneOf<dstT, half, float, bfloat16_t>&& kIsOneOf<scaleT, std::uint64_t, float, bfloat16_t>;

}  // namespace davsim::api::lib

namespace AscendC {

/// dst = src deqScale in float: a scale for each column, or one for all. Rows of dst are padded to
/// 32 bytes. half, float, bfloat16_t by float, bfloat16_t, or uint64_t whose low half is a float.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_SCRATCH, DequantParams params,
                   DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by uint64_t, float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, sharedTmpBuffer,
                               {.scale = deqScale}, rows.m, rows.n, rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const scaleT deqScale, DAVSIM_SCRATCH, DequantParams params, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by uint64_t, float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, sharedTmpBuffer,
                               {.scale_value = davsim::api::lib::number(deqScale)}, rows.m, rows.n,
                               rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_SCRATCH,
                   const std::uint32_t calCount, DAVSIM_WHERE) {
  const std::uint32_t n = deqScale.GetSize();
  AscendDequant<dstT, scaleT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
      dst, src, deqScale, sharedTmpBuffer, DequantParams{calCount / n, n, n}, where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_SCRATCH, DAVSIM_WHERE) {
  AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, sharedTmpBuffer, src.GetSize(), where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DequantParams params, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by uint64_t, float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, {}, {.scale = deqScale}, rows.m,
                               rows.n, rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const scaleT deqScale, DequantParams params, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by uint64_t, float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, {},
                               {.scale_value = davsim::api::lib::number(deqScale)}, rows.m, rows.n,
                               rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, const std::uint32_t calCount,
                   DAVSIM_WHERE) {
  const std::uint32_t n = deqScale.GetSize();
  AscendDequant<dstT, scaleT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
      dst, src, deqScale, DequantParams{calCount / n, n, n}, where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_WHERE) {
  AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, src.GetSize(), where);
}

}  // namespace AscendC
