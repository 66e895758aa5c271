// RopeQuantKvcache: rotates q and k, quantises k and v to int8 and appends them to their caches.
//
// Every block takes a contiguous range of the launch's (token, head) pairs and moves it through UB
// in chunks: a run of heads of one token, or several whole tokens. The next chunk is loaded while
// this one is computed and the last one is stored.
#include "kernel_operator.h"
#include "kernels/common/rope.h"
#include "kernels/common/static_quant.h"
#include "kernels/common/work_split.h"
#include "kernels/rope_quant_kvcache/rope_quant_kvcache_tiling.h"

using namespace AscendC;

namespace {

/// A double-buffered queue: one slot is filled while the other is in use.
constexpr int32_t kSlots = 2;
/// UB's 16 bank groups take turns every 32 bytes, and a group serves one read at a time: two
/// operands that are read together should lie half a turn apart. For D = 128 a row of fp16 and a
/// tile of fp32 are just half a turn long; buffers start at whole turns, and the second operands
/// are shifted.
constexpr uint32_t kBankPeriod = 512;
constexpr uint32_t kBankShift = 256;
/// Elements of a DataBlock (32 bytes), the unit of DataCopyParams.
constexpr uint32_t kHalfPerBlock = 16;
constexpr uint32_t kInt8PerBlock = 32;

/// Heads [head, head + heads) of each of the tokens [token, token + tokens).
struct Chunk {
  uint64_t token;
  uint32_t tokens;
  uint32_t head;
  uint32_t heads;
};

class RopeQuantKvcache {
 public:
  __aicore__ inline RopeQuantKvcache(const RopeQuantKvcacheTiling& tiling, TPipe* pipe)
      : tiling_(tiling), pipe_(pipe), width_(tiling.head_dim) {
    token_heads_ = tiling.query_heads + 2 * tiling.kv_heads;
    rope_heads_ = tiling.query_heads + tiling.kv_heads;
  }

