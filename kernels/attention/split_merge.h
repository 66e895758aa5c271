// Merges the parts of results whose key/value rows were split among cores.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/row_output.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// The maxima and sums of rows of a task, for each of its parts and for all parts together.
class PartStats {
 public:
  /// `room` holds 2 + 2 * parts lines of kAttentionVectorRows floats.
  __aicore__ inline PartStats(const AttentionTiling& tiling, const LocalTensor<float>& room)
      : tiling_(tiling), room_(room) {}

  __aicore__ inline uint64_t RecordFloats(const AttentionTask& task) const {
    return uint64_t{task.heads} * task.rows * (tiling_.value_width + 2);
  }

  /// Loads those of rows [first, first + rows) of `parts` records. The first record is at
  /// `records`.
  __aicore__ inline void Load(const AttentionTask& task, uint64_t records, uint32_t parts,
                              uint32_t first, uint32_t rows) {
    const uint32_t all = uint32_t{task.heads} * task.rows;
    DataCopyExtParams copy;
    copy.blockLen = rows * sizeof(float);
    SetFlag<HardEvent::V_MTE2>(kStatsEvent);
    WaitFlag<HardEvent::V_MTE2>(kStatsEvent);
    for (uint32_t part = 0; part < parts; ++part) {
      const uint64_t floats = part * RecordFloats(task) + uint64_t{all} * tiling_.value_width;
      const GlobalTensor<float> stats = AtAddress<float>(records + floats * sizeof(float));
      DataCopyPad(MaximumOf(part), stats[first], copy, DataCopyPadExtParams<float>());
      DataCopyPad(SumOf(part), stats[all + first], copy, DataCopyPadExtParams<float>());
    }
    SetFlag<HardEvent::MTE2_V>(kStatsEvent);
    WaitFlag<HardEvent::MTE2_V>(kStatsEvent);
    parts_ = parts;
    count_ = static_cast<int32_t>(AlignUp(rows, kFloatsPerBlock));
  }

  /// Computes Maximum() and Sum() of all parts, and the Weight() of each part: exp(its maximum -
  /// maximum).
  __aicore__ inline void Join() {
    Adds(Maximum(), MaximumOf(0), 0.0f, count_);
    Duplicate(Sum(), 0.0f, count_);
    PipeBarrier<PIPE_V>();
    for (uint32_t part = 1; part < parts_; ++part) {
      Max(Maximum(), Maximum(), MaximumOf(part), count_);
      PipeBarrier<PIPE_V>();
    }
    for (uint32_t part = 0; part < parts_; ++part) {
      Sub(Weight(part), MaximumOf(part), Maximum(), count_);
      PipeBarrier<PIPE_V>();
      Exp(Weight(part), Weight(part), count_);
      PipeBarrier<PIPE_V>();
      Mul(SumOf(part), SumOf(part), Weight(part), count_);
      PipeBarrier<PIPE_V>();
      Add(Sum(), Sum(), SumOf(part), count_);
      PipeBarrier<PIPE_V>();
    }
  }

  __aicore__ inline LocalTensor<float> Maximum() const { return room_; }
  __aicore__ inline LocalTensor<float> Sum() const { return room_[kAttentionVectorRows]; }
  __aicore__ inline LocalTensor<float> Weight(uint32_t part) const { return MaximumOf(part); }

 private:
  static constexpr int32_t kStatsEvent = 6;

  __aicore__ inline LocalTensor<float> MaximumOf(uint32_t part) const {
    return room_[(2 + 2 * part) * kAttentionVectorRows];
  }
  __aicore__ inline LocalTensor<float> SumOf(uint32_t part) const {
    return room_[(3 + 2 * part) * kAttentionVectorRows];
  }

  const AttentionTiling& tiling_;
  LocalTensor<float> room_;
  uint32_t parts_ = 0;
  int32_t count_ = 0;
};

