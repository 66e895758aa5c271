// The largest elements of rows.
#pragma once

#include "ascendc/library_rows.h"
#include "ascendc/vector_function.h"
#include "kernel_tiling/library_modes.h"

namespace AscendC {

/// outter rows of inner elements, of which n count.
struct TopKInfo {
  std::int32_t outter = 1;
  std::int32_t inner;
  std::int32_t n;
};

/// The k largest (or smallest) elements of each row, in order, and their indices: those of srcIndex
/// (isInitIndex) or places in the row. Of equal elements the first ones. Rows of results are padded
/// to 32 bytes with the elements that follow in order; srcIndex is one row for all. isHasfinish:
/// rows whose finish is true have the index n. inner is a multiple of 32 up to 4096. In small mode
/// inner is 32, rows of results have no padding, each row has a row of srcIndex, and there is no
/// isHasfinish. half, float. The tiling is not needed.
template <typename T, bool isInitIndex = false, bool isHasfinish = false,
          bool isReuseSource = false, enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<std::int32_t>& dstIndexLocal,
          const LocalTensor<T>& srcLocal, const LocalTensor<std::int32_t>& srcIndexLocal,
          const LocalTensor<bool>& finishLocal, DAVSIM_SCRATCH, const std::int32_t k,
          [[maybe_unused]] const TopkTiling& tilling, const TopKInfo& topKInfo,
          const bool isLargest = true, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "TopK takes half and float");
  static_assert(topkMode == TopKMode::TOPK_NORMAL || !isHasfinish,
                "TopK: isHasfinish is of the normal mode");
  if (topkMode == TopKMode::TOPK_NSMALL && topKInfo.inner != 32)
    davsim::api::refuse("TopK", "inner in small mode", topKInfo.inner, "32", where);
  const auto size = [](std::int32_t value) {
    return value < 0 ? 0u : static_cast<std::uint32_t>(value);
  };
  davsim::api::lib::top_k(
      {"TopK", where}, dstValueLocal, dstIndexLocal, srcLocal,
      isInitIndex ? davsim::api::lib::Tensor(srcIndexLocal) : davsim::api::lib::Tensor(),
      isHasfinish ? davsim::api::lib::Tensor(finishLocal) : davsim::api::lib::Tensor(),
      sharedTmpBuffer,
      {size(topKInfo.outter), size(topKInfo.inner), size(topKInfo.n), size(k), isLargest,
       isInitIndex, topkMode == TopKMode::TOPK_NSMALL});
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false,
          bool isReuseSource = false, enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<std::int32_t>& dstIndexLocal,
          const LocalTensor<T>& srcLocal, const LocalTensor<std::int32_t>& srcIndexLocal,
          const LocalTensor<bool>& finishLocal, const std::int32_t k,
          [[maybe_unused]] const TopkTiling& tilling, const TopKInfo& topKInfo,
          const bool isLargest = true, DAVSIM_WHERE) {
  static_assert(davsim::api::lib::kIsOneOf<T, half, float>, "TopK takes half and float");
  static_assert(topkMode == TopKMode::TOPK_NORMAL || !isHasfinish,
                "TopK: isHasfinish is of the normal mode");
  if (topkMode == TopKMode::TOPK_NSMALL && topKInfo.inner != 32)
    davsim::api::refuse("TopK", "inner in small mode", topKInfo.inner, "32", where);
  const auto size = [](std::int32_t value) {
    return value < 0 ? 0u : static_cast<std::uint32_t>(value);
  };
  davsim::api::lib::top_k(
      {"TopK", where}, dstValueLocal, dstIndexLocal, srcLocal,
      isInitIndex ? davsim::api::lib::Tensor(srcIndexLocal) : davsim::api::lib::Tensor(),
      isHasfinish ? davsim::api::lib::Tensor(finishLocal) : davsim::api::lib::Tensor(), {},
      {size(topKInfo.outter), size(topKInfo.inner), size(topKInfo.n), size(k), isLargest,
       isInitIndex, topkMode == TopKMode::TOPK_NSMALL});
}

}  // namespace AscendC
