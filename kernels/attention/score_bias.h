// The summands of scores: a bias for each query row and column, and an offset for each column,
// stored at the column's row of the cache.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/mask_pieces.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// The rows [first, first + rows) of a step's scores. `width` is the number of computed columns.
struct ScoreRows {
  const Step& step;
  uint32_t first, rows, width;
};

template <typename T>
class ScoreBias {
 public:
  __aicore__ inline explicit ScoreBias(const AttentionTiling& tiling) : tiling_(tiling) {
    const AttentionUb& ub = tiling.ub;
    bias_ = LocalTensor<T>(TPosition::VECCALC, ub.bias, ub.score_rows * tiling.step_columns);
    offsets_ = LocalTensor<float>(TPosition::VECCALC, ub.bias, tiling.step_columns);
    // Slices are widened in the buffer that later holds the probabilities.
    floats_ = LocalTensor<float>(TPosition::VECCALC, ub.store, ub.score_rows * kFloatLanes);
  }

  __aicore__ inline bool Used(const AttentionTask& task) const {
    return task.bias != 0 || tiling_.column_offset != 0;
  }

  /// The largest number of instructions of Load().
  __aicore__ inline uint32_t LoadCalls(const ScoreRows& rows) const {
    const AttentionTask& task = rows.step.task;
    if (tiling_.column_offset != 0) return rows.step.columns / tiling_.key.page_rows + 2;
    if (task.bias == 0) return 0;
    if (tiling_.bias_block != 0) return rows.rows;
    const bool apart = RunStride(task, tiling_.bias_strides) >= rows.step.columns;
    return apart ? MostRuns(task, rows.rows) : rows.rows;
  }

  /// Moves the bias from global memory to UB.
  __aicore__ inline void Load(const ScoreRows& rows) {
    WaitFlag<HardEvent::V_MTE2>(kBiasEvent);
    if (tiling_.column_offset != 0) {
      LoadOffsets(rows.step);
    } else {
      LoadBias(rows);
    }
    SetFlag<HardEvent::MTE2_V>(kBiasEvent);
  }

  /// Adds the column offset to scores that are not scaled yet. A factor of the query multiplies the
  /// scores alone.
  __aicore__ inline void AddOffsets(const LocalTensor<float>& scores, const ScoreRows& rows) {
    if (tiling_.column_offset == 0) return;
    if (tiling_.query_factor != 1.0f) {
      Muls(scores, scores, tiling_.query_factor, static_cast<int32_t>(rows.rows * rows.width));
      PipeBarrier<PIPE_V>();
    }
    WaitFlag<HardEvent::MTE2_V>(kBiasEvent);
    const kernel_common::Rows<float> data = {scores, rows.width};
    kernel_common::RowWise<kernel_common::AddOp>(data, data, kernel_common::SameRow(offsets_),
                                                 rows.rows, rows.width);
    PipeBarrier<PIPE_V>();
    SetFlag<HardEvent::V_MTE2>(kBiasEvent);
  }

  /// Adds the bias to scaled scores.
  __aicore__ inline void AddBias(const LocalTensor<float>& scores, const ScoreRows& rows) {
    if (rows.step.task.bias == 0) return;
    const auto stride = static_cast<uint8_t>(rows.width / kFloatsPerBlock);
    const auto bias_stride = static_cast<uint8_t>(rows.width * sizeof(T) / 32);
    WaitFlag<HardEvent::MTE2_V>(kBiasEvent);
    for (uint32_t column = 0; column < rows.width; column += kFloatLanes) {
      Cast(floats_, bias_[column], RoundMode::CAST_NONE, kFloatLanes, rows.rows,
           {1, 1, 8, bias_stride});
      PipeBarrier<PIPE_V>();
      if (tiling_.bias_hides != 0) Hide(rows.rows * kFloatLanes);
      Add(scores[column], scores[column], floats_, kFloatLanes, rows.rows,
          {1, 1, 1, stride, stride, 8});
      PipeBarrier<PIPE_V>();
    }
    SetFlag<HardEvent::V_MTE2>(kBiasEvent);
  }

  /// The event of the buffer. The stream uses other events.
  static constexpr int32_t kBiasEvent = 6;

 private:
  static constexpr uint32_t kPerBlock = 32 / sizeof(T);

