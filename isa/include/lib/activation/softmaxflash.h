// The first flash version of the softmax.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// Softmax of columns that come block after block. isUpdate: max = max(inMax, that of the rows),
/// expMax = exp(inMax - max), sum = expMax * inSum + that of the rows; expMax = expMax * inSum /
/// sum. dst = exp(src - max) / sum. Tensors of sums and maxima may be those that come in.
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false, typename D,
          typename U>
void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                  const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                  const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                  const LocalTensor<U>& inMaxTensor,
                  const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                  davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlash: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.basic_block = isBasicBlock;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlash", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = sumTensor,
                                   .max = maxTensor,
                                   .exp_max = expMaxTensor,
                                   .in_sum = inSumTensor,
                                   .in_max = inMaxTensor,
                                   .scratch = sharedTmpBuffer},
                                  form, true);
}
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false, typename D,
          typename U>
void SoftmaxFlash(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
                  const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                  const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inSumTensor,
                  const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling,
                  bool isUpdate = false, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                  davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlash: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo);
  form.basic_block = isBasicBlock;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlash", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = sumTensor,
                                   .max = maxTensor,
                                   .exp_max = expMaxTensor,
                                   .in_sum = inSumTensor,
                                   .in_max = inMaxTensor},
                                  form, true);
}

}  // namespace AscendC
