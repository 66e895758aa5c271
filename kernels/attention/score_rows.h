// Rows of a step's scores and probabilities: the rows of each vector core, and their moves between
// the workspace and UB.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// The rows of a task of one of the two vector cores. The first core has a multiple of eight rows.
struct RowShare {
  uint32_t first, rows;

  __aicore__ static inline RowShare Of(uint32_t all, uint32_t half) {
    const uint32_t first_half = min(all, ((all + 1) / 2 + 7) / 8 * 8);
    return half == 0 ? RowShare{0, first_half} : RowShare{first_half, all - first_half};
  }
};

__aicore__ inline void FillUb(uint32_t at, uint32_t bytes) {
  if (bytes == 0) return;
  const uint32_t count = bytes / sizeof(float);
  Duplicate(LocalTensor<float>(TPosition::VECCALC, at, count), 0.0f, static_cast<int32_t>(count));
}
/// The vector unit computes whole repeats of columns and multiples of eight rows, which may be more
/// than was loaded. The rest must be numbers, although it is not stored. This function fills it
/// while the first scores are far away.
__aicore__ inline void FillScoreTails(const AttentionUb& ub) {
  FillUb(ub.scores, 2 * ub.scores_bytes);
  FillUb(ub.reduced, ub.stats - ub.reduced);
}

/// The number of computed columns: whole repeats.
__aicore__ inline uint32_t ComputedColumns(const Step& step) {
  return (step.columns + kFloatLanes - 1) / kFloatLanes * kFloatLanes;
}

/// Loads the rows [first, first + rows) of the scores at `address`. Their distance in UB is
/// ComputedColumns().
__aicore__ inline void LoadScoreRows(const LocalTensor<float>& to, uint64_t address,
                                     const AttentionTiling& tiling, const Step& step,
                                     uint32_t first, uint32_t rows) {
  const uint32_t columns = AlignUp(step.columns, kFractalRows);
  DataCopyParams copy;
  copy.blockCount = static_cast<uint16_t>(rows);
  copy.blockLen = static_cast<uint16_t>(columns / kFloatsPerBlock);
  copy.srcGap = static_cast<uint16_t>((tiling.step_columns - columns) / kFloatsPerBlock);
  copy.dstGap = static_cast<uint16_t>((ComputedColumns(step) - columns) / kFloatsPerBlock);
  DataCopy(to, AtAddress<float>(address)[uint64_t{first} * tiling.step_columns], copy);
}

/// Overwrites the columns behind the last key/value row, in which UB may hold any bytes.
__aicore__ inline void HideBeyondEnd(const LocalTensor<float>& scores, const Step& step,
                                     uint32_t rows) {
  const uint32_t lanes = step.columns % kFloatLanes, width = ComputedColumns(step);
  if (lanes == 0) return;
  const uint64_t mask[2] = {~uint64_t{0} << lanes, 0};
  Duplicate(scores[width - kFloatLanes], kNotVisible, mask, rows, 1,
            static_cast<uint8_t>(width / kFloatsPerBlock));
  PipeBarrier<PIPE_V>();
}

/// Stores rows of probabilities at `address`, as blocks of columns one behind the other, as the
/// cube core loads them.
template <typename T>
__aicore__ inline void StoreProbRows(uint64_t address, const LocalTensor<T>& probs,
                                     const Step& step, uint32_t first, uint32_t rows) {
  constexpr uint32_t kPerBlock = 32 / sizeof(T);
  const uint32_t width = ComputedColumns(step);
  const GlobalTensor<T> to = AtAddress<T>(address);
  for (uint32_t column = 0; column < width; column += kAttentionBlock) {
    const uint32_t columns = min(kAttentionBlock, width - column);
    DataCopyParams copy;
    copy.blockCount = static_cast<uint16_t>(rows);
    copy.blockLen = static_cast<uint16_t>(columns / kPerBlock);
    copy.srcGap = static_cast<uint16_t>((width - columns) / kPerBlock);
    copy.dstGap = static_cast<uint16_t>((kAttentionBlock - columns) / kPerBlock);
    DataCopy(to[uint64_t{column} * step.Rows() + first * kAttentionBlock], probs[column], copy);
  }
}

}  // namespace kernel_attention
