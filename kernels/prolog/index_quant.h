// The stages of the indexer half on the vector cores after the products with hadamard_q and
// hadamard_k. They quantise queries and keys to int8.
#pragma once

#include "kernels/prolog/row_stage.h"

namespace kernel_prolog {

/// Quantises heads to int8, with one fp16 scale for each head. A row is a head of a token. The
/// heads of a token are neighbouring rows.
class QuantQuery {
 public:
  __aicore__ inline QuantQuery(const IndexerBuffers& buffers, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe)
      : heads_(round.Share(kIndexHeads)), first_head_(round.First(kIndexHeads)) {
    const uint64_t rows = static_cast<uint64_t>(tiling.tokens) * heads_;
    const WorkRange groups = ShareOfWork(rows / kGroup, VectorCores(), GetBlockIdx());
    share_ = {groups.begin * kGroup, groups.end * kGroup};
    mixed_ = Global<bfloat16_t>(buffers.mixed_query)[round.index * rows * kIndexWidth];
    q_int8_ = Global<int8_t>(buffers.q_int8);
    q_scale_ = Global<half>(buffers.q_scale);
    pipe->InitBuffer(in_, kSlots, kRows * kIndexWidth * sizeof(bfloat16_t));
    pipe->InitBuffer(out_, kSlots, kRows * (kIndexWidth + sizeof(half)));
    pipe->InitBuffer(
        room_, kRows * (kIndexWidth + 1) * sizeof(float) + RowScratchBytes(kRows, kIndexWidth));
  }

  __aicore__ inline void Process() {
    // Pieces have kRows rows. The last piece of a core may have fewer.
    const uint64_t pieces = (share_.end - share_.begin + kRows - 1) / kRows;
    WithNextOnItsWay(
        {0, pieces}, [&](uint64_t piece) { CopyIn(piece); },
        [&](uint64_t piece) { Compute(RowsOf(piece)); }, [&](uint64_t piece) { CopyOut(piece); });
  }

 private:
  static constexpr uint32_t kRows = 64;
  static constexpr uint32_t kGroup = 16;  ///< rows whose scales fill a DataBlock

  __aicore__ inline uint64_t FirstOf(uint64_t piece) const { return share_.begin + piece * kRows; }
  __aicore__ inline uint32_t RowsOf(uint64_t piece) const {
    const uint64_t left = share_.end - FirstOf(piece);
    return left < kRows ? static_cast<uint32_t>(left) : kRows;
  }

  __aicore__ inline void CopyIn(uint64_t piece) {
    auto in = in_.AllocTensor<bfloat16_t>();
    Load(in, mixed_[FirstOf(piece) * kIndexWidth], RowsOf(piece) * kIndexWidth);
    in_.EnQue(in);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<float> scales = x[kRows * kIndexWidth];
    const RowScratch scratch = CutRowScratch(x[kRows * (kIndexWidth + 1)], kRows, kIndexWidth);
    auto in = in_.DeQue<bfloat16_t>();
    Widen(x, in, rows * kIndexWidth);
    in_.FreeTensor(in);
    auto out = out_.AllocTensor<int8_t>();
    DynamicQuantRows(out, scales, x, scratch, rows, kIndexWidth);
    Cast(ScalesOf(out), scales, RoundMode::CAST_RINT, rows);
    out_.EnQue(out);
  }

  /// Stores token by token, because heads of other rounds lie between those of two tokens.
  __aicore__ inline void CopyOut(uint64_t piece) {
    auto out = out_.DeQue<int8_t>();
    const uint32_t rows = RowsOf(piece);
    for (uint32_t done = 0; done < rows;) {
      const uint64_t row = FirstOf(piece) + done;
      const uint32_t head = static_cast<uint32_t>(row % heads_);
      const uint32_t run = min(heads_ - head, rows - done);
      const uint64_t to = row / heads_ * kIndexHeads + first_head_ + head;
      Store(q_int8_[to * kIndexWidth], out[done * kIndexWidth], run * kIndexWidth);
      Store(q_scale_[to], ScalesOf(out)[done], run);
      done += run;
    }
    out_.FreeTensor(out);
  }

