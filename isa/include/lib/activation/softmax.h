// Softmax of rows, and the adjustment of its results.
#pragma once

#include "ascendc/data_copy_emit.h"
#include "lib/activation/softmax_utils.h"

namespace AscendC {

/// dst = exp(src - max) / sum along rows; max and sum are those of the rows. half and float; sums
/// and maxima have a DataBlock a row, filled with the value. dst may be src.
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename D, typename U>
void SoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
             const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
             const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {},
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax({"SoftMax", where},
                            {.dst = dstTensor,
                             .src = srcTensor,
                             .sum = sumTensor,
                             .max = maxTensor,
                             .scratch = sharedTmpBuffer},
                            form);
}
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG,
          typename D, typename U>
void SoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<U>& sumTensor,
             const LocalTensor<U>& maxTensor, const LocalTensor<D>& srcTensor,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, U>,
                "SoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  form.nz = isDataFormatNZ;
  davsim::api::lib::softmax(
      {"SoftMax", where}, {.dst = dstTensor, .src = srcTensor, .sum = sumTensor, .max = maxTensor},
      form);
}
/// The same without sums and maxima.
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D>
void SoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<D>& srcTensor,
             const LocalTensor<std::uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,
             const SoftMaxShapeInfo& softmaxShapeInfo = {},
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  davsim::api::lib::softmax({"SoftMax", where},
                            {.dst = dstTensor, .src = srcTensor, .scratch = sharedTmpBuffer}, form);
}
template <typename T = void, bool isReuseSource = false, bool isBasicBlock = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG, typename D>
void SoftMax(const LocalTensor<D>& dstTensor, const LocalTensor<D>& srcTensor,
             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {},
             davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<D, D>,
                "SoftMax: half or float, and sums and maxima of the same type or float");
  auto form = davsim::api::lib::softmax_form(tiling, softmaxShapeInfo, config);
  form.basic_block = isBasicBlock;
  davsim::api::lib::softmax({"SoftMax", where}, {.dst = dstTensor, .src = srcTensor}, form);
}

/// Rows whose maximum has the bits `from` become `to`; whether there was one. stepSizeMode 0: the
/// maxima have a DataBlock a row, else an element.
template <typename T1, typename T2, bool isDataFormatNZ = false, std::uint8_t stepSizeMode = 0>
bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor,
                      const std::uint32_t from, const T1 to,
                      const SoftMaxShapeInfo& softmaxShapeInfo,
                      davsim::api::Location where = davsim::api::Location::current()) {
  static_assert(davsim::api::lib::kSoftMaxTypes<T1, T2>,
                "AdjustSoftMaxRes: half or float, and maxima of the same type or float");
  davsim::api::lib::SoftMaxForm form;
  form.shape = softmaxShapeInfo;
  form.nz = isDataFormatNZ;
  form.blocks = stepSizeMode == 0;
  return davsim::api::lib::adjust_softmax({"AdjustSoftMaxRes", where}, softMaxRes, maxTensor, from,
                                          davsim::api::bits_of(to), form);
}

/// How a softmax of shapeInfo is split where sharedTmpBuffer has localWorkSpaceSize bytes.
/// dataTypeSize: bytes of an element of the sums and maxima.
constexpr SoftMaxTiling SoftMaxTilingFunc(const SoftMaxShapeInfo& shapeInfo,
                                          const std::uint32_t dataTypeSize,
                                          const std::uint32_t localWorkSpaceSize,
                                          [[maybe_unused]] const bool isBasicBlock = false,
                                          [[maybe_unused]] const bool isDataFormatNZ = false) {
  SoftMaxTiling tiling;
  davsim::sizes::softmax_tiling(tiling, shapeInfo.srcM, shapeInfo.srcK, dataTypeSize,
                                localWorkSpaceSize);
  return tiling;
}

}  // namespace AscendC