  /// Moves row-major biases, as rows of the width of the scores.
  __aicore__ inline void LoadBias(const ScoreRows& rows) {
    const AttentionTask& task = rows.step.task;
    const AttentionRows& strides = tiling_.bias_strides;
    const uint64_t stride = RunStride(task, strides);
    const uint32_t columns = rows.step.columns;
    const auto load = [&](uint32_t head, uint32_t row, uint32_t count, uint32_t at) {
      const uint64_t from = head * strides.head + row * strides.row;
      if (tiling_.bias_block != 0) {
        LoadFractals(rows, from, stride, count, at);
        return;
      }
      DataCopyExtParams copy;
      copy.blockLen = columns * sizeof(T);
      copy.dstStride = (rows.width - AlignUp(columns, kPerBlock)) / kPerBlock;
      // The distance of rows that share their bias is 0.
      const bool apart = stride >= columns;
      copy.blockCount = static_cast<uint16_t>(apart ? count : 1);
      copy.srcStride = apart ? static_cast<uint32_t>((stride - columns) * sizeof(T)) : 0;
      for (uint32_t i = 0; i < (apart ? 1 : count); ++i) {
        DataCopyPad(bias_[(at + i) * rows.width],
                    AtAddress<T>(task.bias)[from + rows.step.kv_first + i * stride], copy,
                    DataCopyPadExtParams<T>());
      }
    };
    ForRuns(task, rows.first, rows.rows, load);
  }

  /// Moves biases in fractals of 16 adjacent columns. Their padding may be read.
  __aicore__ inline void LoadFractals(const ScoreRows& rows, uint64_t from, uint64_t stride,
                                      uint32_t count, uint32_t at) {
    const GlobalTensor<T> bias = AtAddress<T>(rows.step.task.bias);
    DataCopyExtParams copy;
    copy.blockCount = static_cast<uint16_t>((rows.step.columns + kFractalRows - 1) / kFractalRows);
    copy.blockLen = kFractalRows * sizeof(T);
    copy.srcStride = static_cast<uint32_t>((tiling_.bias_block - kFractalRows) * sizeof(T));
    const uint64_t first = rows.step.kv_first / kFractalRows * tiling_.bias_block;
    for (uint32_t i = 0; i < count; ++i) {
      DataCopyPad(bias_[(at + i) * rows.width], bias[from + first + i * stride], copy,
                  DataCopyPadExtParams<T>());
    }
  }

  /// Moves one row, page by page.
  __aicore__ inline void LoadOffsets(const Step& step) {
    const GlobalTensor<int32_t> table = AtAddress<int32_t>(step.task.table);
    const uint32_t page_rows = tiling_.key.page_rows;
    for (uint32_t done = 0; done < step.columns;) {
      const uint32_t column = step.kv_first + done, row = column % page_rows;
      const uint32_t piece = min(step.columns - done, page_rows - row);
      const auto page = static_cast<uint64_t>(table.GetValue(column / page_rows));
      DataCopyExtParams copy;
      copy.blockLen = piece * sizeof(float);
      DataCopyPad(offsets_[done], AtAddress<float>(tiling_.column_offset)[page * page_rows + row],
                  copy, DataCopyPadExtParams<float>());
      done += piece;
    }
  }

  /// Converts biases above 0.5 to kNotVisible, others to 0. Near 0.5, numbers of 16 bits differ by
  /// at least 2^-9, so the square of the largest float takes what is left of them to infinity.
  __aicore__ inline void Hide(uint32_t count) {
    const auto n = static_cast<int32_t>(count);
    Adds(floats_, floats_, -0.5f, n);
    PipeBarrier<PIPE_V>();
    Maxs(floats_, floats_, 0.0f, n);
    PipeBarrier<PIPE_V>();
    // davsim: allow number hidden scores are infinite
    Muls(floats_, floats_, kMostFloat, n);
    PipeBarrier<PIPE_V>();
    // davsim: allow number hidden scores are infinite
    Muls(floats_, floats_, -kMostFloat, n);
    PipeBarrier<PIPE_V>();
  }

  const AttentionTiling& tiling_;
  LocalTensor<T> bias_;
  LocalTensor<float> offsets_, floats_;
};

}  // namespace kernel_attention
