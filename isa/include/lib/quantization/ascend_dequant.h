// Results of int8_t products as floating-point numbers.
#pragma once

#include <type_traits>

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

/// The rows that are meant: one row of n elements counts as n / calCount rows where it divides and
/// calCount elements of dst are whole blocks.
template <typename dstT, AscendC::DeQuantMode mode>
AscendC::DequantParams dequant_rows(AscendC::DequantParams params) {
  constexpr auto kBlock = static_cast<std::uint32_t>(isa::kBlockBytes / sizeof(dstT));
  const bool single = mode == AscendC::DeQuantMode::DEQUANT_WITH_SINGLE_ROW && params.m == 1;
  if (single && params.calCount != 0 && params.calCount % kBlock == 0 &&
      params.n % params.calCount == 0) {
    return {params.n / params.calCount, params.calCount, params.calCount};
  }
  return params;
}

/// `count` elements in rows of as many as there are scales.
inline AscendC::DequantParams dequant_rows_of(std::uint32_t count, std::uint32_t scales,
                                              isa::SourceLocation where) {
  if (count <= scales) return {1, count, count};
  if (scales == 0 || count % scales != 0)
    refuse("AscendDequant", "calCount", count, {"multiples of ", scales, ", the number of scales"},
           where);
  return {count / scales, scales, scales};
}

template <typename dstT, typename scaleT>
inline constexpr bool kDequantTypes =
    kIsOneOf<dstT, half, float, bfloat16_t>&& kIsOneOf<scaleT, std::uint64_t, float, bfloat16_t>;

template <typename dstT, typename scaleT>
inline constexpr bool kDequantByOneTypes =
    kDequantTypes<dstT, scaleT> && !std::is_same_v<scaleT, std::uint64_t>;

}  // namespace davsim::api::lib

namespace AscendC {

/// dst = src deqScale in float: a scale for each column, or one for all. Rows of dst are padded to
/// 32 bytes. half, float, bfloat16_t by float, bfloat16_t or, of a tensor, uint64_t whose low half
/// is a float.
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_SCRATCH, DequantParams params,
                   DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by uint64_t, float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<dstT, mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, sharedTmpBuffer,
                               {.scale = deqScale}, rows.m, rows.n, rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const scaleT deqScale, DAVSIM_SCRATCH, DequantParams params, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantByOneTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by a float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<dstT, mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, sharedTmpBuffer,
                               {.scale_value = davsim::api::lib::number(deqScale)}, rows.m, rows.n,
                               rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_SCRATCH,
                   const std::uint32_t calCount, DAVSIM_WHERE) {
  AscendDequant<dstT, scaleT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
      dst, src, deqScale, sharedTmpBuffer,
      davsim::api::lib::dequant_rows_of(calCount, deqScale.GetSize(), where), where);
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
  const DequantParams rows = davsim::api::lib::dequant_rows<dstT, mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, {}, {.scale = deqScale}, rows.m,
                               rows.n, rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const scaleT deqScale, DequantParams params, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kDequantByOneTypes<dstT, scaleT>,
                "AscendDequant: half, float or bfloat16_t by a float or bfloat16_t");
  const DequantParams rows = davsim::api::lib::dequant_rows<dstT, mode>(params);
  davsim::api::lib::dequantise({"AscendDequant", where}, dst, src, {},
                               {.scale_value = davsim::api::lib::number(deqScale)}, rows.m, rows.n,
                               rows.calCount);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, const std::uint32_t calCount,
                   DAVSIM_WHERE) {
  AscendDequant<dstT, scaleT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(
      dst, src, deqScale, davsim::api::lib::dequant_rows_of(calCount, deqScale.GetSize(), where),
      where);
}
template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
void AscendDequant(const LocalTensor<dstT>& dst, const LocalTensor<std::int32_t>& src,
                   const LocalTensor<scaleT>& deqScale, DAVSIM_WHERE) {
  AscendDequant<dstT, scaleT, mode>(dst, src, deqScale, src.GetSize(), where);
}

}  // namespace AscendC
