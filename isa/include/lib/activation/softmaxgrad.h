// The gradient of the softmax.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// dst = (grad - the sum of grad * src along the row) * src, where src is what SoftMax gave.
/// isFront: dst = those sums, a DataBlock a row. half and float.
template <typename T = void, bool isReuseSource = false, bool isDataFormatNZ = false, typename D>
void SoftmaxGrad(const LocalTensor<D>& dstTensor, const LocalTensor<D>& gradTensor,
                 const LocalTensor<D>& srcTensor, const LocalTensor<std::uint8_t>& sharedTmpBuffer,
                 const SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& softmaxShapeInfo = {},
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftmaxGrad: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax_grad({"SoftmaxGrad", where},
                                 {.dst = dstTensor, .src = srcTensor, .scratch = sharedTmpBuffer},
                                 gradTensor, form, isFront);
}
template <typename T = void, bool isReuseSource = false, bool isDataFormatNZ = false, typename D>
void SoftmaxGrad(const LocalTensor<D>& dstTensor, const LocalTensor<D>& gradTensor,
                 const LocalTensor<D>& srcTensor, const SoftMaxTiling& tiling, bool isFront = false,
                 const SoftMaxShapeInfo& softmaxShapeInfo = {},
                 davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftmaxGrad: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax_grad({"SoftmaxGrad", where}, {.dst = dstTensor, .src = srcTensor},
                                 gradTensor, form, isFront);
}
/// dst = the sums of grad * src along rows, a DataBlock a row.
template <typename T = void, bool isBasicBlock = false, bool isDataFormatNZ = false, typename D>
void SoftmaxGradFront(const LocalTensor<D>& dstTensor, const LocalTensor<D>& gradTensor,
                      const LocalTensor<D>& srcTensor,
                      const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& softmaxShapeInfo = {},
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftmaxGradFront: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax_grad({"SoftmaxGradFront", where},
                                 {.dst = dstTensor, .src = srcTensor, .scratch = sharedTmpBuffer},
                                 gradTensor, form, true);
}
template <typename T = void, bool isBasicBlock = false, bool isDataFormatNZ = false, typename D>
void SoftmaxGradFront(const LocalTensor<D>& dstTensor, const LocalTensor<D>& gradTensor,
                      const LocalTensor<D>& srcTensor, const SoftMaxTiling& tiling,
                      const SoftMaxShapeInfo& softmaxShapeInfo = {},
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftmaxGradFront: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax_grad({"SoftmaxGradFront", where}, {.dst = dstTensor, .src = srcTensor},
                                 gradTensor, form, true);
}

}  // namespace AscendC
