// The end of attention for some rows: unnormalised output, maximum and sum become out and lse.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/mask_pieces.h"
#include "kernels/attention/online_softmax.h"

namespace kernel_attention {

/// Event by which MTE3 gives the buffer on the way out back to the vector unit: probabilities and
/// finished rows take turns in it.
constexpr int32_t kStored = 0;

template <typename T>
class RowOutput {
 public:
  __aicore__ inline explicit RowOutput(const AttentionTiling& tiling) : tiling_(tiling) {
    const AttentionUb& ub = tiling.ub;
    store_ = LocalTensor<float>(TPosition::VECCALC, ub.store, ub.out_rows * tiling.value_width);
    const uint32_t stats = ub.stats + OnlineSoftmax::kStatBytes;
    spread_ = LocalTensor<float>(TPosition::VECCALC, stats, kSpread);
    rows_ = LocalTensor<float>(TPosition::VECCALC, stats + kSpread * sizeof(float), 4 * kRows);
    lse_ = LocalTensor<float>(TPosition::VECCALC, stats + (kSpread + 4 * kRows) * sizeof(float),
                              kSpread);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }
  /// Bytes of UB behind those of the statistics.
  static constexpr uint32_t kBytes = (2 * 8 + 4) * kAttentionVectorRows * sizeof(float);
  /// Takes the last event.
  __aicore__ inline void Finish() { WaitFlag<HardEvent::MTE3_V>(kStored); }

  /// One value a row, spread over a block: what WithRowValues takes.
  __aicore__ inline const LocalTensor<float>& Spread() const { return spread_; }

