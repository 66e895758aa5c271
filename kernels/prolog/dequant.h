// Converts the int32 sums of a quantised product to fp32: sum * scale of the token * scale of the
// channel. It also loads the token's rows of cos and sin, because its queries are rotated next.
//
// A unit of work is a piece of one token's channels. Units are numbered piece by piece. A core with
// neighbouring units therefore loads the scales of their channels once.
#pragma once

#include "kernels/prolog/row_stage.h"

namespace kernel_prolog {

struct DequantSource {
  GM_ADDR sums;           ///< int32 [t, channels]
  GM_ADDR token_scale;    ///< fp32 [t]
  GM_ADDR channel_scale;  ///< fp32 [channels]
  GM_ADDR cos, sin;       ///< bf16 [t, 64]
  uint32_t channels;
  uint32_t first_piece, pieces;  ///< the pieces to be computed
};

/// `kPiece` channels of a token, a multiple of 64.
template <uint32_t kPiece>
class Dequant {
 public:
  __aicore__ inline void Init(const DequantSource& source, uint32_t tokens, TPipe* pipe) {
    channels_ = source.channels;
    tokens_ = tokens;
    sums_ = Global<int32_t>(source.sums);
    token_scale_ = Global<float>(source.token_scale);
    channel_scale_ = Global<float>(source.channel_scale);
    cos_ = Global<bfloat16_t>(source.cos);
    sin_ = Global<bfloat16_t>(source.sin);
    first_piece_ = source.first_piece;
    share_ =
        ShareOfWork(static_cast<uint64_t>(source.pieces) * tokens, VectorCores(), GetBlockIdx());
    pipe->InitBuffer(in_, kSlots, kPiece * sizeof(int32_t) + kTokenScaleBytes + kTableBytes);
    pipe->InitBuffer(scale_, 1, kPiece * sizeof(float));
    pipe->InitBuffer(blocks_, kBlocksBytes);
  }

  __aicore__ inline WorkRange Share() const { return share_; }
  __aicore__ inline uint64_t TokenOf(uint64_t unit) const { return unit % tokens_; }
  __aicore__ inline uint32_t PieceOf(uint64_t unit) const {
    return first_piece_ + static_cast<uint32_t>(unit / tokens_);
  }

  __aicore__ inline void CopyIn(uint64_t unit) {
    auto in = in_.template AllocTensor<int32_t>();
    Load(in, sums_[TokenOf(unit) * channels_ + PieceOf(unit) * kPiece], kPiece);
    Load(ScaleOf(in), token_scale_[TokenOf(unit)], 1);
    Load(TablesOf(in), cos_[TokenOf(unit) * kRopeWidth], kRopeWidth);
    Load(TablesOf(in)[kRopeWidth], sin_[TokenOf(unit) * kRopeWidth], kRopeWidth);
    in_.EnQue(in);
  }

  /// Computes a unit after its CopyIn: x = sums * token_scale * channel_scale, tables = cos and sin
  /// of its token, as fp32.
  __aicore__ inline void Compute(uint64_t unit, const LocalTensor<float>& x,
                                 const LocalTensor<float>& tables) {
    LoadScales(PieceOf(unit));
    auto in = in_.template DeQue<int32_t>();
    const auto blocks = blocks_.template Get<float>();
    Cast(x, in, RoundMode::CAST_RINT, kPiece);
    Brcb(blocks, ScaleOf(in), 1, {1, 8});
    Widen(tables, TablesOf(in), 2 * kRopeWidth);
    in_.FreeTensor(in);
    WithNumbers<MulOp>(x, x, blocks, 1, kPiece);
    PipeBarrier<PIPE_V>();
    Mul(x, x, scales_, kPiece);
    PipeBarrier<PIPE_V>();
  }

  /// Must be called after the last unit.
  __aicore__ inline void Finish() {
    if (piece_ != kNoPiece) scale_.FreeTensor(scales_);
    piece_ = kNoPiece;
  }

 private:
  static constexpr uint32_t kTokenScaleBytes = 32;
  static constexpr uint32_t kTableBytes = 2 * kRopeWidth * sizeof(bfloat16_t);
  static constexpr uint32_t kBlocksBytes = 256;
  static constexpr uint32_t kNoPiece = ~0u;

  __aicore__ inline LocalTensor<float> ScaleOf(const LocalTensor<int32_t>& in) const {
    return in[kPiece].template ReinterpretCast<float>();
  }
  __aicore__ inline LocalTensor<bfloat16_t> TablesOf(const LocalTensor<int32_t>& in) const {
    return in[kPiece + kTokenScaleBytes / sizeof(int32_t)].template ReinterpretCast<bfloat16_t>();
  }

  __aicore__ inline void LoadScales(uint32_t piece) {
    if (piece == piece_) return;
    Finish();
    auto scales = scale_.template AllocTensor<float>();
    Load(scales, channel_scale_[piece * kPiece], kPiece);
    scale_.EnQue(scales);
    scales_ = scale_.template DeQue<float>();
    piece_ = piece;
  }

  uint32_t channels_ = 0, tokens_ = 0, first_piece_ = 0;
  WorkRange share_ = {};
  GlobalTensor<int32_t> sums_;
  GlobalTensor<float> token_scale_, channel_scale_;
  GlobalTensor<bfloat16_t> cos_, sin_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECIN, 1> scale_;
  TBuf<TPosition::VECCALC> blocks_;
  LocalTensor<float> scales_;
  uint32_t piece_ = kNoPiece;
};

}  // namespace kernel_prolog
