// Stage on the vector cores: scores of a group become weights. The whole row is there, so weights
// are normalised before they are rounded to bf16.
#pragma once

#include <limits>

#include "kernels/common/row_norm.h"
#include "kernels/common/work_split.h"
#include "kernels/sparse_flash_attention_quant/group.h"

namespace kernel_sparse_attention {

class RowSoftmax {
 public:
  __aicore__ inline RowSoftmax(const SparseFlashAttentionBuffers& buffers,
                               const SparseFlashAttentionTiling& tiling, TPipe* pipe)
      : tiling_(tiling) {
    lengths_ = Global<int32_t>(buffers.lengths);
    scores_ = Global<float>(buffers.scores);
    weights_ = Global<bfloat16_t>(buffers.weights);
    const uint32_t block = kRows * tiling.columns;
    pipe->InitBuffer(in_, kSlots, block * sizeof(float));
    pipe->InitBuffer(out_, kSlots, block * sizeof(bfloat16_t));
    pipe->InitBuffer(room_, RowScratchBytes(kRows, tiling.columns));
  }

  __aicore__ inline void Process(const Group& group) {
    constexpr uint32_t kPiecesOfToken = kHeads / kRows;
    const WorkRange share = ShareOfWork(static_cast<uint64_t>(group.tokens) * kPiecesOfToken,
                                        VectorCores(), GetBlockIdx());
    for (uint64_t piece = share.begin; piece < share.end; ++piece) {
      const auto token = group.first + static_cast<uint32_t>(piece / kPiecesOfToken);
      const uint64_t first = (group.QueryRow(tiling_) + piece * kRows) * tiling_.columns;
      const uint32_t count = kRows * tiling_.columns;
      auto in = in_.AllocTensor<float>();
      DataCopy(in, scores_[first], count);
      in_.EnQue(in);
      Compute(UsedEntries(tiling_, lengths_, token));
      auto out = out_.DeQue<bfloat16_t>();
      DataCopy(weights_[first], out, count);
      out_.FreeTensor(out);
    }
  }

 private:
  static constexpr uint32_t kRows = 4;

  __aicore__ inline void Compute(uint32_t used) {
    const uint32_t width = tiling_.columns, count = kRows * width;
    auto x = in_.DeQue<float>();
    auto out = out_.AllocTensor<bfloat16_t>();
    if (used == 0) {
      Duplicate(out.ReinterpretCast<half>(), half(0), count);
    } else {
      const RowScratch scratch = CutRowScratch(room_.Get<float>(), kRows, width);
      Muls(x, x, tiling_.scale, count);
      PipeBarrier<PIPE_V>();
      HideFrom(x, used);
      RowMaxima(scratch.numbers, x, scratch.folds, kRows, width);
      SpreadNumbers(scratch.blocks, scratch.numbers, kRows);
      WithNumbers<SubOp>(x, x, scratch.blocks, kRows, width);
      PipeBarrier<PIPE_V>();
      Exp(x, x, count);
      PipeBarrier<PIPE_V>();
      RowSums(scratch.numbers, x, scratch.folds, kRows, width);
      SpreadNumbers(scratch.blocks, scratch.numbers, kRows);
      WithNumbers<DivOp>(x, x, scratch.blocks, kRows, width);
      PipeBarrier<PIPE_V>();
      Cast(out, x, RoundMode::CAST_RINT, count);
    }
    in_.FreeTensor(x);
    out_.EnQue(out);
  }

  /// Columns from `used` on belong to no key.
  __aicore__ inline void HideFrom(const LocalTensor<float>& x, uint32_t used) {
    const float hidden = -std::numeric_limits<float>::infinity();
    const uint32_t width = tiling_.columns;
    const uint32_t partial = used % kFloatLanes;
    const uint32_t column = used - partial;
    for (uint32_t row = 0; row < kRows; ++row) {
      uint32_t from = row * width + column;
      uint32_t left = width - column;
      if (partial != 0) {
        const uint64_t lanes[2] = {~0ull << partial, 0};
        Duplicate(x[from], hidden, lanes, 1, 1, 8);
        from += kFloatLanes;
        left -= kFloatLanes;
      }
      if (left != 0) Duplicate(x[from], hidden, left);
    }
    PipeBarrier<PIPE_V>();
  }

  const SparseFlashAttentionTiling& tiling_;
  GlobalTensor<int32_t> lengths_;
  GlobalTensor<float> scores_;
  GlobalTensor<bfloat16_t> weights_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

}  // namespace kernel_sparse_attention