template <typename T>
class SplitMerge {
 public:
  __aicore__ inline SplitMerge(const AttentionTiling& tiling, RowOutput<T>& output)
      : tiling_(tiling), output_(output), stats_(tiling, StatsRoom(tiling)) {
    sums_ = LocalTensor<float>(TPosition::VECCALC, tiling.ub.sums,
                               tiling.ub.out_rows * tiling.value_width);
  }

  /// Merges the entries `first`, `first + step`, ... of the list.
  __aicore__ inline void Process(uint32_t first, uint32_t step) {
    for (uint32_t i = first; i < tiling_.merges; i += step) {
      Merge(ReadRecord<AttentionMerge>(tiling_.merge_list + uint64_t{i} * sizeof(AttentionMerge)));
    }
  }

 private:
  static constexpr int32_t kPartsEvent = 0;

  /// The buffers of the scores are free by now.
  __aicore__ static inline LocalTensor<float> StatsRoom(const AttentionTiling& tiling) {
    const AttentionUb& ub = tiling.ub;
    return LocalTensor<float>(TPosition::VECCALC, ub.scores, 2 * ub.scores_bytes / sizeof(float));
  }

  __aicore__ inline void Merge(const AttentionMerge& merge) {
    const bool weighted = tiling_.two_pass == 0;
    const auto count = static_cast<int32_t>(AlignUp(merge.rows, kFloatsPerBlock));
    LoadPart(merge, 0);
    if (weighted) {
      stats_.Load(merge.task, merge.task.partial, merge.parts, merge.first, merge.rows);
      stats_.Join();
    } else {
      // The probabilities of all parts were divided by the sum over all parts.
      Duplicate(stats_.Sum(), 1.0f, count);
    }
    Duplicate(sums_, 0.0f, static_cast<int32_t>(merge.rows * tiling_.value_width));
    PipeBarrier<PIPE_V>();
    for (uint32_t part = 0; part < merge.parts; ++part) {
      if (part + 1 < merge.parts) LoadPart(merge, part + 1);
      AddPart(merge, part, weighted);
    }
    output_.Store(merge.task, merge.first, merge.rows, sums_, {stats_.Maximum(), 0},
                  {stats_.Sum(), 0});
    PipeBarrier<PIPE_V>();
  }

  __aicore__ inline LocalTensor<float> RowsOf(uint32_t part) const {
    const AttentionUb& ub = tiling_.ub;
    return LocalTensor<float>(TPosition::VECCALC, ub.parts + (part & 1) * ub.parts_bytes,
                              ub.out_rows * tiling_.value_width);
  }
  __aicore__ inline void LoadPart(const AttentionMerge& merge, uint32_t part) {
    const int32_t event = kPartsEvent + static_cast<int32_t>(part & 1);
    const GlobalTensor<float> from = AtAddress<float>(
        merge.task.partial + part * stats_.RecordFloats(merge.task) * sizeof(float));
    SetFlag<HardEvent::V_MTE2>(event);
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(RowsOf(part), from[uint64_t{merge.first} * tiling_.value_width],
             merge.rows * tiling_.value_width);
    SetFlag<HardEvent::MTE2_V>(event);
  }

  /// sums += weight of the part * output of the part.
  __aicore__ inline void AddPart(const AttentionMerge& merge, uint32_t part, bool weighted) {
    const uint32_t width = tiling_.value_width;
    const LocalTensor<float> rows = RowsOf(part);
    WaitFlag<HardEvent::MTE2_V>(kPartsEvent + static_cast<int32_t>(part & 1));
    if (weighted) {
      const LocalTensor<float> weights = output_.Spread({stats_.Weight(part), 0}, merge.rows);
      WithRowValues<kernel_common::MulOp>(rows, width, weights, merge.rows, width);
    }
    Add(sums_, sums_, rows, static_cast<int32_t>(merge.rows * width));
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  RowOutput<T>& output_;
  PartStats stats_;
  LocalTensor<float> sums_;
};

}  // namespace kernel_attention
