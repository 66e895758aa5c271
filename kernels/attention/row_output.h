// The end of attention for some rows. It computes out and lse from the unnormalised output, the
// maximum and the sum.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/mask_pieces.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/post_quant.h"

namespace kernel_attention {

/// The event by which MTE3 returns the output buffer to the vector unit. Probabilities and finished
/// rows alternate in this buffer.
constexpr int32_t kStored = 0;
/// The event for parts of split tasks, which are stored from the buffer in which they were added
/// up.
constexpr int32_t kPartStored = 1;

template <typename T>
class RowOutput {
 public:
  __aicore__ inline explicit RowOutput(const AttentionTiling& tiling)
      : tiling_(tiling), post_quant_(tiling) {
    const AttentionUb& ub = tiling.ub;
    const uint32_t elements = ub.out_rows * tiling.value_width;
    store_ = LocalTensor<T>(TPosition::VECCALC, ub.store, elements);
    lse_ = LocalTensor<float>(TPosition::VECCALC, ub.store + elements * sizeof(T),
                              AlignUp(ub.out_rows, kFloatsPerBlock) * kFloatsPerBlock);
    const uint32_t stats =
        ub.stats + AttentionStatLines(ub.stat_slots) * kAttentionVectorRows * sizeof(float);
    spread_ = LocalTensor<float>(TPosition::VECCALC, stats, kRows * kFloatsPerBlock);
    rows_ = LocalTensor<float>(TPosition::VECCALC, stats + kRows * kFloatsPerBlock * sizeof(float),
                               4 * kRows);
    if (tiling.value_scale != 0) {
      value_scale_ = ReadNumber(tiling.value_scale, AttentionNumber::kFloat);
    }
    SetFlag<HardEvent::MTE3_V>(kPartStored);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }
  /// The bytes of UB, behind those of the statistics.
  static constexpr uint32_t kBytes = (8 + 4) * kAttentionVectorRows * sizeof(float);
  /// Waits for the last event.
  __aicore__ inline void Finish() {
    WaitFlag<HardEvent::MTE3_V>(kStored);
    WaitFlag<HardEvent::MTE3_V>(kPartStored);
  }

  /// Copies the value of each of `rows` rows to a whole block, as WithRowValues needs it.
  __aicore__ inline LocalTensor<float> Spread(const RowStats& values, uint32_t rows) const {
    SpreadRows(spread_, values.aligned, values.skip + rows);
    return spread_[values.skip * kFloatsPerBlock];
  }

