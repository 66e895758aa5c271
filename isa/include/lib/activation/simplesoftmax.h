// Softmax with given sums and maxima.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// dst = exp(src - inMax) / inSum, types and layouts as SoftMax.
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename D, typename U>
void SimpleSoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<U>& inSumTensor,
                   const LocalTensor<U>& inMaxTensor, const LocalTensor<D>& srcTensor,
                   const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                   const SoftMaxShapeInfo& softmaxShapeInfo = {},
                   davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SimpleSoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::simple_softmax({"SimpleSoftMax", where},
                                   {.dst = dstTensor,
                                    .src = srcTensor,
                                    .in_sum = inSumTensor,
                                    .in_max = inMaxTensor,
                                    .scratch = sharedTmpBuffer},
                                   form);
}
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename D, typename U>
void SimpleSoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<U>& inSumTensor,
                   const LocalTensor<U>& inMaxTensor, const LocalTensor<D>& srcTensor,
                   const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                   davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SimpleSoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::simple_softmax(
      {"SimpleSoftMax", where},
      {.dst = dstTensor, .src = srcTensor, .in_sum = inSumTensor, .in_max = inMaxTensor}, form);
}

}  // namespace AscendC
