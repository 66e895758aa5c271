// The second flash version of the softmax.
#pragma once

#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// Softmax of columns that come block after block, not yet divided: dst = exp(src - max). isUpdate:
/// max = max(inMax, that of the rows), expMax = exp(inMax - max), sum = expMax * inSum + that of
/// the rows. Tensors of sums and maxima may be those that come in. With SOFTMAX_OUTPUT_WITHOUT_BRC
/// they have one element a row.
template <typename T = void, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                    const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                    const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor,
                    const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlashV2: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlashV2", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = expSumTensor,
                                   .max = maxTensor,
                                   .exp_max = expMaxTensor,
                                   .in_sum = inExpSumTensor,
                                   .in_max = inMaxTensor,
                                   .scratch = sharedTmpBuffer},
                                  form, false);
}
template <typename T = void, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& expSumTensor,
                    const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
                    const LocalTensor<D>& expMaxTensor, const LocalTensor<U>& inExpSumTensor,
                    const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlashV2: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlashV2", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = expSumTensor,
                                   .max = maxTensor,
                                   .exp_max = expMaxTensor,
                                   .in_sum = inExpSumTensor,
                                   .in_max = inMaxTensor},
                                  form, false);
}
/// The same, and outReduceMax = the maxima of these columns alone.
template <typename T = void, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& outReduceMax,
                    const LocalTensor<U>& outExpSum, const LocalTensor<U>& outMax,
                    const LocalTensor<D>& srcTensor, const LocalTensor<D>& outExpMax,
                    const LocalTensor<U>& inExpSum, const LocalTensor<U>& inMax,
                    const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlashV2: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlashV2", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = outExpSum,
                                   .max = outMax,
                                   .exp_max = outExpMax,
                                   .in_sum = inExpSum,
                                   .in_max = inMax,
                                   .row_max = outReduceMax,
                                   .scratch = sharedTmpBuffer},
                                  form, false);
}
template <typename T = void, bool isUpdate = false, bool isReuseSource = false,
          bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D, typename U>
void SoftmaxFlashV2(const LocalTensor<D>& dstTensor, const LocalTensor<U>& outReduceMax,
                    const LocalTensor<U>& outExpSum, const LocalTensor<U>& outMax,
                    const LocalTensor<D>& srcTensor, const LocalTensor<D>& outExpMax,
                    const LocalTensor<U>& inExpSum, const LocalTensor<U>& inMax,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
                    davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftmaxFlashV2: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  form.update = isUpdate;
  davsim::api::lib::softmax_flash({"SoftmaxFlashV2", where},
                                  {.dst = dstTensor,
                                   .src = srcTensor,
                                   .sum = outExpSum,
                                   .max = outMax,
                                   .exp_max = outExpMax,
                                   .in_sum = inExpSum,
                                   .in_max = inMax,
                                   .row_max = outReduceMax},
                                  form, false);
}

/// How it is split where sharedTmpBuffer has localWorkSpaceSize bytes. dataTypeSize1: bytes of an
/// element of src, dataTypeSize2: of the sums and maxima.
constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(
    const SoftMaxShapeInfo& shapeInfo, [[maybe_unused]] const std::uint32_t dataTypeSize1,
    const std::uint32_t dataTypeSize2, const std::uint32_t localWorkSpaceSize,
    [[maybe_unused]] const bool isUpdate = false, [[maybe_unused]] const bool isBasicBlock = false,
    [[maybe_unused]] const bool isDataFormatNZ = false,
    [[maybe_unused]] const bool isFlashOutputBrc = false) {
  SoftMaxTiling tiling;
  davsim::sizes::softmax_tiling(tiling, shapeInfo.srcM, shapeInfo.srcK, dataTypeSize2,
                                localWorkSpaceSize);
  return tiling;
}

}  // namespace AscendC
