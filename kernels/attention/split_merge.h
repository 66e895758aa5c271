// Merges the parts of results whose key/value rows were split among cores.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/row_output.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

template <typename T>
class SplitMerge {
 public:
  __aicore__ inline SplitMerge(const AttentionTiling& tiling, RowOutput<T>& output)
      : tiling_(tiling), output_(output) {
    const AttentionUb& ub = tiling.ub;
    // The buffers of the scores are free by now.
    stats_ = LocalTensor<float>(TPosition::VECCALC, ub.scores, 2 * ub.scores_bytes / sizeof(float));
    sums_ = LocalTensor<float>(TPosition::VECCALC, ub.sums, ub.out_rows * tiling.value_width);
  }

  /// Entries `first`, `first + step`, ... of the list.
  __aicore__ inline void Process(uint32_t first, uint32_t step) {
    for (uint32_t i = first; i < tiling_.merges; i += step) {
      Merge(ReadRecord<AttentionMerge>(tiling_.merge_list + uint64_t{i} * sizeof(AttentionMerge)));
    }
  }

 private:
  static constexpr uint32_t kRows = kAttentionVectorRows;
  static constexpr int32_t kStatsEvent = 0, kPartsEvent = 1;

  __aicore__ inline LocalTensor<float> Maximum(uint32_t part) const {
    return stats_[(2 + 2 * part) * kRows];
  }
  __aicore__ inline LocalTensor<float> Sum(uint32_t part) const {
    return stats_[(3 + 2 * part) * kRows];
  }

  __aicore__ inline void Merge(const AttentionMerge& merge) {
    LoadStats(merge);
    const LocalTensor<float> maximum = stats_, sum = stats_[kRows];
    const auto count = static_cast<int32_t>(AlignUp(merge.rows, kFloatsPerBlock));
    Adds(maximum, Maximum(0), 0.0f, count);
    Duplicate(sum, 0.0f, count);
    Duplicate(sums_, 0.0f, static_cast<int32_t>(merge.rows * tiling_.value_width));
    PipeBarrier<PIPE_V>();
    for (uint32_t part = 1; part < merge.parts; ++part) {
      Max(maximum, maximum, Maximum(part), count);
      PipeBarrier<PIPE_V>();
    }
    for (uint32_t part = 0; part < merge.parts; ++part) AddPart(merge, part, maximum, sum, count);
    output_.Store(merge.task, merge.first, merge.rows, sums_, {maximum, 0}, {sum, 0});
    PipeBarrier<PIPE_V>();
  }

  __aicore__ inline uint64_t RecordFloats(const AttentionTask& task) const {
    return uint64_t{task.heads} * task.rows * (tiling_.value_width + 2);
  }

  __aicore__ inline void LoadStats(const AttentionMerge& merge) {
    const uint32_t all = uint32_t{merge.task.heads} * merge.task.rows;
    DataCopyExtParams copy;
    copy.blockLen = merge.rows * sizeof(float);
    SetFlag<HardEvent::V_MTE2>(kStatsEvent);
    WaitFlag<HardEvent::V_MTE2>(kStatsEvent);
    for (uint32_t part = 0; part < merge.parts; ++part) {
      const GlobalTensor<float> stats = AtAddress<float>(
          merge.task.partial +
          (part * RecordFloats(merge.task) + uint64_t{all} * tiling_.value_width) * sizeof(float));
      DataCopyPad(Maximum(part), stats[merge.first], copy, DataCopyPadExtParams<float>());
      DataCopyPad(Sum(part), stats[all + merge.first], copy, DataCopyPadExtParams<float>());
    }
    SetFlag<HardEvent::MTE2_V>(kStatsEvent);
    WaitFlag<HardEvent::MTE2_V>(kStatsEvent);
  }

  /// sum += weight * sum of the part, sums += weight * output of the part, where weight is
  /// exp(maximum of the part - maximum).
  __aicore__ inline void AddPart(const AttentionMerge& merge, uint32_t part,
                                 const LocalTensor<float>& maximum, const LocalTensor<float>& sum,
                                 int32_t count) {
    const uint32_t width = tiling_.value_width;
    const AttentionUb& ub = tiling_.ub;
    const LocalTensor<float> rows(TPosition::VECCALC, ub.parts + (part & 1) * ub.parts_bytes,
                                  ub.out_rows * width);
    const int32_t event = kPartsEvent + static_cast<int32_t>(part & 1);
    const GlobalTensor<float> from =
        AtAddress<float>(merge.task.partial + part * RecordFloats(merge.task) * sizeof(float));
    SetFlag<HardEvent::V_MTE2>(event);
    WaitFlag<HardEvent::V_MTE2>(event);
    DataCopy(rows, from[uint64_t{merge.first} * width], merge.rows * width);
    SetFlag<HardEvent::MTE2_V>(event);
    const LocalTensor<float> weight = Maximum(part);
    Sub(weight, weight, maximum, count);
    PipeBarrier<PIPE_V>();
    Exp(weight, weight, count);
    PipeBarrier<PIPE_V>();
    Mul(Sum(part), Sum(part), weight, count);
    const LocalTensor<float> weights = output_.Spread({weight, 0}, merge.rows);
    Add(sum, sum, Sum(part), count);
    WaitFlag<HardEvent::MTE2_V>(event);
    WithRowValues<kernel_common::MulOp>(rows, width, weights, merge.rows, width);
    Add(sums_, sums_, rows, static_cast<int32_t>(merge.rows * width));
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  RowOutput<T>& output_;
  LocalTensor<float> stats_, sums_;
};

}  // namespace kernel_attention