  /// Stores the rows [first, first + rows) of a task from `sums` [rows][value_width]. `sums` is
  /// overwritten.
  __aicore__ inline void Store(const AttentionTask& task, uint32_t first, uint32_t rows,
                               const LocalTensor<float>& sums, const RowStats& maximum,
                               const RowStats& sum) {
    const uint32_t count = AlignUp(sum.skip + rows, kFloatsPerBlock);
    WaitFlag<HardEvent::MTE3_V>(kStored);
    // The sum of a row with a visible column is at least 1. All sums of other rows are 0.
    const LocalTensor<float> inverse = rows_, floor = rows_[kRows];
    Maxs(floor, sum.aligned, 1.0f, static_cast<int32_t>(count));
    Duplicate(inverse, value_scale_, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    Div(inverse, inverse, floor, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    if (tiling_.head_value_scale != 0) ScaleByHead(inverse, task, first, rows, sum.skip);
    WithRowValues<kernel_common::MulOp>(
        sums, tiling_.value_width, Spread({inverse, sum.skip}, rows), rows, tiling_.value_width);
    if (post_quant_.Used()) {
      post_quant_.Apply(store_.template ReinterpretCast<int8_t>(), sums, task, first, rows);
    } else {
      Cast(store_, sums, RoundMode::CAST_RINT, rows * tiling_.value_width);
    }
    if (task.lse != 0) ComputeLse(maximum, sum, floor, rows, count);
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreOut(task, first, rows);
    if (task.lse != 0) StoreLse(task, first, rows, sum.skip);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

  /// Stores these rows of `sums` unchanged in the record of a part. AwaitParts must be called
  /// before `sums` is overwritten.
  __aicore__ inline void StorePart(const AttentionTask& task, uint32_t first, uint32_t rows,
                                   const LocalTensor<float>& sums) {
    WaitFlag<HardEvent::MTE3_V>(kPartStored);
    SetFlag<HardEvent::V_MTE3>(kPartStored);
    WaitFlag<HardEvent::V_MTE3>(kPartStored);
    const uint32_t width = tiling_.value_width;
    DataCopy(AtAddress<float>(task.partial)[uint64_t{first} * width], sums, rows * width);
    SetFlag<HardEvent::MTE3_V>(kPartStored);
  }
  /// Stores the maximum and the sum of rows, behind the output of all rows.
  __aicore__ inline void StorePartStats(const AttentionTask& task, uint32_t first, uint32_t rows,
                                        const LocalTensor<float>& maximum,
                                        const LocalTensor<float>& sum) {
    const uint32_t all = uint32_t{task.heads} * task.rows;
    const GlobalTensor<float> stats =
        AtAddress<float>(task.partial)[uint64_t{all} * tiling_.value_width + first];
    WaitFlag<HardEvent::MTE3_V>(kStored);
    Adds(rows_, maximum, 0.0f, static_cast<int32_t>(rows));
    Adds(rows_[kRows], sum, 0.0f, static_cast<int32_t>(rows));
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    DataCopyExtParams copy;
    copy.blockLen = rows * sizeof(float);
    DataCopyPad(stats, rows_, copy);
    DataCopyPad(stats[all], rows_[kRows], copy);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }
  /// The storing pipe takes the flag and sets it again. The flag is therefore never set twice.
  __aicore__ inline void AwaitParts() {
    WaitFlag<HardEvent::MTE3_V>(kPartStored);
    SetFlag<HardEvent::V_MTE3>(kPartStored);
    WaitFlag<HardEvent::V_MTE3>(kPartStored);
    SetFlag<HardEvent::MTE3_V>(kPartStored);
  }

  /// Stores 0 and +inf for rows without a visible column.
  __aicore__ inline void StoreNothing(const AttentionTask& task, uint32_t first, uint32_t rows) {
    WaitFlag<HardEvent::MTE3_V>(kStored);
    Duplicate(store_, T(0.0f), static_cast<int32_t>(rows * tiling_.value_width));
    Duplicate(lse_, kInfinity, static_cast<int32_t>(rows * kFloatsPerBlock));
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreOut(task, first, rows);
    if (task.lse != 0) StoreLse(task, first, rows, 0);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

 private:
  static constexpr uint32_t kRows = kAttentionVectorRows;
  static constexpr int32_t kScalesRead = 2;
  static constexpr float kInfinity = __builtin_huge_valf();

  /// Multiplies the values of rows by the scales of their heads. The first `skip` values belong to
  /// other rows.
  __aicore__ inline void ScaleByHead(const LocalTensor<float>& values, const AttentionTask& task,
                                     uint32_t first, uint32_t rows, uint32_t skip) {
    const GlobalTensor<float> scales = AtAddress<float>(tiling_.head_value_scale);
    const uint32_t head = task.first_channel / tiling_.value_width;
    const LocalTensor<float> factors = rows_[2 * kRows];
    const auto count = static_cast<int32_t>(AlignUp(skip + rows, kFloatsPerBlock));
    Duplicate(factors, 1.0f, count);
    SetFlag<HardEvent::V_S>(kScalesRead);
    WaitFlag<HardEvent::V_S>(kScalesRead);
    for (uint32_t i = 0; i < rows; ++i) {
      factors.SetValue(skip + i, scales.GetValue(head + (first + i) / task.rows));
    }
    SetFlag<HardEvent::S_V>(kScalesRead);
    WaitFlag<HardEvent::S_V>(kScalesRead);
    Mul(values, values, factors, count);
    PipeBarrier<PIPE_V>();
  }

  /// ln(sum) + maximum. +inf for rows without a visible column, whose sum is 0 instead of 1 or
  /// more.
  __aicore__ inline void ComputeLse(const RowStats& maximum, const RowStats& sum,
                                    const LocalTensor<float>& floor, uint32_t rows,
                                    uint32_t count) {
    constexpr float kHuge = 3e38f;
    const auto n = static_cast<int32_t>(count);
    const LocalTensor<float> lse = rows_[2 * kRows], nothing = rows_[3 * kRows];
    Ln(lse, floor, n);
    Sub(nothing, floor, sum.aligned, n);  // 1 or 0
    PipeBarrier<PIPE_V>();
    Add(lse, lse, maximum.aligned, n);
    Muls(nothing, nothing, kHuge, n);
    PipeBarrier<PIPE_V>();
    Muls(nothing, nothing, kHuge, n);
    PipeBarrier<PIPE_V>();
    Add(lse, lse, nothing, n);
    PipeBarrier<PIPE_V>();
    SpreadRows(lse_, lse, sum.skip + rows);
  }

  /// One element a row: the first of a block each.
  __aicore__ inline void StoreLse(const AttentionTask& task, uint32_t first, uint32_t rows,
                                  uint32_t skip) {
    const uint64_t stride = RunStride(task, tiling_.lse_strides);
    const auto store = [&](uint32_t head, uint32_t row, uint32_t count, uint32_t at) {
      const uint64_t to = head * tiling_.lse_strides.head + row * tiling_.lse_strides.row;
      DataCopyExtParams copy;
      copy.blockCount = static_cast<uint16_t>(count);
      copy.blockLen = sizeof(float);
      copy.dstStride = static_cast<uint32_t>((stride - 1) * sizeof(float));
      DataCopyPad(AtAddress<float>(task.lse)[to], lse_[(skip + at) * kFloatsPerBlock], copy);
    };
    ForRuns(task, first, rows, store);
  }

  __aicore__ inline void StoreOut(const AttentionTask& task, uint32_t first, uint32_t rows) {
    if (post_quant_.Used()) {
      StoreRows(task, store_.template ReinterpretCast<int8_t>(), first, rows);
    } else {
      StoreRows(task, store_, first, rows);
    }
  }
  template <typename U>
  __aicore__ inline void StoreRows(const AttentionTask& task, const LocalTensor<U>& from,
                                   uint32_t first, uint32_t rows) {
    const AttentionRows& strides = tiling_.out_strides;
    const uint32_t width = tiling_.value_width;
    const uint64_t stride = RunStride(task, strides);
    const auto store = [&](uint32_t head, uint32_t row, uint32_t count, uint32_t at) {
      const uint64_t to = head * strides.head + row * strides.row;
      DataCopyExtParams copy;
      copy.blockCount = static_cast<uint16_t>(count);
      copy.blockLen = width * sizeof(U);
      copy.dstStride = static_cast<uint32_t>((stride - width) * sizeof(U));
      DataCopyPad(AtAddress<U>(task.out)[to], from[at * width], copy);
    };
    ForRuns(task, first, rows, store);
  }

  const AttentionTiling& tiling_;
  PostQuant post_quant_;
  float value_scale_ = 1;
  LocalTensor<T> store_;
  LocalTensor<float> lse_, spread_, rows_;
};

}  // namespace kernel_attention
