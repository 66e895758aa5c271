// A stage of the MLA half on the vector cores, for the query. It normalises the latent (RMSNorm),
// rounds it to bf16 and quantises it to int8 with one scale for each token.
#pragma once

#include "kernels/prolog/row_stage.h"

namespace kernel_prolog {

class QueryNorm {
 public:
  __aicore__ inline QueryNorm(const MlaBuffers& buffers, const PrologTiling& tiling, TPipe* pipe)
      : eps_(tiling.epsilon_cq), share_(MyTokens(tiling)), gamma_gm_(buffers.gamma_cq) {
    latent_ = Global<bfloat16_t>(buffers.query_latent);
    q_norm_ = Global<int8_t>(buffers.q_norm);
    q_norm_scale_ = Global<float>(buffers.q_norm_scale);
    pipe->InitBuffer(in_, kSlots, kRows * kWidth * sizeof(bfloat16_t));
    pipe->InitBuffer(out_, kSlots, kRows * kWidth + kScaleBytes);
    pipe->InitBuffer(room_, (kRows + 1) * kWidth * sizeof(float) + RowScratchBytes(kRows, kWidth));
  }

  __aicore__ inline void Process() {
    if (share_.begin == share_.end) return;
    const LocalTensor<float> room = room_.Get<float>();
    gamma_ = room;
    x_ = room[kWidth];
    scratch_ = CutRowScratch(room[(kRows + 1) * kWidth], kRows, kWidth);
    LoadParameters(gamma_, gamma_gm_, in_, kWidth);
    ForEachPiece(share_, kRows, [&](uint64_t token, uint32_t rows) {
      CopyIn(token, rows);
      Compute(rows);
      CopyOut(token, rows);
    });
  }

 private:
  static constexpr uint32_t kWidth = 1536;
  static constexpr uint32_t kRows = 4;
  static constexpr uint32_t kScaleBytes = 32;

  __aicore__ inline void CopyIn(uint64_t token, uint32_t rows) {
    auto rows_in = in_.AllocTensor<bfloat16_t>();
    Load(rows_in, latent_[token * kWidth], rows * kWidth);
    in_.EnQue(rows_in);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    auto rows_in = in_.DeQue<bfloat16_t>();
    Widen(x_, rows_in, rows * kWidth);
    RmsNormRows(x_, gamma_, scratch_, eps_, rows, kWidth);
    Round(rows_in, x_, rows * kWidth);
    Widen(x_, rows_in, rows * kWidth);
    in_.FreeTensor(rows_in);
    auto bytes = out_.AllocTensor<int8_t>();
    DynamicQuantRows(bytes, bytes[kRows * kWidth].ReinterpretCast<float>(), x_, scratch_, rows,
                     kWidth);
    out_.EnQue(bytes);
  }

  __aicore__ inline void CopyOut(uint64_t token, uint32_t rows) {
    auto bytes = out_.DeQue<int8_t>();
    Store(q_norm_[token * kWidth], bytes, rows * kWidth);
    Store(q_norm_scale_[token], bytes[kRows * kWidth].ReinterpretCast<float>(), rows);
    out_.FreeTensor(bytes);
  }

  float eps_;
  WorkRange share_;
  GM_ADDR gamma_gm_;
  GlobalTensor<bfloat16_t> latent_;
  GlobalTensor<int8_t> q_norm_;
  GlobalTensor<float> q_norm_scale_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
  LocalTensor<float> gamma_, x_;
  RowScratch scratch_;
};

}  // namespace kernel_prolog