  __aicore__ inline LocalTensor<half> ScalesOf(const LocalTensor<int8_t>& out) const {
    return out[kRows * kIndexWidth].ReinterpretCast<half>();
  }

  uint32_t heads_, first_head_;  ///< of a token, of this round
  WorkRange share_;
  GlobalTensor<bfloat16_t> mixed_;
  GlobalTensor<int8_t> q_int8_;
  GlobalTensor<half> q_scale_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

/// Quantises keys to int8, with one fp16 scale for each key, and stores them in the paged caches.
class QuantKey {
 public:
  __aicore__ inline QuantKey(const IndexerBuffers& buffers, const PrologTiling& tiling, TPipe* pipe)
      : share_(MyTokens(tiling)) {
    mixed_ = Global<bfloat16_t>(buffers.mixed_key);
    k_int8_ = Global<int8_t>(buffers.k_int8);
    k_scale_ = Global<half>(buffers.k_scale);
    cache_index_ = Global<int64_t>(buffers.cache_index);
    pipe->InitBuffer(in_, kSlots, kRows * kIndexWidth * sizeof(bfloat16_t));
    pipe->InitBuffer(out_, kSlots, kRows * (kIndexWidth + kScaleBytes));
    pipe->InitBuffer(
        room_, kRows * (kIndexWidth + 2) * sizeof(float) + RowScratchBytes(kRows, kIndexWidth));
  }

  __aicore__ inline void Process() {
    ForEachPiece(share_, kRows, [&](uint64_t token, uint32_t rows) {
      auto in = in_.AllocTensor<bfloat16_t>();
      Load(in, mixed_[token * kIndexWidth], rows * kIndexWidth);
      in_.EnQue(in);
      Compute(rows);
      CopyOut(token, rows);
    });
  }

 private:
  static constexpr uint32_t kRows = 16;
  static constexpr uint32_t kScaleBytes = 32;  ///< a DataBlock each
  static constexpr uint32_t kHalvesPerBlock = 16;

  __aicore__ inline void Compute(uint32_t rows) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<float> scales = x[kRows * kIndexWidth];
    const LocalTensor<half> half_scales = scales[kRows].ReinterpretCast<half>();
    const RowScratch scratch = CutRowScratch(x[kRows * (kIndexWidth + 2)], kRows, kIndexWidth);
    auto in = in_.DeQue<bfloat16_t>();
    Widen(x, in, rows * kIndexWidth);
    in_.FreeTensor(in);
    auto out = out_.AllocTensor<int8_t>();
    DynamicQuantRows(out, scales, x, scratch, rows, kIndexWidth);
    Cast(half_scales, scales, RoundMode::CAST_RINT, rows);
    PipeBarrier<PIPE_V>();
    SpreadNumbers(ScalesOf(out), half_scales, rows);
    out_.EnQue(out);
  }

  __aicore__ inline void CopyOut(uint64_t token, uint32_t rows) {
    auto out = out_.DeQue<int8_t>();
    const auto row_of = [&](uint32_t row) { return cache_index_.GetValue(token + row); };
    ForEachRun(rows, 0, row_of, [&](const RowRun& run) {
      StoreRows(k_int8_, out, run, kIndexWidth, kIndexWidth);
      StoreFirsts(k_scale_[run.row], ScalesOf(out)[run.first * kHalvesPerBlock], run.rows);
    });
    out_.FreeTensor(out);
  }

  __aicore__ inline LocalTensor<half> ScalesOf(const LocalTensor<int8_t>& out) const {
    return out[kRows * kIndexWidth].ReinterpretCast<half>();
  }

  WorkRange share_;
  GlobalTensor<bfloat16_t> mixed_;
  GlobalTensor<int8_t> k_int8_;
  GlobalTensor<half> k_scale_;
  GlobalTensor<int64_t> cache_index_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

}  // namespace kernel_prolog
