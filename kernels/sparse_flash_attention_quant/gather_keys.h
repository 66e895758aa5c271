// Stage on the vector cores: the selected key rows of a group of tokens, out of the pages,
// dequantised, one token's rows behind one another; and the queries beside their rope part.
#pragma once

#include "kernels/common/row_reduce.h"
#include "kernels/common/work_split.h"
#include "kernels/sparse_flash_attention_quant/group.h"

namespace kernel_sparse_attention {

class GatherKeys {
 public:
  __aicore__ inline GatherKeys(const SparseFlashAttentionBuffers& buffers,
                               const SparseFlashAttentionTiling& tiling, TPipe* pipe)
      : tiling_(tiling) {
    query_nope_ = Global<bfloat16_t>(buffers.query_nope);
    query_rope_ = Global<bfloat16_t>(buffers.query_rope);
    key_int8_ = Global<int8_t>(buffers.key_nope);
    key_bf16_ = Global<bfloat16_t>(buffers.key_nope);
    key_rope_ = Global<bfloat16_t>(buffers.key_rope);
    key_scales_ = Global<float>(buffers.key_scales);
    indices_ = Global<int32_t>(buffers.topk_indices);
    table_ = Global<int32_t>(buffers.block_table);
    lengths_ = Global<int32_t>(buffers.lengths);
    queries_ = Global<bfloat16_t>(buffers.queries);
    keys_ = Global<bfloat16_t>(buffers.keys);
    pipe->InitBuffer(index_queue_, kSlots, kRows * sizeof(int32_t));
    pipe->InitBuffer(in_, kSlots, kRows * kInBytes);
    pipe->InitBuffer(out_, kSlots, kRows * kWidth * sizeof(bfloat16_t));
    pipe->InitBuffer(room_, kRows * (kLatent + kLatent / 2 + kBlockFloats) * sizeof(float));
    pipe->InitBuffer(query_queue_, kSlots, kQueryRows * kWidth * sizeof(bfloat16_t));
  }

  __aicore__ inline void Process(const Group& group) {
    CopyQueries(group);
    const uint32_t pieces = tiling_.columns / kRows;
    const WorkRange share =
        ShareOfWork(static_cast<uint64_t>(group.tokens) * pieces, VectorCores(), GetBlockIdx());
    for (uint64_t unit = share.begin; unit < share.end; ++unit) {
      GatherPiece(group, static_cast<uint32_t>(unit / pieces),
                  static_cast<uint32_t>(unit % pieces) * kRows);
    }
  }

 private:
  static constexpr uint32_t kRows = 16;  ///< of a piece
  static constexpr uint32_t kQueryRows = 16;
  static constexpr uint32_t kScaleFloats = 8;                 ///< a DataBlock a row
  static constexpr uint32_t kBlockFloats = 8 * kScaleFloats;  ///< scales spread
  /// A key row as it comes: latent (the wider of int8 and bf16), rope part, scales.
  static constexpr uint32_t kNopeBytes = kLatent * sizeof(bfloat16_t);
  static constexpr uint32_t kRopeBytes = kRope * sizeof(bfloat16_t);
  static constexpr uint32_t kInBytes = kNopeBytes + kRopeBytes + kScaleFloats * sizeof(float);
  static constexpr uint32_t kScaleGroup = kLatent / kScaleGroups;

  // --- queries ---------------------------------------------------------------------------------

  /// Rows of 512 and of 64 become rows of 576.
  __aicore__ inline void CopyQueries(const Group& group) {
    const uint32_t pieces = group.tokens * kHeads / kQueryRows;
    const WorkRange share = ShareOfWork(pieces, VectorCores(), GetBlockIdx());
    for (uint64_t piece = share.begin; piece < share.end; ++piece) {
      const uint64_t from = static_cast<uint64_t>(group.first) * kHeads + piece * kQueryRows;
      auto rows = query_queue_.AllocTensor<bfloat16_t>();
      constexpr uint16_t kNopeBlocks = kNopeBytes / 32, kRopeBlocks = kRopeBytes / 32;
      DataCopy(rows, query_nope_[from * kLatent],
               DataCopyParams(kQueryRows, kNopeBlocks, 0, kRopeBlocks));
      DataCopy(rows[kLatent], query_rope_[from * kRope],
               DataCopyParams(kQueryRows, kRopeBlocks, 0, kNopeBlocks));
      query_queue_.EnQue(rows);
      auto ready = query_queue_.DeQue<bfloat16_t>();
      const uint64_t to = group.QueryRow(tiling_) + piece * kQueryRows;
      DataCopy(queries_[to * kWidth], ready, kQueryRows * kWidth);
      query_queue_.FreeTensor(ready);
    }
  }

  // --- keys ------------------------------------------------------------------------------------

  /// Columns [column, column + kRows) of a token of the group; behind its last key zeros, because
  /// zero weights multiply them.
  __aicore__ inline void GatherPiece(const Group& group, uint32_t of_group, uint32_t column) {
    const uint32_t token = group.first + of_group;
    const uint32_t used = UsedEntries(tiling_, lengths_, token);
    const uint32_t rows = column >= used ? 0 : min(used - column, kRows);
    const uint64_t to = group.KeyRow(tiling_, of_group) + column;
    if (rows != 0) CopyIn(token, column, rows);
    Compute(rows);
    CopyOut(to);
  }

