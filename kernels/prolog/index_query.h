// A stage of the indexer half on the vector cores. It dequantises the queries of a round's heads
// and rotates the front half of each head, before the cube multiplies them with hadamard_q. The
// results of a round's heads of all tokens are contiguous.
#pragma once

#include "kernels/prolog/dequant.h"

namespace kernel_prolog {

class IndexQuery {
 public:
  __aicore__ inline IndexQuery(const IndexerBuffers& buffers, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe)
      : pieces_(round.Share(kAllPieces)), first_piece_(round.First(kAllPieces)) {
    dequant_.Init({buffers.query_sums, buffers.q_norm_scale, buffers.w_qb_scale, buffers.cos,
                   buffers.sin, kIndexHeads * kIndexWidth, first_piece_, pieces_},
                  tiling.tokens, pipe);
    rotated_ = Global<bfloat16_t>(
        buffers.rotated_query)[static_cast<uint64_t>(first_piece_) * tiling.tokens * kPiece];
    pipe->InitBuffer(out_, kSlots, kPiece * sizeof(bfloat16_t));
    pipe->InitBuffer(room_, (3 * kPiece + kBankOffset + 2 * kRopeWidth) * sizeof(float));
  }

  __aicore__ inline void Process() {
    WithNextOnItsWay(
        dequant_.Share(), [&](uint64_t unit) { dequant_.CopyIn(unit); },
        [&](uint64_t unit) { Compute(unit); }, [&](uint64_t unit) { CopyOut(unit); });
    dequant_.Finish();
  }

 private:
  static constexpr uint32_t kHeads = 32;  ///< of a unit
  static constexpr uint32_t kPiece = kHeads * kIndexWidth;
  static constexpr uint32_t kAllPieces = kIndexHeads / kHeads;  ///< of a token
  /// Padding that puts operands of one instruction into different bank groups.
  static constexpr uint32_t kBankOffset = 64;

  __aicore__ inline void Compute(uint64_t unit) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<float> crossed = x[kPiece];
    const LocalTensor<float> direct = crossed[kPiece + kBankOffset];
    const LocalTensor<float> cos = direct[kPiece];
    dequant_.Compute(unit, x, cos);
    auto out = out_.AllocTensor<bfloat16_t>();
    Round(out, x, kPiece);
    Widen(x, out, kPiece);
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
  GlobalTensor<bfloat16_t> rotated_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

}  // namespace kernel_prolog
