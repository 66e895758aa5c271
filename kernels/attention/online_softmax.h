// The streaming softmax of a vector core's rows: running maximum and sum, and the factor by which
// the present output shrinks when the maximum grows. If probabilities are divided by their sum
// before they are rounded, one pass makes the statistics and another the probabilities.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/attention_tiling.h"
#include "kernels/attention/row_values.h"

namespace kernel_attention {

/// The largest float.
constexpr float kMostFloat = 0x1.fffffep127f;
/// A score that is not visible. No scale, bias or other score changes it.
constexpr float kNotVisible = -__builtin_huge_valf();
/// The lowest maximum of a row. It is finite, so that exp(kNotVisible - maximum) is 0 also for a
/// row without a visible column so far. No visible score is lower.
constexpr float kLeastMaximum = -kMostFloat;
/// The number of steps whose statistics are kept if there are no units: the steps from the softmax
/// of a step to its part of the output, and one more.
constexpr uint32_t kStatSlots = kAttentionLag + 2;

/// One value for each row. The values start at a multiple of eight rows, so the first `skip` belong
/// to other rows.
struct RowStats {
  LocalTensor<float> aligned;
  uint32_t skip;
};

class OnlineSoftmax {
 public:
  /// `scale` is above 0.
  __aicore__ inline void Init(const AttentionUb& ub, float scale) {
    scale_ = scale;
    slots_ = ub.stat_slots;
    const uint32_t lines = AttentionStatLines(slots_) - kSpreadLines;
    stats_ = LocalTensor<float>(TPosition::VECCALC, ub.stats,
                                AttentionStatLines(slots_) * kAttentionVectorRows);
    spread_ = stats_[lines * kAttentionVectorRows];
    scratch_ =
        LocalTensor<float>(TPosition::VECCALC, ub.reduced, (ub.stats - ub.reduced) / sizeof(float));
    Duplicate(stats_, 0.0f, lines * kAttentionVectorRows);
    PipeBarrier<PIPE_V>();
    Duplicate(Start(), kLeastMaximum, kAttentionVectorRows);
    Duplicate(Scale(), scale, kFloatsPerBlock);
    Duplicate(One(), 1.0f, kFloatsPerBlock);
    PipeBarrier<PIPE_V>();
  }

  /// The statistics of the rows from `row` on after step `step`.
  __aicore__ inline RowStats Maximum(uint32_t step, uint32_t row) const {
    return Stats(Slot(step), row);
  }
  __aicore__ inline RowStats Sum(uint32_t step, uint32_t row) const {
    return Stats(slots_ + Slot(step), row);
  }
  /// exp(maximum before the step - maximum after it).
  __aicore__ inline RowStats Decay(uint32_t step, uint32_t row) const {
    return Stats(2 * slots_ + Slot(step), row);
  }

  /// Converts scores [rows][width] to exp(score * scale - maximum) and updates the statistics. If
  /// `scaled`, the scores are scaled already. `width` is a multiple of 64, `row` of 8.
  __aicore__ inline void Step(const LocalTensor<float>& scores, bool scaled, uint32_t step,
                              bool first, uint32_t row, uint32_t rows, uint32_t width) {
    const uint32_t count = (rows + kFloatsPerBlock - 1) / kFloatsPerBlock * kFloatsPerBlock;
    const LocalTensor<float> maximum = Maximum(step, row).aligned;
    const LocalTensor<float> decay = Decay(step, row).aligned;
    const LocalTensor<float> before = first ? Start() : Maximum(step - 1, row).aligned;
    ReduceRows<MaxReduction>(Fresh(), scores, rows, width, scratch_);
    if (!scaled) {
      Muls(Fresh(), Fresh(), scale_, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
    }
    Max(maximum, before, Fresh(), count);
    PipeBarrier<PIPE_V>();
    Sub(decay, before, maximum, count);
    Muls(Fresh(), maximum, -1.0f, static_cast<int32_t>(count));
    PipeBarrier<PIPE_V>();
    SpreadRows(spread_, Fresh(), rows);
    Exp(decay, decay, count);
    MultiplyAdd(scores, width, scaled ? One() : Scale(), 0, spread_, 0, rows, width);
    Exp(scores, scores, rows * width);
    PipeBarrier<PIPE_V>();
    ReduceRows<SumReduction>(Fresh(), scores, rows, width, scratch_);
    const LocalTensor<float> sum = Sum(step, row).aligned;
    if (first) {
      Adds(sum, Fresh(), 0.0f, count);
    } else {
      Mul(sum, Sum(step - 1, row).aligned, decay, count);
      PipeBarrier<PIPE_V>();
      Add(sum, sum, Fresh(), count);
    }
    PipeBarrier<PIPE_V>();
  }

  /// Converts scores [rows][width] to probabilities: exp(score * scale) divided by the sum of its
  /// row. `log_sums` are the results of LogSums.
  __aicore__ inline void Weigh(const LocalTensor<float>& scores, bool scaled,
                               const LocalTensor<float>& log_sums, uint32_t rows, uint32_t width) {
    SpreadRows(spread_, log_sums, rows);
    MultiplyAdd(scores, width, scaled ? One() : Scale(), 0, spread_, 0, rows, width);
    Exp(scores, scores, rows * width);
    PipeBarrier<PIPE_V>();
  }
  /// to = -(maximum + ln(sum)) of `rows` rows that see something.
  __aicore__ static inline void LogSums(const LocalTensor<float>& to,
                                        const LocalTensor<float>& maximum,
                                        const LocalTensor<float>& sum, uint32_t rows) {
    const auto count =
        static_cast<int32_t>((rows + kFloatsPerBlock - 1) / kFloatsPerBlock * kFloatsPerBlock);
    Ln(to, sum, count);
    PipeBarrier<PIPE_V>();
    Add(to, to, maximum, count);
    PipeBarrier<PIPE_V>();
    Muls(to, to, -1.0f, count);
    PipeBarrier<PIPE_V>();
  }

 private:
  /// The spread values, behind lines of statistics: three of each slot, then start, fresh and
  /// factors.
  static constexpr uint32_t kSpreadLines = 8;

  /// There is a power of two of slots.
  __aicore__ inline uint32_t Slot(uint32_t step) const { return step & (slots_ - 1); }
  __aicore__ inline RowStats Stats(uint32_t line, uint32_t row) const {
    const uint32_t skip = row % kFloatsPerBlock;
    return {stats_[line * kAttentionVectorRows + row - skip], skip};
  }
  __aicore__ inline LocalTensor<float> Start() const {
    return stats_[3 * slots_ * kAttentionVectorRows];
  }
  /// The results of the reduction of this step.
  __aicore__ inline LocalTensor<float> Fresh() const {
    return stats_[(3 * slots_ + 1) * kAttentionVectorRows];
  }

  /// A DataBlock of copies of the scale, and one of ones.
  __aicore__ inline LocalTensor<float> Scale() const {
    return stats_[(3 * slots_ + 2) * kAttentionVectorRows];
  }
  __aicore__ inline LocalTensor<float> One() const { return Scale()[kFloatsPerBlock]; }

  float scale_ = 1;
  uint32_t slots_ = 0;
  LocalTensor<float> stats_, spread_, scratch_;
};

}  // namespace kernel_attention
