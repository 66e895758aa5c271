// Masks of a chunk of scores: finds the columns of a mask that have an effect, and applies them.
#pragma once

#include "kernel_operator.h"
#include "kernels/attention/online_softmax.h"
#include "kernels/attention/step_walk.h"

namespace kernel_attention {

/// Calls visit(head, row, count, at) for the runs of equal distance among rows [first, first +
/// rows) of a task, which are numbered head by head: `count` rows of one head, or, where a head has
/// one row, `count` heads. `at` counts rows from `first`.
template <typename Visit>
__aicore__ inline void ForRuns(const AttentionTask& task, uint32_t first, uint32_t rows,
                               const Visit& visit) {
  if (task.rows == 1) {
    visit(first, 0u, rows, 0u);
    return;
  }
  for (uint32_t done = 0; done < rows;) {
    const uint32_t head = (first + done) / task.rows, row = (first + done) % task.rows;
    const uint32_t count = min(rows - done, task.rows - row);
    visit(head, row, count, done);
    done += count;
  }
}

/// The largest number of such runs.
__aicore__ inline uint32_t MostRuns(const AttentionTask& task, uint32_t rows) {
  return task.rows == 1 ? 1 : rows / task.rows + 2;
}

/// The distance of the rows of such a run.
__aicore__ inline uint64_t RunStride(const AttentionTask& task, const AttentionRows& strides) {
  return task.rows == 1 ? strides.head : strides.row;
}

/// Columns [column, column + width) of a chunk that a mask may hide. `source` is the address of the
/// mask's element for row 0 of the task and the first column. An element that is not 0 hides its
/// column. If `inverted`, an element that is 0 does.
struct MaskPiece {
  uint32_t column, width;  ///< width: a multiple of 64
  uint32_t valid;          ///< the number of columns that the mask covers
  int64_t source;          ///< the address for row 0 of the task
  uint64_t row_bytes;
  bool inverted;
};

/// Finds the pieces of mask of rows [first, first + rows) of a step. A full mask needs all columns.
/// A window needs only the columns that its edges cross.
class MaskPieces {
 public:
  __aicore__ inline MaskPieces(const AttentionTiling& tiling, const Step& step, uint32_t first,
                               uint32_t rows)
      : tiling_(tiling), step_(step) {
    const bool one_head = first / step.task.rows == (first + rows - 1) / step.task.rows;
    const int32_t least = one_head ? static_cast<int32_t>(first % step.task.rows) : 0;
    const int32_t most =
        one_head ? static_cast<int32_t>((first + rows - 1) % step.task.rows) : step.task.rows - 1;
    const auto kv = static_cast<int32_t>(step.kv_first);
    const auto columns = static_cast<int32_t>(step.columns);
    full_ = step.task.mask != 0 ? Slices(0, step.columns) : 0;
    if (tiling.windowed == 0) return;
    // Columns from `upper_` on are hidden from the first row, columns up to `lower` from the last.
    const int32_t upper = step.task.high + least - kv, lower = step.task.low + most - kv;
    if (upper < columns) {
      upper_ = static_cast<uint32_t>(upper > 0 ? upper : 0) / kFloatLanes * kFloatLanes;
      uppers_ = Slices(upper_, step.columns);
    }
    if (lower > 0) lowers_ = Slices(0, static_cast<uint32_t>(lower < columns ? lower : columns));
  }

  __aicore__ inline uint32_t Count() const { return full_ + uppers_ + lowers_; }
  __aicore__ inline MaskPiece At(uint32_t index) const {
    if (index < full_) return Full(index * kAttentionMaskColumns);
    index -= full_;
    // The triangle hides above its diagonal: column > row.
    if (index < uppers_) {
      return Edge(upper_ + index * kAttentionMaskColumns, step_.task.high, false);
    }
    return Edge((index - uppers_) * kAttentionMaskColumns, step_.task.low, true);
  }

 private:
  __aicore__ inline static uint32_t Slices(uint32_t from, uint32_t to) {
    return (to - from + kAttentionMaskColumns - 1) / kAttentionMaskColumns;
  }
  __aicore__ inline MaskPiece Sized(uint32_t column) const {
    MaskPiece piece = {};
    piece.column = column;
    piece.valid = min(kAttentionMaskColumns, step_.columns - column);
    piece.width = (piece.valid + kFloatLanes - 1) / kFloatLanes * kFloatLanes;
    return piece;
  }
  __aicore__ inline MaskPiece Full(uint32_t column) const {
    MaskPiece piece = Sized(column);
    piece.source = static_cast<int64_t>(step_.task.mask + step_.kv_first + column);
    piece.row_bytes = tiling_.mask_row;
    return piece;
  }
  /// Row i hides the columns from edge + i on. If `inverted`, it hides those before. The mask is a
  /// part of the triangle, whose element [a][b] is set if b > a, with b - a = column - (edge + i)
  /// + 1.
  __aicore__ inline MaskPiece Edge(uint32_t column, int32_t edge, bool inverted) const {
    MaskPiece piece = Sized(column);
    const int64_t distance = int64_t{step_.kv_first} + column - edge + 1;
    piece.source = static_cast<int64_t>(tiling_.triangle) +
                   (distance >= 0 ? distance : -distance * kAttentionTriangle);
    piece.row_bytes = kAttentionTriangle;
    piece.inverted = inverted;
    return piece;
  }

