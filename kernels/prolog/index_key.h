// A stage of the indexer half on the vector cores. It normalises the keys (LayerNorm) and rotates
// their front half, before the cube multiplies them with hadamard_k. It also scales the head
// weights.
#pragma once

#include "kernels/prolog/row_stage.h"

namespace kernel_prolog {

class IndexKey {
 public:
  __aicore__ inline IndexKey(const IndexerBuffers& buffers, const PrologTiling& tiling, TPipe* pipe)
      : buffers_(buffers), eps_(tiling.epsilon_k), share_(MyTokens(tiling)) {
    key_ = Global<float>(buffers.key);
    cos_ = Global<bfloat16_t>(buffers.cos);
    sin_ = Global<bfloat16_t>(buffers.sin);
    rotated_ = Global<bfloat16_t>(buffers.rotated_key);
    weights_ = Global<half>(buffers.weights);
    pipe->InitBuffer(in_, kSlots, kRows * kInBytes);
    pipe->InitBuffer(out_, kSlots, kRows * kOutBytes);
    pipe->InitBuffer(room_, kRoomFloats * sizeof(float) + RowScratchBytes(kRows, kIndexWidth));
  }

  __aicore__ inline void Process() {
    if (share_.begin == share_.end) return;
    const LocalTensor<float> room = room_.Get<float>();
    gamma_ = room;
    beta_ = room[kIndexWidth];
    x_ = room[2 * kIndexWidth];
    tables_ = x_[3 * kRows * kIndexWidth];
    scratch_ = CutRowScratch(room[kRoomFloats], kRows, kIndexWidth);
    LoadParameters(gamma_, buffers_.ln_gamma, in_, kIndexWidth);
    LoadParameters(beta_, buffers_.ln_beta, in_, kIndexWidth);
    ForEachPiece(share_, kRows, [&](uint64_t token, uint32_t rows) {
      CopyIn(token, rows);
      Compute(rows);
      CopyOut(token, rows);
    });
  }

 private:
  static constexpr uint32_t kRows = 16;
  /// Keys and head weights in fp32, then cos and sin in bf16.
  static constexpr uint32_t kProjected = kIndexWidth + kIndexHeads;
  static constexpr uint32_t kInBytes =
      kProjected * sizeof(float) + 2 * kRopeWidth * sizeof(bfloat16_t);
  static constexpr uint32_t kOutBytes =
      kIndexWidth * sizeof(bfloat16_t) + kIndexHeads * sizeof(half);
  /// gamma and beta; keys and the rope's two products; cos, sin and head weights.
  static constexpr uint32_t kRoomFloats =
      2 * kIndexWidth + kRows * (3 * kIndexWidth + 2 * kRopeWidth + kIndexHeads);
  static constexpr uint32_t kTables = kRows * kRopeWidth;

  __aicore__ inline void CopyIn(uint64_t token, uint32_t rows) {
    auto in = in_.AllocTensor<float>();
    const auto tables = in[kRows * kProjected].ReinterpretCast<bfloat16_t>();
    constexpr uint16_t kKeyBlocks = kIndexWidth / kFloatsPerBlock;
    constexpr uint16_t kWeightBlocks = kIndexHeads / kFloatsPerBlock;
    const uint64_t row = token * kProjected;
    DataCopy(in, key_[row], DataCopyParams(rows, kKeyBlocks, kWeightBlocks, 0));
    DataCopy(in[kRows * kIndexWidth], key_[row + kIndexWidth],
             DataCopyParams(rows, kWeightBlocks, kKeyBlocks, 0));
    Load(tables, cos_[token * kRopeWidth], rows * kRopeWidth);
    Load(tables[rows * kRopeWidth], sin_[token * kRopeWidth], rows * kRopeWidth);
    in_.EnQue(in);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    auto in = in_.DeQue<float>();
    auto out = out_.AllocTensor<bfloat16_t>();
    const LocalTensor<float> weights = tables_[2 * kTables];
    Adds(x_, in, 0.0f, rows * kIndexWidth);
    Round(WeightsOf(out).ReinterpretCast<bfloat16_t>(), in[kRows * kIndexWidth],
          rows * kIndexHeads);
    Widen(weights, WeightsOf(out).ReinterpretCast<bfloat16_t>(), rows * kIndexHeads);
    Widen(tables_, in[kRows * kProjected].ReinterpretCast<bfloat16_t>(), 2 * rows * kRopeWidth);
    in_.FreeTensor(in);
    LayerNormRows(x_, gamma_, beta_, scratch_, eps_, rows, kIndexWidth);
    Round(out, x_, rows * kIndexWidth);
    Widen(x_, out, rows * kIndexWidth);
    Rotate(out, rows);
    const float factor = 0.011048543456039806f;  // 64^-0.5 * 128^-0.5
    Muls(weights, weights, factor, rows * kIndexHeads);
    PipeBarrier<PIPE_V>();
    Cast(WeightsOf(out), weights, RoundMode::CAST_RINT, rows * kIndexHeads);
    out_.EnQue(out);
  }

  /// Rotates the front half of each row.
  __aicore__ inline void Rotate(const LocalTensor<bfloat16_t>& out, uint32_t rows) {
    const LocalTensor<float> crossed = x_[kRows * kIndexWidth],
                             direct = crossed[kRows * kIndexWidth];
    const Rows<float> to = {direct, kIndexWidth}, scratch = {crossed, kIndexWidth};
    const Rows<float> cos = {tables_, kRopeWidth}, sin = {tables_[rows * kRopeWidth], kRopeWidth};
    RopeProducts(to, scratch, Rows<float>{x_, kIndexWidth}, cos, sin, rows, kRopeWidth);
    PipeBarrier<PIPE_V>();
    RopeSums(to, to, scratch, rows, kRopeWidth);
    PipeBarrier<PIPE_V>();
    Cast(out, direct, RoundMode::CAST_RINT, kRopeWidth, rows,
         UnaryRepeatParams(1, 1, kIndexWidth * sizeof(bfloat16_t) / 32,
                           kIndexWidth * sizeof(float) / 32));
  }

  __aicore__ inline void CopyOut(uint64_t token, uint32_t rows) {
    auto out = out_.DeQue<bfloat16_t>();
    Store(rotated_[token * kIndexWidth], out, rows * kIndexWidth);
    Store(weights_[token * kIndexHeads], WeightsOf(out), rows * kIndexHeads);
    out_.FreeTensor(out);
  }

  __aicore__ inline LocalTensor<half> WeightsOf(const LocalTensor<bfloat16_t>& out) const {
    return out[kRows * kIndexWidth].ReinterpretCast<half>();
  }

  const IndexerBuffers& buffers_;
  float eps_;
  WorkRange share_;
  GlobalTensor<float> key_;
  GlobalTensor<bfloat16_t> cos_, sin_, rotated_;
  GlobalTensor<half> weights_;
  TQue<TPosition::VECIN, kSlots> in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TBuf<TPosition::VECCALC> room_;
  LocalTensor<float> gamma_, beta_, x_, tables_;
  RowScratch scratch_;
};

}  // namespace kernel_prolog
