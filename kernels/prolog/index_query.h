// Stages of the indexer half on the vector cores, the queries' side, for the heads of a round:
// dequantised and the front half of each head rotated, before the cube multiplies them with
// hadamard_q; quantised after it. In between a round's heads of all tokens lie together.
#pragma once

#include "kernels/prolog/dequant.h"

namespace kernel_prolog {

constexpr uint32_t kIndexHeads = 64;
constexpr uint32_t kIndexWidth = 128;

class IndexQuery {
 public:
  __aicore__ inline IndexQuery(const IndexerBuffers& buffers, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe)
      : pieces_(round.Share(kAllPieces)), first_piece_(round.First(kAllPieces)) {
    dequant_.Init({buffers.query_sums, buffers.q_norm_scale, buffers.w_qb_scale,
                   kIndexHeads * kIndexWidth, first_piece_, pieces_},
                  tiling.tokens, pipe);
    cos_ = Global<bfloat16_t>(buffers.cos);
    sin_ = Global<bfloat16_t>(buffers.sin);
    rotated_ = Global<bfloat16_t>(
        buffers.rotated_query)[static_cast<uint64_t>(first_piece_) * tiling.tokens * kPiece];
    pipe->InitBuffer(tables_queue_, kSlots, 2 * kRopeWidth * sizeof(bfloat16_t));
    pipe->InitBuffer(out_, kSlots, kPiece * sizeof(bfloat16_t));
    pipe->InitBuffer(room_, (3 * kPiece + kBankOffset + 2 * kRopeWidth) * sizeof(float));
  }

  __aicore__ inline void Process() {
    WithNextOnItsWay(
        dequant_.Share(), [&](uint64_t unit) { CopyIn(unit); },
        [&](uint64_t unit) { Compute(unit); }, [&](uint64_t unit) { CopyOut(unit); });
    dequant_.Finish();
  }

 private:
  static constexpr uint32_t kHeads = 32;  ///< of a unit
  static constexpr uint32_t kPiece = kHeads * kIndexWidth;
  static constexpr uint32_t kAllPieces = kIndexHeads / kHeads;  ///< of a token
  /// Keeps operands that are read together out of each other's bank groups.
  static constexpr uint32_t kBankOffset = 64;

  __aicore__ inline void CopyIn(uint64_t unit) {
    dequant_.CopyIn(unit);
    auto tables = tables_queue_.AllocTensor<bfloat16_t>();
    const uint64_t row = dequant_.TokenOf(unit) * kRopeWidth;
    Load(tables, cos_[row], kRopeWidth);
    Load(tables[kRopeWidth], sin_[row], kRopeWidth);
    tables_queue_.EnQue(tables);
  }

  __aicore__ inline void Compute(uint64_t unit) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<float> crossed = x[kPiece];
    const LocalTensor<float> direct = crossed[kPiece + kBankOffset];
    const LocalTensor<float> cos = direct[kPiece];
    dequant_.Compute(unit, x);
    auto out = out_.AllocTensor<bfloat16_t>();
    Round(out, x, kPiece);
    Widen(x, out, kPiece);
    auto tables = tables_queue_.DeQue<bfloat16_t>();
    Widen(cos, tables, 2 * kRopeWidth);
    tables_queue_.FreeTensor(tables);
    const Rows<float> to = {direct, kIndexWidth}, scratch = {crossed, kIndexWidth};
    RopeProducts(to, scratch, Rows<float>{x, kIndexWidth}, SameRow(cos), SameRow(cos[kRopeWidth]),
                 kHeads, kRopeWidth);
    PipeBarrier<PIPE_V>();
    RopeSums(to, to, scratch, kHeads, kRopeWidth);
    PipeBarrier<PIPE_V>();
    Cast(out, direct, RoundMode::CAST_RINT, kRopeWidth, kHeads,
         UnaryRepeatParams(1, 1, kIndexWidth * sizeof(bfloat16_t) / 32,
                           kIndexWidth * sizeof(float) / 32));
    out_.EnQue(out);
  }

  __aicore__ inline void CopyOut(uint64_t unit) {
    auto out = out_.DeQue<bfloat16_t>();
    const uint64_t to = dequant_.TokenOf(unit) * pieces_ + dequant_.PieceOf(unit) - first_piece_;
    Store(rotated_[to * kPiece], out, kPiece);
    out_.FreeTensor(out);
  }

  uint32_t pieces_, first_piece_;  ///< of a token, of this round
  Dequant<kPiece> dequant_;
  GlobalTensor<bfloat16_t> cos_, sin_, rotated_;
  TQue<TPosition::VECIN, kSlots> tables_queue_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

/// Heads to int8, one fp16 scale each. Rows are heads of tokens, those of a token neighbours.
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
    // Pieces of kRows rows, the last of a core may have less.
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

  /// Token by token, because other rounds' heads lie between those of two tokens.
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

}  // namespace kernel_prolog
