// A stage of the MLA half on the vector cores, for the key. It normalises the latent (RMSNorm),
// rounds it to bf16 and quantises it to int8 with a scale for each quarter. It rotates the rope
// part. It stores latent, scales and rope part in the paged caches.
#pragma once

#include "kernels/prolog/row_stage.h"

namespace kernel_prolog {

class Latent {
 public:
  __aicore__ inline Latent(const MlaBuffers& buffers, const PrologTiling& tiling, TPipe* pipe)
      : eps_(tiling.epsilon_ckv), share_(MyTokens(tiling)), gamma_gm_(buffers.gamma_ckv) {
    key_ = Global<bfloat16_t>(buffers.key);
    cos_ = Global<bfloat16_t>(buffers.cos);
    sin_ = Global<bfloat16_t>(buffers.sin);
    kv_cache_ = Global<int8_t>(buffers.kv_cache);
    kr_cache_ = Global<bfloat16_t>(buffers.kr_cache);
    k_scale_cache_ = Global<float>(buffers.k_scale_cache);
    cache_index_ = Global<int64_t>(buffers.cache_index);
    pipe->InitBuffer(in_, kSlots, kRows * (kKey + 2 * kRopeWidth) * sizeof(bfloat16_t));
    pipe->InitBuffer(out_, kSlots, kRows * kOutBytes);
    pipe->InitBuffer(room_, kRoomFloats * sizeof(float) + RowScratchBytes(kRows, kWidth) +
                                kRows * kGroups * kBlocksOfGroups);
  }

  __aicore__ inline void Process() {
    if (share_.begin == share_.end) return;
    const LocalTensor<float> room = room_.Get<float>();
    gamma_ = room;
    x_ = room[kWidth];
    ropes_ = x_[kRows * kWidth];
    scales_ = ropes_[6 * kRopes];
    scratch_ = room[kRoomFloats];
    LoadParameters(gamma_, gamma_gm_, in_, kWidth);
    ForEachPiece(share_, kRows, [&](uint64_t token, uint32_t rows) {
      CopyIn(token, rows);
      Compute(rows);
      CopyOut(token, rows);
    });
  }

 private:
  static constexpr uint32_t kRows = 8;
  static constexpr uint32_t kWidth = 512, kKey = kWidth + kRopeWidth;
  static constexpr uint32_t kGroups = 4, kGroup = kWidth / kGroups;
  static constexpr uint32_t kRopes = kRows * kRopeWidth;
  /// gamma, latents, of the rope its rows, products and two tables, scales.
  static constexpr uint32_t kRoomFloats = (kRows + 1) * kWidth + 6 * kRopes + kRows * kGroups;
  /// A RowScratch for groups has four times the rows, of a quarter of the width.
  static constexpr uint32_t kBlocksOfGroups = 9 * sizeof(float);
  /// int8 latent, its scales (a DataBlock each), the rotated key.
  static constexpr uint32_t kScaleBytes = kGroups * 32;
  static constexpr uint32_t kOutBytes = kWidth + kScaleBytes + kRopeWidth * sizeof(bfloat16_t);

  __aicore__ inline void CopyIn(uint64_t token, uint32_t rows) {
    auto in = in_.AllocTensor<bfloat16_t>();
    // The latents are contiguous. The rope keys follow, then the tables.
    constexpr uint32_t kBlock = 32 / sizeof(bfloat16_t);
    DataCopy(in, key_[token * kKey], DataCopyParams(rows, kWidth / kBlock, kRopeWidth / kBlock, 0));
    DataCopy(in[kRows * kWidth], key_[token * kKey + kWidth],
             DataCopyParams(rows, kRopeWidth / kBlock, kWidth / kBlock, 0));
    const uint32_t ropes = rows * kRopeWidth;
    Load(in[kRows * kWidth + ropes], cos_[token * kRopeWidth], ropes);
    Load(in[kRows * kWidth + 2 * ropes], sin_[token * kRopeWidth], ropes);
    in_.EnQue(in);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    auto in = in_.DeQue<bfloat16_t>();
    auto out = out_.AllocTensor<int8_t>();
    Widen(x_, in, rows * kWidth);
    RmsNormRows(x_, gamma_, CutRowScratch(scratch_, kRows, kWidth), eps_, rows, kWidth);
    Round(in, x_, rows * kWidth);
    Widen(x_, in, rows * kWidth);
    const RowScratch groups = CutRowScratch(scratch_, kRows * kGroups, kGroup);
    DynamicQuantRows(out, scales_, x_, groups, rows * kGroups, kGroup);
    SpreadNumbers(ScalesOf(out), scales_, rows * kGroups);

    // Rope keys, cos and sin are contiguous.
    const uint32_t ropes = rows * kRopeWidth;
    Widen(ropes_, in[kRows * kWidth], 3 * ropes);
    in_.FreeTensor(in);
    const Rows<float> cos = {ropes_[ropes], kRopeWidth}, sin = {ropes_[2 * ropes], kRopeWidth};
    RopeInterleaved({ropes_, kRopeWidth}, ropes_, cos, sin, ropes_[3 * kRopes], rows, kRopeWidth);
    PipeBarrier<PIPE_V>();
    Round(RotatedOf(out), ropes_, rows * kRopeWidth);
    out_.EnQue(out);
  }

  __aicore__ inline void CopyOut(uint64_t token, uint32_t rows) {
    auto out = out_.DeQue<int8_t>();
    const auto row_of = [&](uint32_t row) { return cache_index_.GetValue(token + row); };
    ForEachRun(rows, 0, row_of, [&](const RowRun& run) {
      StoreRows(kv_cache_, out, run, kWidth, kWidth);
      StoreRows(kr_cache_, RotatedOf(out), run, kRopeWidth, kRopeWidth);
      StoreFirsts(k_scale_cache_[run.row * kGroups],
                  ScalesOf(out)[run.first * kGroups * kFloatsPerBlock], run.rows * kGroups);
    });
    out_.FreeTensor(out);
  }

  __aicore__ inline LocalTensor<float> ScalesOf(const LocalTensor<int8_t>& out) const {
    return out[kRows * kWidth].ReinterpretCast<float>();
  }
  __aicore__ inline LocalTensor<bfloat16_t> RotatedOf(const LocalTensor<int8_t>& out) const {
    return out[kRows * (kWidth + kScaleBytes)].ReinterpretCast<bfloat16_t>();
  }

  float eps_;
  WorkRange share_;
  GM_ADDR gamma_gm_;
  GlobalTensor<bfloat16_t> key_, cos_, sin_, kr_cache_;
  GlobalTensor<int8_t> kv_cache_;
  GlobalTensor<float> k_scale_cache_;
  GlobalTensor<int64_t> cache_index_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
  LocalTensor<float> gamma_, x_, ropes_, scales_, scratch_;
};

}  // namespace kernel_prolog