  const AttentionTiling& tiling_;
  const Step& step_;
  uint32_t full_ = 0, upper_ = 0, uppers_ = 0, lowers_ = 0;
};

/// The most instructions that LoadMaskPiece() issues.
constexpr uint32_t kMostMaskLoads = 2;

/// A piece's bytes in UB, rows of `width`. It is loaded for the rows of one head: heads share it.
__aicore__ inline void LoadMaskPiece(const LocalTensor<uint8_t>& to, const MaskPiece& piece,
                                     const AttentionTask& task, uint32_t first, uint32_t rows) {
  constexpr uint32_t kBlock = 32;
  const auto load = [&](uint32_t row, uint32_t count, uint32_t at) {
    DataCopyExtParams copy;
    copy.blockCount = static_cast<uint16_t>(count);
    copy.blockLen = piece.valid;
    copy.srcStride = static_cast<uint32_t>(piece.row_bytes - piece.valid);
    copy.dstStride = (piece.width - (piece.valid + kBlock - 1) / kBlock * kBlock) / kBlock;
    const auto from = static_cast<uint64_t>(piece.source) + row * piece.row_bytes;
    DataCopyPad(to[at * piece.width], AtAddress<uint8_t>(from), copy,
                DataCopyPadExtParams<uint8_t>());
  };
  const uint32_t row = first % task.rows, before_next = min(rows, task.rows - row);
  load(row, before_next, 0);
  const uint32_t rest = min(rows - before_next, row);  // the rows before `row`, of the next head
  if (rest > 0) load(0, rest, before_next);
}

/// Copies the rows that LoadMaskPiece() has loaded to the rows of the other heads.
__aicore__ inline void SpreadMaskPiece(const LocalTensor<uint8_t>& mask, const MaskPiece& piece,
                                       const AttentionTask& task, uint32_t rows) {
  for (uint32_t done = task.rows; done < rows; done *= 2) {
    DataCopy(mask[done * piece.width], mask, min(done, rows - done) * piece.width);
    PipeBarrier<PIPE_V>();
  }
}

/// Makes the scores [rows][pitch] that a piece hides kNotVisible. `halves` and `floats` hold 64
/// elements a row.
///
/// A byte of 1 to 255 becomes a half whose bits are 0x3C00 to 0x5BF8. Read as an int16, that is a
/// number of 15360 or more, and its product with the largest float is infinite. A byte of 0 stays
/// 0.
__aicore__ inline void ApplyMaskPiece(const LocalTensor<float>& scores, uint32_t pitch,
                                      const LocalTensor<uint8_t>& mask, const MaskPiece& piece,
                                      uint32_t rows, const LocalTensor<half>& halves,
                                      const LocalTensor<float>& floats) {
  const auto stride = static_cast<uint8_t>(pitch / kFloatsPerBlock);
  const auto mask_stride = static_cast<uint8_t>(piece.width / 32);
  const uint32_t count = rows * kFloatLanes;
  const BinaryRepeatParams strides(1, 1, 1, stride, stride, kBlocksPerRepeat);
  for (uint32_t column = 0; column < piece.width; column += kFloatLanes) {
    Cast(halves, mask[column], RoundMode::CAST_NONE, kFloatLanes, rows, {1, 1, 4, mask_stride});
    PipeBarrier<PIPE_V>();
    Cast(floats, halves.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, count);
    PipeBarrier<PIPE_V>();
    const LocalTensor<float> to = scores[piece.column + column];
    if (piece.inverted) {
      // -2 for a byte of 0, a large number for the others: -infinity and +infinity.
      Adds(floats, floats, -2.0f, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
      // davsim: allow number hidden scores are infinite
      Muls(floats, floats, kMostFloat, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
      Min(to, to, floats, kFloatLanes, rows, strides);
    } else {
      // davsim: allow number hidden scores are infinite
      Muls(floats, floats, -kMostFloat, static_cast<int32_t>(count));
      PipeBarrier<PIPE_V>();
      Add(to, to, floats, kFloatLanes, rows, strides);
    }
    PipeBarrier<PIPE_V>();
  }
}

}  // namespace kernel_attention