  /// Rows [first, first + rows) of a task from `sums` [rows][value_width], which is overwritten.
  __aicore__ inline void Store(const AttentionTask& task, uint32_t first, uint32_t rows,
                               const LocalTensor<float>& sums, const LocalTensor<float>& maximum,
                               const LocalTensor<float>& sum) {
    const uint32_t count = (rows + 7) / 8 * 8;
    WaitFlag<HardEvent::MTE3_V>(kStored);
    // A row that sees something has a sum of at least 1; of one that does not, all sums are 0.
    const LocalTensor<float> inverse = rows_, floor = rows_[kRows];
    Maxs(floor, sum, 1.0f, static_cast<int32_t>(count));
    Duplicate(inverse, 1.0f, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    Div(inverse, inverse, floor, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    SpreadRows(spread_, inverse, rows);
    WithRowValues<kernel_common::MulOp>(sums, tiling_.value_width, spread_, rows,
                                        tiling_.value_width);
    const LocalTensor<T> out = store_.template ReinterpretCast<T>();
    Cast(out, sums, RoundMode::CAST_RINT, rows * tiling_.value_width);
    if (task.lse != 0) ComputeLse(maximum, sum, floor, rows, count);
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreRows(task, out, task.out, tiling_.out_strides, first, rows, tiling_.value_width);
    if (task.lse != 0) StoreLse(task, first, rows);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

  /// The same rows as they are, into the record of a part: output, then maximum and sum.
  __aicore__ inline void StorePart(const AttentionTask& task, uint32_t first, uint32_t rows,
                                   const LocalTensor<float>& sums,
                                   const LocalTensor<float>& maximum,
                                   const LocalTensor<float>& sum) {
    const uint32_t all = uint32_t{task.heads} * task.rows, width = tiling_.value_width;
    const uint32_t count = (rows + 7) / 8 * 8;
    WaitFlag<HardEvent::MTE3_V>(kStored);
    Adds(store_, sums, 0.0f, static_cast<int32_t>(rows * width));
    Adds(rows_, maximum, 0.0f, static_cast<int32_t>(count));
    Adds(rows_[kRows], sum, 0.0f, static_cast<int32_t>(count));
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    const GlobalTensor<float> part = AtAddress<float>(task.partial);
    const uint64_t stats = uint64_t{all} * width;
    DataCopy(part[uint64_t{first} * width], store_, rows * width);
    DataCopyExtParams copy;
    copy.blockLen = rows * sizeof(float);
    DataCopyPad(part[stats + first], rows_, copy);
    DataCopyPad(part[stats + all + first], rows_[kRows], copy);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

  /// Rows that see nothing: 0, and +inf.
  __aicore__ inline void StoreNothing(const AttentionTask& task, uint32_t first, uint32_t rows) {
    WaitFlag<HardEvent::MTE3_V>(kStored);
    const LocalTensor<T> out = store_.template ReinterpretCast<T>();
    Duplicate(out, T(0.0f), static_cast<int32_t>(rows * tiling_.value_width));
    Duplicate(lse_, kInfinity, static_cast<int32_t>(rows * kFloatsPerBlock));
    SetFlag<HardEvent::V_MTE3>(kStored);
    WaitFlag<HardEvent::V_MTE3>(kStored);
    StoreRows(task, out, task.out, tiling_.out_strides, first, rows, tiling_.value_width);
    if (task.lse != 0) StoreLse(task, first, rows);
    SetFlag<HardEvent::MTE3_V>(kStored);
  }

 private:
  static constexpr uint32_t kRows = kAttentionVectorRows;
  static constexpr uint32_t kSpread = kRows * kFloatsPerBlock;
  static constexpr float kInfinity = __builtin_huge_valf();

  /// ln(sum) + maximum, and +inf where nothing is visible: there the sum is 0, not 1 or more.
  __aicore__ inline void ComputeLse(const LocalTensor<float>& maximum,
                                    const LocalTensor<float>& sum, const LocalTensor<float>& floor,
                                    uint32_t rows, uint32_t count) {
    constexpr float kHuge = 3e38f;
    const auto n = static_cast<int32_t>(count);
    const LocalTensor<float> lse = rows_[2 * kRows], nothing = rows_[3 * kRows];
    Ln(lse, floor, n);
    Sub(nothing, floor, sum, n);  // 1 or 0
    PipeBarrier<PIPE_V>();
    Add(lse, lse, maximum, n);
    Muls(nothing, nothing, kHuge, n);
    PipeBarrier<PIPE_V>();
    Muls(nothing, nothing, kHuge, n);
    PipeBarrier<PIPE_V>();
    Add(lse, lse, nothing, n);
    PipeBarrier<PIPE_V>();
    SpreadRows(lse_, lse, rows);
  }

  /// One element a row: the first of a block each.
  __aicore__ inline void StoreLse(const AttentionTask& task, uint32_t first, uint32_t rows) {
    const uint64_t stride = RunStride(task, tiling_.lse_strides);
    const auto store = [&](uint32_t head, uint32_t row, uint32_t count, uint32_t at) {
      const uint64_t to = head * tiling_.lse_strides.head + row * tiling_.lse_strides.row;
      DataCopyExtParams copy;
      copy.blockCount = static_cast<uint16_t>(count);
      copy.blockLen = sizeof(float);
      copy.dstStride = static_cast<uint32_t>((stride - 1) * sizeof(float));
      DataCopyPad(AtAddress<float>(task.lse)[to], lse_[at * kFloatsPerBlock], copy);
    };
    ForRuns(task, first, rows, store);
  }

  template <typename U>
  __aicore__ inline void StoreRows(const AttentionTask& task, const LocalTensor<U>& from,
                                   uint64_t address, const AttentionRows& strides, uint32_t first,
                                   uint32_t rows, uint32_t width) {
    const uint64_t stride = RunStride(task, strides);
    const auto store = [&](uint32_t head, uint32_t row, uint32_t count, uint32_t at) {
      const uint64_t to = head * strides.head + row * strides.row;
      DataCopyExtParams copy;
      copy.blockCount = static_cast<uint16_t>(count);
      copy.blockLen = width * sizeof(U);
      copy.dstStride = static_cast<uint32_t>((stride - width) * sizeof(U));
      DataCopyPad(AtAddress<U>(address)[to], from[at * width], copy);
    };
    ForRuns(task, first, rows, store);
  }

  const AttentionTiling& tiling_;
  LocalTensor<float> store_, spread_, rows_, lse_;
};

}  // namespace kernel_attention
