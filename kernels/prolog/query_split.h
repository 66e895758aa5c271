// A stage of the MLA half on the vector cores. It dequantises the raised queries of a round's
// heads. It splits each head into the part that w_uk absorbs and the part that is rotated.
#pragma once

#include "kernels/prolog/dequant.h"

namespace kernel_prolog {

class QuerySplit {
 public:
  __aicore__ inline QuerySplit(const MlaBuffers& buffers, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe) {
    constexpr uint32_t kPieces = kAllHeads / kHeads;
    dequant_.Init({buffers.query_sums, buffers.q_norm_scale, buffers.dequant_scale, buffers.cos,
                   buffers.sin, kAllHeads * kHead, round.First(kPieces), round.Share(kPieces)},
                  tiling.tokens, pipe);
    parts_ = Global<bfloat16_t>(buffers.query_parts);
    query_rope_ = Global<bfloat16_t>(buffers.query_rope);
    pipe->InitBuffer(out_, kSlots, kHeads * (kHead + kRopeWidth) * sizeof(bfloat16_t));
    pipe->InitBuffer(room_, kRoomFloats * sizeof(float));
  }

  __aicore__ inline void Process() {
    WithNextOnItsWay(
        dequant_.Share(), [&](uint64_t unit) { dequant_.CopyIn(unit); },
        [&](uint64_t unit) { Compute(unit); }, [&](uint64_t unit) { CopyOut(unit); });
    dequant_.Finish();
  }

 private:
  static constexpr uint32_t kAllHeads = 128, kHeads = 16;  ///< of a token, of a unit
  static constexpr uint32_t kNope = 128, kHead = kNope + kRopeWidth;
  static constexpr uint32_t kRopes = kHeads * kRopeWidth;
  static constexpr uint32_t kRoomFloats = kHeads * kHead + 4 * kRopes + 2 * kRopeWidth;

  __aicore__ inline void Compute(uint64_t unit) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<float> ropes = x[kHeads * kHead];
    const LocalTensor<float> cos = ropes[4 * kRopes];
    dequant_.Compute(unit, x, cos);
    auto out = out_.AllocTensor<bfloat16_t>();
    Round(out, x, kHeads * kHead);
    // The rotated part starts from the rounded values.
    Cast(ropes, out[kNope], RoundMode::CAST_NONE, kRopeWidth, kHeads,
         UnaryRepeatParams(1, 1, kRopeWidth * sizeof(float) / 32, kHead * sizeof(bfloat16_t) / 32));
    RopeInterleaved({ropes, kRopeWidth}, ropes, SameRow(cos), SameRow(cos[kRopeWidth]),
                    ropes[kRopes], kHeads, kRopeWidth);
    PipeBarrier<PIPE_V>();
    Round(out[kHeads * kHead], ropes, kRopes);
    out_.EnQue(out);
  }

  __aicore__ inline void CopyOut(uint64_t unit) {
    auto out = out_.DeQue<bfloat16_t>();
    const uint64_t head = dequant_.TokenOf(unit) * kAllHeads + dequant_.PieceOf(unit) * kHeads;
    DataCopy(parts_[head * kNope], out,
             DataCopyParams(kHeads, kNope * sizeof(bfloat16_t) / 32,
                            kRopeWidth * sizeof(bfloat16_t) / 32, 0));
    Store(query_rope_[head * kRopeWidth], out[kHeads * kHead], kRopes);
    out_.FreeTensor(out);
  }

  Dequant<kHeads * kHead> dequant_;
  GlobalTensor<bfloat16_t> parts_, query_rope_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
};

}  // namespace kernel_prolog
