// Quantised weights as floating-point numbers.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// Shapes of scales and offsets; 0: a row of them for all rows.
struct AntiQuantShapeInfo {
  std::uint32_t offsetHeight{0};
  std::uint32_t offsetWidth{0};
  std::uint32_t scaleHeight{0};
  std::uint32_t scaleWidth{0};
};

}  // namespace AscendC

namespace davsim::api::lib {

/// src is [k, n], or [n, k] where `transposed`; scales have an element for each of n, and in the
/// first case a row for each group of rows.
template <bool transposed, typename In, typename Out>
void antiquant(const Call& call, const AscendC::LocalTensor<Out>& dst,
               const AscendC::LocalTensor<In>& src, const Tensor& scratch, const Scales& scales,
               std::uint32_t k, const AscendC::AntiQuantShapeInfo& shape) {
  static_assert(kIsOneOf<In, std::int8_t, AscendC::int4b_t> && kIsOneOf<Out, half, bfloat16_t>,
                "AscendAntiQuant: int8_t or int4b_t to half or bfloat16_t");
  if (k == 0) refuse(call.name, "k", k, "1 and more", call.where);
  const std::uint32_t given = transposed ? shape.scaleHeight : shape.scaleWidth;
  const std::uint32_t n = given != 0 ? given : src.GetSize() / k;
  if (transposed) {
    if (shape.scaleWidth > 1)
      refuse(call.name, "scaleWidth where src is transposed", shape.scaleWidth, "0 and 1",
             call.where);
    antiquantise(call, dst, src, scratch, scales, n, k, 0, true);
    return;
  }
  const std::uint32_t groups = shape.scaleHeight > 1 ? shape.scaleHeight : 0;
  if (groups != 0 && k % groups != 0)
    refuse(call.name, "scaleHeight", groups, "divisors of k", call.where);
  antiquantise(call, dst, src, scratch, scales, k, n, groups == 0 ? 0 : k / groups, false);
}

}  // namespace davsim::api::lib

namespace AscendC {

/// dst = (src + offset) scale. src is [k, n] or, with isTranspose, [n, k]; scales and offsets have
/// an element for each of n, a row of them for each group of rows (scaleHeight), or are numbers.
/// int8_t or int4b_t to half (computed in half) or bfloat16_t (computed in float).
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset,
                     const LocalTensor<OutputDataType>& scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                     DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                           {.scale = scale, .offset = offset}, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                     DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                           {.scale = scale}, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                     DAVSIM_WHERE) {
  davsim::api::lib::antiquant<false>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                     {.scale_value = davsim::api::lib::number(scale),
                                      .offset_value = davsim::api::lib::number(offset)},
                                     k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType scale, DAVSIM_SCRATCH, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<false>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                     {.scale_value = davsim::api::lib::number(scale)}, k,
                                     shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset,
                     const LocalTensor<OutputDataType>& scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, {},
                                           {.scale = scale, .offset = offset}, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, {},
                                           {.scale = scale}, k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<false>({"AscendAntiQuant", where}, dst, src, {},
                                     {.scale_value = davsim::api::lib::number(scale),
                                      .offset_value = davsim::api::lib::number(offset)},
                                     k, shapeInfo);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<false>({"AscendAntiQuant", where}, dst, src, {},
                                     {.scale_value = davsim::api::lib::number(scale)}, k,
                                     shapeInfo);
}

}  // namespace AscendC
