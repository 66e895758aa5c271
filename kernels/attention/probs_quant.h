// int8 probabilities. They are rounded and saturated as for an int8 product with value. The factor
// is divided out of the result afterwards. The cube gets them as whole numbers of its 16-bit type,
// whose products are exact.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/row_values.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

template <typename T>
class Int8Probs {
 public:
  __aicore__ inline explicit Int8Probs(const AttentionTiling& tiling) : tiling_(tiling) {
    const AttentionUb& ub = tiling.ub;
    factors_ = LocalTensor<float>(TPosition::VECCALC, ub.probs_quant,
                                  kAttentionProbsFactors * kAttentionVectorRows);
    scratch_ =
        LocalTensor<float>(TPosition::VECCALC, ub.reduced, (ub.stats - ub.reduced) / sizeof(float));
  }

  __aicore__ inline bool Used() const { return tiling_.probs_quant != AttentionProbsQuant::kNone; }
  /// Whether the products with value must be multiplied by Undo().
  __aicore__ inline bool Undone() const {
    return tiling_.probs_quant == AttentionProbsQuant::kByStep;
  }

  /// Is called before the first rows of a task. Loads the factors of its rows [share, share +
  /// rows).
  __aicore__ inline void EnterTask(const AttentionTask& task, uint32_t share, uint32_t rows) {
    if (tiling_.probs_quant != AttentionProbsQuant::kByHead) return;
    const GlobalTensor<float> scales = AtAddress<float>(tiling_.probs_scale);
    const uint32_t head = task.first_channel / tiling_.value_width;
    SetFlag<HardEvent::V_S>(kRead);  // of the task before
    WaitFlag<HardEvent::V_S>(kRead);
    for (uint32_t i = 0; i < rows; ++i) {
      Line(0).SetValue(i, scales.GetValue(head + (share + i) / task.rows));
    }
    SetFlag<HardEvent::S_V>(kRead);
    WaitFlag<HardEvent::S_V>(kRead);
  }

  /// Converts probabilities [rows][width] to whole numbers of -128 to 127, in `probs`. `row` counts
  /// the rows of this core and is a multiple of 8. `floats` is overwritten.
  __aicore__ inline void Round(const LocalTensor<T>& probs, const LocalTensor<float>& floats,
                               uint32_t step, uint32_t row, uint32_t rows, uint32_t width) {
    LocalTensor<float> factors = Line(0)[row];
    if (Undone()) factors = StepFactors(floats, step, row, rows, width);
    SpreadRows(Line(kSpread), factors, rows);
    WithRowValues<kernel_common::MulOp>(floats, width, Line(kSpread), rows, width);
    const uint32_t count = rows * width;
    const LocalTensor<half> halves = probs.template ReinterpretCast<half>();
    const LocalTensor<int8_t> bytes = floats.ReinterpretCast<int8_t>();
    Cast(halves, floats, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
    Cast(bytes, halves, RoundMode::CAST_RINT, count);
    PipeBarrier<PIPE_V>();
    Cast(halves, bytes, RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    if constexpr (!std::is_same_v<T, half>) {
      Cast(floats, halves, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
      Cast(probs, floats, RoundMode::CAST_RINT, count);
      PipeBarrier<PIPE_V>();
    }
  }

  /// The factors of the rows from `row` on of a step's product with value.
  __aicore__ inline RowStats Undo(uint32_t step, uint32_t row) const {
    const uint32_t skip = row % kFloatsPerBlock;
    return {Line(step % kStatSlots)[row - skip], skip};
  }

 private:
  static constexpr int32_t kRead = 1;
  /// Lines of factors: one a slot of statistics (by head: only the first), one that is being made,
  /// one of ones; then the spread values.
  static constexpr uint32_t kFresh = kStatSlots, kSpread = kStatSlots + 2;
  static_assert(kSpread + kFloatsPerBlock == kAttentionProbsFactors);

  __aicore__ inline LocalTensor<float> Line(uint32_t line) const {
    return factors_[line * kAttentionVectorRows];
  }

  /// Computes 127 / the largest probability of each row, and the inverse. A row without a visible
  /// column in this step has only zeros, which no factor changes.
  __aicore__ inline LocalTensor<float> StepFactors(const LocalTensor<float>& floats, uint32_t step,
                                                   uint32_t row, uint32_t rows, uint32_t width) {
    constexpr float kMost = 127.0f, kLeast = 1e-30f;
    const auto count = static_cast<int32_t>(AlignUp(rows, kFloatsPerBlock));
    const LocalTensor<float> fresh = Line(kFresh), most = Line(kFresh + 1);
    ReduceRows<MaxReduction>(most, floats, rows, width, scratch_);
    Maxs(most, most, kLeast, count);
    Duplicate(fresh, kMost, count);
    PipeBarrier<PIPE_V>();
    Div(fresh, fresh, most, count);
    Muls(Line(step % kStatSlots)[row], most, 1.0f / kMost, count);
    PipeBarrier<PIPE_V>();
    return fresh;
  }

  const AttentionTiling& tiling_;
  LocalTensor<float> factors_, scratch_;
};

}  // namespace kernel_attention
