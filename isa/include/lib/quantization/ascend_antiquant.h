// Quantised weights as floating-point numbers.
#pragma once

#include <algorithm>

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"

namespace AscendC {

/// Shapes of scales and offsets; 0: those of the tensors' ShapeInfo, and without one a row of them
/// for all rows.
struct AntiQuantShapeInfo {
  std::uint32_t offsetHeight{0};
  std::uint32_t offsetWidth{0};
  std::uint32_t scaleHeight{0};
  std::uint32_t scaleWidth{0};
};

}  // namespace AscendC

namespace davsim::api::lib {

/// The shape given by a call, else by the tensor of scales; nothing where there is none.
template <typename Out>
AscendC::AntiQuantShapeInfo antiquant_shape(AscendC::AntiQuantShapeInfo shape,
                                            const AscendC::LocalTensor<Out>& scale) {
  const AscendC::ShapeInfo own = scale.GetShapeInfo();
  if (shape.scaleHeight == 0 && shape.scaleWidth == 0 && own.shapeDim == 2) {
    shape.scaleHeight = own.shape[0];
    shape.scaleWidth = own.shape[1];
  }
  return shape;
}

/// src is [k, n], or [n, k] where `transposed`; scales have an element for each of n, and a row
/// (a column where `transposed`) for each group of k.
template <bool transposed, typename In, typename Out>
void antiquant(const Call& call, const AscendC::LocalTensor<Out>& dst,
               const AscendC::LocalTensor<In>& src, const Tensor& scratch, const Scales& scales,
               std::uint32_t k, const AscendC::AntiQuantShapeInfo& shape) {
  static_assert(kIsOneOf<In, std::int8_t, AscendC::int4b_t> && kIsOneOf<Out, half, bfloat16_t>,
                "AscendAntiQuant: int8_t or int4b_t to half or bfloat16_t");
  if (k == 0) refuse(call.name, "k", k, "1 and more", call.where);
  const std::uint32_t given = transposed ? shape.scaleHeight : shape.scaleWidth;
  const std::uint32_t n = given != 0 ? given : src.GetSize() / k;
  const std::uint32_t groups =
      std::max<std::uint32_t>(transposed ? shape.scaleWidth : shape.scaleHeight, 1);
  if (k % groups != 0) {
    refuse(call.name, transposed ? "scaleWidth" : "scaleHeight", groups, "divisors of k",
           call.where);
  }
  if (transposed) {
    antiquantise(call, dst, src, scratch, scales, n * groups, k / groups, 0, true);
  } else {
    antiquantise(call, dst, src, scratch, scales, k, n, groups == 1 ? 0 : k / groups, false);
  }
}

/// By values that all elements have in common.
template <bool transposed, typename In, typename Out>
void antiquant_by_one(const Call& call, const AscendC::LocalTensor<Out>& dst,
                      const AscendC::LocalTensor<In>& src, const Tensor& scratch, double offset,
                      double scale, std::uint32_t k) {
  if (k == 0) refuse(call.name, "k", k, "1 and more", call.where);
  const Scales scales = {.scale_value = scale, .offset_value = offset};
  antiquant<false>(call, dst, src, scratch, scales, transposed ? src.GetSize() / k : k, {});
}

}  // namespace davsim::api::lib

namespace AscendC {

/// dst = (src + offset) scale. src is [k, n] or, with isTranspose, [n, k]; scales and offsets have
/// an element for each of n, a row of them for each group of rows (scaleHeight; a column of them
/// for each group of columns, scaleWidth, with isTranspose), or are numbers.
/// int8_t or int4b_t to half (computed in half) or bfloat16_t (computed in float).
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset,
                     const LocalTensor<OutputDataType>& scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                     DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                           {.scale = scale, .offset = offset}, k,
                                           davsim::api::lib::antiquant_shape(shapeInfo, scale));
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                     DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, sharedTmpBuffer,
                                           {.scale = scale}, k,
                                           davsim::api::lib::antiquant_shape(shapeInfo, scale));
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale, DAVSIM_SCRATCH,
                     const std::uint32_t k, const AntiQuantShapeInfo& = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant_by_one<isTranspose>({"AscendAntiQuant", where}, dst, src,
                                                  sharedTmpBuffer, davsim::api::lib::number(offset),
                                                  davsim::api::lib::number(scale), k);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType scale, DAVSIM_SCRATCH, const std::uint32_t k,
                     const AntiQuantShapeInfo& = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant_by_one<isTranspose>(
      {"AscendAntiQuant", where}, dst, src, sharedTmpBuffer, 0, davsim::api::lib::number(scale), k);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& offset,
                     const LocalTensor<OutputDataType>& scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, {},
                                           {.scale = scale, .offset = offset}, k,
                                           davsim::api::lib::antiquant_shape(shapeInfo, scale));
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const LocalTensor<OutputDataType>& scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& shapeInfo = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant<isTranspose>({"AscendAntiQuant", where}, dst, src, {},
                                           {.scale = scale}, k,
                                           davsim::api::lib::antiquant_shape(shapeInfo, scale));
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType offset, const OutputDataType scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant_by_one<isTranspose>({"AscendAntiQuant", where}, dst, src, {},
                                                  davsim::api::lib::number(offset),
                                                  davsim::api::lib::number(scale), k);
}
template <typename InputDataType, typename OutputDataType, bool isTranspose>
void AscendAntiQuant(const LocalTensor<OutputDataType>& dst, const LocalTensor<InputDataType>& src,
                     const OutputDataType scale, const std::uint32_t k,
                     const AntiQuantShapeInfo& = {}, DAVSIM_WHERE) {
  davsim::api::lib::antiquant_by_one<isTranspose>({"AscendAntiQuant", where}, dst, src, {}, 0,
                                                  davsim::api::lib::number(scale), k);
}

}  // namespace AscendC