  __aicore__ inline void CopyIn(uint32_t token, uint32_t column, uint32_t rows) {
    auto positions = index_queue_.AllocTensor<int32_t>();
    Load(positions, indices_[static_cast<uint64_t>(token) * kListed + column], rows);
    index_queue_.EnQue(positions);
    auto listed = index_queue_.DeQue<int32_t>();
    const auto event = GetTPipePtr()->FetchEventID(HardEvent::MTE2_S);
    SetFlag<HardEvent::MTE2_S>(event);
    WaitFlag<HardEvent::MTE2_S>(event);
    auto in = in_.AllocTensor<int8_t>();
    const uint64_t table_row = static_cast<uint64_t>(token / tiling_.steps) * tiling_.blocks;
    for (uint32_t row = 0; row < rows; ++row) {
      const uint32_t position = static_cast<uint32_t>(listed.GetValue(row));
      const uint64_t page = table_.GetValue(table_row + position / kPage);
      CopyRow(in, row, page * kPage + position % kPage);
    }
    index_queue_.FreeTensor(listed);
    in_.EnQue(in);
  }

  __aicore__ inline void CopyRow(const LocalTensor<int8_t>& in, uint32_t row, uint64_t from) {
    if (tiling_.quantised) {
      DataCopy(in[row * kLatent], key_int8_[from * kLatent], kLatent);
      Load(ScalesOf(in)[row * kScaleFloats], key_scales_[from * kScaleGroups], kScaleGroups);
    } else {
      DataCopy(in.ReinterpretCast<bfloat16_t>()[row * kLatent], key_bf16_[from * kLatent], kLatent);
    }
    DataCopy(RopeOf(in)[row * kRope], key_rope_[from * kRope], kRope);
  }

  __aicore__ inline void Compute(uint32_t rows) {
    auto out = out_.AllocTensor<bfloat16_t>();
    if (rows < kRows) {
      Duplicate(out.ReinterpretCast<half>(), half(0), kRows * kWidth);
      PipeBarrier<PIPE_V>();
    }
    if (rows != 0) {
      auto in = in_.DeQue<int8_t>();
      if (tiling_.quantised) {
        Dequantise(out, in, rows);
      } else {
        DataCopy(out, in.ReinterpretCast<bfloat16_t>(),
                 DataCopyParams(rows, kNopeBytes / 32, 0, kRopeBytes / 32));
      }
      DataCopy(out[kLatent], RopeOf(in), DataCopyParams(rows, kRopeBytes / 32, 0, kNopeBytes / 32));
      PipeBarrier<PIPE_V>();
      in_.FreeTensor(in);
    }
    out_.EnQue(out);
  }

  /// bf16(value * scale of its quarter of the row).
  __aicore__ inline void Dequantise(const LocalTensor<bfloat16_t>& out,
                                    const LocalTensor<int8_t>& in, uint32_t rows) {
    const LocalTensor<float> x = room_.Get<float>();
    const LocalTensor<half> halves = x[kRows * kLatent].ReinterpretCast<half>();
    const LocalTensor<float> blocks = x[kRows * (kLatent + kLatent / 2)];
    Cast(halves, in, RoundMode::CAST_NONE, rows * kLatent);
    Brcb(blocks, ScalesOf(in), rows, {1, 8});
    PipeBarrier<PIPE_V>();
    Cast(x, halves, RoundMode::CAST_NONE, rows * kLatent);
    PipeBarrier<PIPE_V>();
    constexpr uint8_t kRowBlocks = kLatent / kFloatsPerBlock;
    const BinaryRepeatParams scaled(1, 1, 0, kRowBlocks, kRowBlocks, kScaleFloats);
    for (uint32_t column = 0; column < kLatent; column += kFloatLanes) {
      const LocalTensor<float> scale = blocks[column / kScaleGroup * kFloatsPerBlock];
      Mul(x[column], x[column], scale, kFloatLanes, rows, scaled);
    }
    PipeBarrier<PIPE_V>();
    const UnaryRepeatParams rounded(1, 1, kWidth * sizeof(bfloat16_t) / 32, kRowBlocks);
    for (uint32_t column = 0; column < kLatent; column += kFloatLanes) {
      Cast(out[column], x[column], RoundMode::CAST_RINT, kFloatLanes, rows, rounded);
    }
  }

  __aicore__ inline void CopyOut(uint64_t key_row) {
    auto out = out_.DeQue<bfloat16_t>();
    DataCopy(keys_[key_row * kWidth], out, kRows * kWidth);
    out_.FreeTensor(out);
  }

  __aicore__ inline LocalTensor<bfloat16_t> RopeOf(const LocalTensor<int8_t>& in) const {
    return in[kRows * kNopeBytes].ReinterpretCast<bfloat16_t>();
  }
  __aicore__ inline LocalTensor<float> ScalesOf(const LocalTensor<int8_t>& in) const {
    return in[kRows * (kNopeBytes + kRopeBytes)].ReinterpretCast<float>();
  }

  const SparseFlashAttentionTiling& tiling_;
  GlobalTensor<bfloat16_t> query_nope_, query_rope_, key_bf16_, key_rope_, queries_, keys_;
  GlobalTensor<int8_t> key_int8_;
  GlobalTensor<float> key_scales_;
  GlobalTensor<int32_t> indices_, table_, lengths_;
  TQue<TPosition::VECIN, kSlots> index_queue_, in_;
  TQue<TPosition::VECOUT, kSlots> out_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, kSlots> query_queue_;
  TBuf<TPosition::VECCALC> room_;
};

}  // namespace kernel_sparse_attention
