// A group of query tokens that goes through the stages together, and where its rows lie.
#pragma once

#include "kernels/common/row_io.h"
#include "kernels/sparse_flash_attention_quant/sparse_flash_attention_tiling.h"

namespace kernel_sparse_attention {

using namespace AscendC;
using namespace kernel_common;

constexpr uint32_t kHeads = 128;
constexpr uint32_t kLatent = 512, kRope = 64, kWidth = kLatent + kRope;
constexpr uint32_t kScaleGroups = 4;  ///< scales of a key row
constexpr uint32_t kPage = 128;
constexpr uint32_t kListed = 2048;  ///< entries of a row of topk_indices
constexpr int32_t kSlots = 2;       ///< double buffering

struct Group {
  uint32_t index;   ///< of the group
  uint32_t first;   ///< token
  uint32_t tokens;  ///< 0: there is no such group

  __aicore__ static inline Group Of(const SparseFlashAttentionTiling& tiling, uint32_t index) {
    const uint32_t first = index * tiling.group;
    if (first >= tiling.tokens) return {index, first, 0};
    return {index, first, min(tiling.group, tiling.tokens - first)};
  }
  __aicore__ inline uint64_t Slot(const SparseFlashAttentionTiling& tiling) const {
    return static_cast<uint64_t>(index % kSparseGroups) * tiling.group;
  }
  /// Row of the workspaces `queries`, `scores` and `weights` of the group's first query head.
  __aicore__ inline uint64_t QueryRow(const SparseFlashAttentionTiling& tiling) const {
    return Slot(tiling) * kHeads;
  }
  /// Row of the workspace `keys` of the first key of the group's token `of_group`.
  __aicore__ inline uint64_t KeyRow(const SparseFlashAttentionTiling& tiling,
                                    uint32_t of_group) const {
    return (Slot(tiling) + of_group) * tiling.columns;
  }
};

/// Entries of topk_indices that a token uses. The scalar unit reads a length that no core writes.
__aicore__ inline uint32_t UsedEntries(const SparseFlashAttentionTiling& tiling,
                                       const GlobalTensor<int32_t>& lengths, uint32_t token) {
  const int32_t length = lengths.GetValue(token / tiling.steps);
  const int32_t visible =
      length - static_cast<int32_t>(tiling.steps) + 1 + static_cast<int32_t>(token % tiling.steps);
  return visible <= 0 ? 0 : min(static_cast<uint32_t>(visible), tiling.selected);
}

}  // namespace kernel_sparse_attention