  __aicore__ inline void Init(GM_ADDR qkv, GM_ADDR cos, GM_ADDR sin, GM_ADDR quant_scale,
                              GM_ADDR quant_offset, GM_ADDR k_cache, GM_ADDR v_cache,
                              GM_ADDR indice, GM_ADDR q, GM_ADDR k, GM_ADDR v) {
    qkv_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(qkv));
    cos_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(cos));
    sin_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(sin));
    scale_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(quant_scale));
    offset_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(quant_offset));
    k_cache_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(k_cache));
    v_cache_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(v_cache));
    indice_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indice));
    q_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(q));
    k_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(k));
    v_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(v));

    const uint32_t chunk = tiling_.chunk_heads * width_;
    const uint32_t tables = tiling_.chunk_tokens * width_;
    pipe_->InitBuffer(rows_queue_, kSlots, Lines(chunk * sizeof(half)));
    pipe_->InitBuffer(table_queue_, kSlots, Lines(2 * tables * sizeof(half)));
    pipe_->InitBuffer(quant_queue_, 1, Lines(2 * width_ * sizeof(float) + kBankShift));
    pipe_->InitBuffer(half_queue_, kSlots, Lines(chunk * sizeof(half)));
    pipe_->InitBuffer(int8_queue_, kSlots, Lines(chunk * sizeof(int8_t)));
    pipe_->InitBuffer(crossed_buffer_, Lines(chunk * sizeof(half) + kBankShift));
    pipe_->InitBuffer(float_buffer_, Lines(chunk * sizeof(float)));
    crossed_ = crossed_buffer_.Get<half>()[kBankShift / sizeof(half)];
    values_ = float_buffer_.Get<float>();
  }

  __aicore__ inline void Process() {
    const uint64_t tokens = static_cast<uint64_t>(tiling_.batch) * tiling_.seq_len;
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(tokens * token_heads_, GetBlockNum(), GetBlockIdx());
    if (mine.begin == mine.end) return;

    Chunk now = ChunkAt(mine.begin, mine.end);
    Load(now, UsesTables(now));
    uint64_t loaded = mine.begin + Items(now);
    while (true) {
      const bool last = loaded == mine.end;
      Chunk next = now;
      bool next_shares_tables = false;
      if (!last) {
        next = ChunkAt(loaded, mine.end);
        next_shares_tables = UsesTables(now) && UsesTables(next) && next.token == now.token;
        Load(next, UsesTables(next) && !next_shares_tables);
        loaded += Items(next);
      }
      Compute(now);
      if (UsesTables(now) && !next_shares_tables) ReleaseTables();
      Store(now);
      if (last) break;
      now = next;
    }
    if (quant_ready_) quant_queue_.FreeTensor(quant_);
  }

 private:
  __aicore__ inline uint32_t Items(const Chunk& chunk) const { return chunk.tokens * chunk.heads; }

  __aicore__ inline uint32_t Lines(uint32_t bytes) const {
    return (bytes + kBankPeriod - 1) / kBankPeriod * kBankPeriod;
  }

  /// The chunk that starts with work item `item`.
  __aicore__ inline Chunk ChunkAt(uint64_t item, uint64_t end) const {
    Chunk chunk;
    chunk.token = item / token_heads_;
    chunk.tokens = 1;
    chunk.head = static_cast<uint32_t>(item % token_heads_);
    const uint64_t whole_tokens = (end - item) / token_heads_;
    if (chunk.head == 0 && whole_tokens > 1 && tiling_.chunk_tokens > 1) {
      chunk.tokens = kernel_common::EvenPiece(whole_tokens, tiling_.chunk_tokens);
      chunk.heads = token_heads_;
      return chunk;
    }
    const uint64_t of_token = token_heads_ - chunk.head;
    const uint64_t of_range = end - item;
    chunk.heads =
        kernel_common::EvenPiece(of_token < of_range ? of_token : of_range, tiling_.chunk_heads);
    return chunk;
  }

  // --- which of a chunk's heads are what: all are counts of heads of one token -----------------
  __aicore__ inline uint32_t Below(const Chunk& chunk, uint32_t limit) const {
    if (chunk.head >= limit) return 0;
    return limit - chunk.head < chunk.heads ? limit - chunk.head : chunk.heads;
  }
  __aicore__ inline uint32_t QueryHeads(const Chunk& chunk) const {
    return Below(chunk, tiling_.query_heads);
  }
  __aicore__ inline uint32_t RopeHeads(const Chunk& chunk) const {
    return Below(chunk, rope_heads_);
  }
  __aicore__ inline uint32_t KeyHeads(const Chunk& chunk) const {
    return RopeHeads(chunk) - QueryHeads(chunk);
  }
  __aicore__ inline uint32_t ValueHeads(const Chunk& chunk) const {
    return chunk.heads - RopeHeads(chunk);
  }
  __aicore__ inline bool UsesTables(const Chunk& chunk) const { return RopeHeads(chunk) != 0; }
  /// Index among the key (value) heads of the chunk's first one.
  __aicore__ inline uint32_t FirstKey(const Chunk& chunk) const {
    return chunk.head > tiling_.query_heads ? chunk.head - tiling_.query_heads : 0;
  }
  __aicore__ inline uint32_t FirstValue(const Chunk& chunk) const {
    return chunk.head > rope_heads_ ? chunk.head - rope_heads_ : 0;
  }

  // --- load --------------------------------------------------------------------------------------
  // All buffers of a stage are asked for before its first one is handed on: the event by which a
  // buffer came back may be given out again at once, and asked for later, its second set could
  // overtake the wait for its first. Buffers are handed on after the last copy, because what
  // follows an event's set on its queue waits until everything before it has arrived.
  __aicore__ inline void Load(const Chunk& chunk, bool with_tables) {
    const bool with_quant = !quant_loaded_ && chunk.head + chunk.heads > tiling_.query_heads;
    LocalTensor<half> rows = rows_queue_.AllocTensor<half>();
    LocalTensor<half> tables;
    LocalTensor<float> quant;
    if (with_tables) tables = table_queue_.AllocTensor<half>();
    if (with_quant) quant = quant_queue_.AllocTensor<float>();

    DataCopy(rows, qkv_[(chunk.token * token_heads_ + chunk.head) * width_], Items(chunk) * width_);
    if (with_tables) LoadTables(chunk, tables);
    if (with_quant) LoadQuant(quant);

    rows_queue_.EnQue(rows);
    if (with_tables) table_queue_.EnQue(tables);
    if (with_quant) quant_queue_.EnQue(quant);
  }

  __aicore__ inline void LoadTables(const Chunk& chunk, const LocalTensor<half>& tables) {
    const uint32_t count = chunk.tokens * width_;
    DataCopy(tables, cos_[chunk.token * width_], count);
    DataCopy(tables[tiling_.chunk_tokens * width_], sin_[chunk.token * width_], count);
  }

  /// Scale and offset, once a block and only where it has heads to quantise.
  __aicore__ inline void LoadQuant(const LocalTensor<float>& quant) {
    const LocalTensor<float> shifted = quant[kBankShift / sizeof(float)];
    DataCopy(shifted, scale_, width_);
    DataCopy(shifted.ReinterpretCast<int32_t>()[width_], offset_, width_);
    quant_loaded_ = true;
  }

  // --- compute -----------------------------------------------------------------------------------
  __aicore__ inline void Compute(const Chunk& chunk) {
    const uint32_t quant_heads = KeyHeads(chunk) + ValueHeads(chunk);
    if (quant_heads != 0) PrepareQuant();
    const bool has_half_rows = UsesTables(chunk) || tiling_.kv_output != 0;

    // The buffers between the steps are single: the last chunk must be through with them.
    PipeBarrier<PIPE_V>();
    LocalTensor<half> rows = rows_queue_.DeQue<half>();
    LocalTensor<half> half_rows;
    LocalTensor<int8_t> bytes;
    if (has_half_rows) half_rows = half_queue_.AllocTensor<half>();
    if (quant_heads != 0) bytes = int8_queue_.AllocTensor<int8_t>();
    if (UsesTables(chunk)) Rotate(chunk, rows, half_rows);
    if (ValueHeads(chunk) != 0) TakeValues(chunk, rows, half_rows);
    rows_queue_.FreeTensor(rows);
    // Handed over before the quantisation, which only reads it: q is stored meanwhile.
    if (has_half_rows) half_queue_.EnQue(half_rows);
    if (quant_heads != 0) Quantise(chunk, half_rows, bytes);
  }

  __aicore__ inline void PrepareQuant() {
    if (quant_ready_) return;
    quant_ = quant_queue_.DeQue<float>();
    scale_row_ = quant_[kBankShift / sizeof(float)];
    offset_row_ = scale_row_[width_];
    Cast(offset_row_, offset_row_.ReinterpretCast<int32_t>(), RoundMode::CAST_RINT, width_);
    quant_ready_ = true;
  }

  /// half_rows[token][rope head] = the rotated heads.
  __aicore__ inline void Rotate(const Chunk& chunk, const LocalTensor<half>& rows,
                                const LocalTensor<half>& half_rows) {
    if (!tables_ready_) {
      tables_ = table_queue_.DeQue<half>();
      tables_ready_ = true;
    }
    const LocalTensor<half> sin = tables_[tiling_.chunk_tokens * width_];
    const uint32_t heads = RopeHeads(chunk);
    for (uint32_t token = 0; token < chunk.tokens; ++token) {
      const uint32_t out = token * heads * width_;
      kernel_common::RopeProducts<half>({half_rows[out], width_}, {crossed_[out], width_},
                                        {rows[token * chunk.heads * width_], width_},
                                        kernel_common::SameRow(tables_[token * width_]),
                                        kernel_common::SameRow(sin[token * width_]), heads, width_);
    }
    PipeBarrier<PIPE_V>();
    kernel_common::RopeSums<half>({half_rows, width_}, {half_rows, width_}, {crossed_, width_},
                                  chunk.tokens * heads, width_);
  }

  __aicore__ inline void ReleaseTables() {
    table_queue_.FreeTensor(tables_);
    tables_ready_ = false;
  }

  /// Widens the value heads into their columns of the rows to quantise; for kv_output also copies
  /// them behind the rotated heads.
  __aicore__ inline void TakeValues(const Chunk& chunk, const LocalTensor<half>& rows,
                                    const LocalTensor<half>& half_rows) {
    const uint32_t count = ValueHeads(chunk) * width_;
    const uint32_t keys = KeyHeads(chunk) * width_;
    for (uint32_t token = 0; token < chunk.tokens; ++token) {
      const LocalTensor<half> from = rows[(token * chunk.heads + RopeHeads(chunk)) * width_];
      Cast(values_[token * (keys + count) + keys], from, RoundMode::CAST_NONE, count);
      if (tiling_.kv_output != 0)
        DataCopy(half_rows[HalfValues(chunk) + token * count], from, count);
    }
  }

  /// Where the value heads start in half_rows.
  __aicore__ inline uint32_t HalfValues(const Chunk& chunk) const {
    return chunk.tokens * RopeHeads(chunk) * width_;
  }

  /// int8 rows [token][key heads, value heads]; the value heads are in float_buffer_ already.
  __aicore__ inline void Quantise(const Chunk& chunk, const LocalTensor<half>& half_rows,
                                  const LocalTensor<int8_t>& bytes) {
    const uint32_t key_count = KeyHeads(chunk) * width_;
    const uint32_t heads = KeyHeads(chunk) + ValueHeads(chunk);
    PipeBarrier<PIPE_V>();
    if (key_count != 0) {
      for (uint32_t token = 0; token < chunk.tokens; ++token) {
        Cast(values_[token * heads * width_],
             half_rows[(token * RopeHeads(chunk) + QueryHeads(chunk)) * width_],
             RoundMode::CAST_NONE, key_count);
      }
      PipeBarrier<PIPE_V>();
    }
    const uint32_t rows = chunk.tokens * heads;
    kernel_common::DivideAndShift({values_, width_}, scale_row_, offset_row_, rows, width_);
    PipeBarrier<PIPE_V>();
    kernel_common::RoundToInt8(bytes, values_, crossed_, rows * width_);
    int8_queue_.EnQue(bytes);
  }

  // --- store -------------------------------------------------------------------------------------
  __aicore__ inline void Store(const Chunk& chunk) {
    if (UsesTables(chunk) || tiling_.kv_output != 0) StoreHalves(chunk);
    if (KeyHeads(chunk) + ValueHeads(chunk) != 0) StoreCaches(chunk);
  }

  __aicore__ inline void StoreHalves(const Chunk& chunk) {
    LocalTensor<half> half_rows = half_queue_.DeQue<half>();
    const uint32_t queries = QueryHeads(chunk);
    const uint32_t keys = KeyHeads(chunk);
    const uint32_t values = ValueHeads(chunk);
    if (queries != 0) {
      DataCopy(q_[(chunk.token * tiling_.query_heads + chunk.head) * width_], half_rows,
               HeadsOfRows(chunk.tokens, queries, RopeHeads(chunk), kHalfPerBlock));
    }
    if (tiling_.kv_output != 0 && keys != 0) {
      DataCopy(k_[(chunk.token * tiling_.kv_heads + FirstKey(chunk)) * width_],
               half_rows[queries * width_],
               HeadsOfRows(chunk.tokens, keys, RopeHeads(chunk), kHalfPerBlock));
    }
    if (tiling_.kv_output != 0 && values != 0) {
      DataCopy(v_[(chunk.token * tiling_.kv_heads + FirstValue(chunk)) * width_],
               half_rows[HalfValues(chunk)],
               HeadsOfRows(chunk.tokens, values, values, kHalfPerBlock));
    }
    half_queue_.FreeTensor(half_rows);
  }

  /// Tokens of one batch lie behind one another in its caches: a run of them is one move.
  __aicore__ inline void StoreCaches(const Chunk& chunk) {
    LocalTensor<int8_t> bytes = int8_queue_.DeQue<int8_t>();
    const uint32_t keys = KeyHeads(chunk);
    const uint32_t values = ValueHeads(chunk);
    for (uint32_t done = 0; done < chunk.tokens;) {
      const uint64_t batch = (chunk.token + done) / tiling_.seq_len;
      const uint32_t step = static_cast<uint32_t>((chunk.token + done) % tiling_.seq_len);
      const uint32_t of_batch = tiling_.seq_len - step;
      const uint32_t of_chunk = chunk.tokens - done;
      const uint32_t run = of_batch < of_chunk ? of_batch : of_chunk;
      const uint64_t position = indice_.GetValue(batch) + step;
      const uint64_t row = (batch * tiling_.cache_len + position) * tiling_.kv_heads;
      const LocalTensor<int8_t> from = bytes[done * (keys + values) * width_];
      if (keys != 0) {
        DataCopy(k_cache_[(row + FirstKey(chunk)) * width_], from,
                 HeadsOfRows(run, keys, keys + values, kInt8PerBlock));
      }
      if (values != 0) {
        DataCopy(v_cache_[(row + FirstValue(chunk)) * width_], from[keys * width_],
                 HeadsOfRows(run, values, keys + values, kInt8PerBlock));
      }
      done += run;
    }
    int8_queue_.FreeTensor(bytes);
  }

  /// A store of the first `heads` of `pitch` heads of each of `rows` rows, dense in global memory.
  __aicore__ inline DataCopyParams HeadsOfRows(uint32_t rows, uint32_t heads, uint32_t pitch,
                                               uint32_t per_block) const {
    return DataCopyParams(static_cast<uint16_t>(rows),
                          static_cast<uint16_t>(heads * width_ / per_block),
                          static_cast<uint16_t>((pitch - heads) * width_ / per_block), 0);
  }

  const RopeQuantKvcacheTiling tiling_;
  TPipe* pipe_;
  uint32_t width_;        ///< D
  uint32_t token_heads_;  ///< Nq + 2 * Nkv
  uint32_t rope_heads_;   ///< Nq + Nkv

  GlobalTensor<half> qkv_, cos_, sin_, q_, k_, v_;
  GlobalTensor<float> scale_;
  GlobalTensor<int32_t> offset_, indice_;
  GlobalTensor<int8_t> k_cache_, v_cache_;

  TQue<TPosition::VECIN, kSlots> rows_queue_, table_queue_;
  TQue<TPosition::VECIN, 1> quant_queue_;
  TQue<TPosition::VECOUT, kSlots> half_queue_, int8_queue_;
  /// Products of the rope; later the int16 and fp16 stages of the quantisation.
  TBuf<TPosition::VECCALC> crossed_buffer_;
  TBuf<TPosition::VECCALC> float_buffer_;

  LocalTensor<half> tables_;  ///< cos rows, then sin rows
  LocalTensor<float> quant_, scale_row_, offset_row_;
  LocalTensor<half> crossed_;  ///< in crossed_buffer_
  LocalTensor<float> values_;  ///< float_buffer_
  bool tables_ready_ = false;
  bool quant_loaded_ = false;
  bool quant_ready_ = false;
};

}  // namespace

extern "C" __global__ __aicore__ void rope_quant_kvcache(GM_ADDR qkv, GM_ADDR cos, GM_ADDR sin,
                                                         GM_ADDR quant_scale, GM_ADDR quant_offset,
                                                         GM_ADDR k_cache, GM_ADDR v_cache,
                                                         GM_ADDR indice, GM_ADDR q, GM_ADDR k,
                                                         GM_ADDR v, RopeQuantKvcacheTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  PRELOAD(4);  // the code of the first tiles, while the first of them is being set up
  TPipe pipe;
  RopeQuantKvcache op(tiling, &pipe);
  op.Init(qkv, cos, sin, quant_scale, quant_offset, k_cache, v_cache, indice, q, k, v);
  op.Process();
}
