// The third flash version of the softmax, whose rows are shifted by their means.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// As SoftmaxFlashV2, of rows that are first brought nearer to 0: with r = alpha / (1 - alpha),
/// each of splitMeanCnt parts of a row loses r (the row's mean - the part's). isUpdate: mean =
/// (inMean (loopCnt - 1) + the rows') / loopCnt, and the maxima are compared, and the exponentials
/// taken, shifted by r times the means' distance from it. T half or float, U float.
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                    const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor,
                    const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxParams& params,
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(
      davsim::api::lib::kSoftMaxTypes<T, U>,
      "SoftmaxFlashV3: half or float, and sums, maxima and means of the same type or float");
  auto form = davsim::api::lib::softmax_form(
      tiling, {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK}, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash_v3({"SoftmaxFlashV3", where},
                                     {.dst = dstTensor,
                                      .src = srcTensor,
                                      .sum = expSumTensor,
                                      .max = maxTensor,
                                      .exp_max = expMaxTensor,
                                      .in_sum = inExpSumTensor,
                                      .in_max = inMaxTensor,
                                      .mean = meanTensor,
                                      .in_mean = inMeanTensor,
                                      .scratch = sharedTmpBuffer},
                                     form, params);
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                    const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                    const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                    const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling,
                    const SoftMaxParams& params,
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(
      davsim::api::lib::kSoftMaxTypes<T, U>,
      "SoftmaxFlashV3: half or float, and sums, maxima and means of the same type or float");
  auto form = davsim::api::lib::softmax_form(
      tiling, {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK}, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash_v3({"SoftmaxFlashV3", where},
                                     {.dst = dstTensor,
                                      .src = srcTensor,
                                      .sum = expSumTensor,
                                      .max = maxTensor,
                                      .exp_max = expMaxTensor,
                                      .in_sum = inExpSumTensor,
                                      .in_max = inMaxTensor,
                                      .mean = meanTensor,
                                      .in_mean = inMeanTensor},
                                     form, params);
}

}  // namespace AscendC
