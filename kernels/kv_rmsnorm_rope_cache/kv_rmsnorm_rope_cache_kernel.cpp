// kv_rmsnorm_rope_cache: normalises the compressed part of a token, rotates its rope part,
// quantises both where asked, and writes them to the rows of two caches that an index names.
//
// Every block takes a contiguous range of the tokens and moves it through UB in chunks of rows. The
// next chunk is loaded while this one is computed and the last one is stored.
#include "kernel_operator.h"
#include "kernels/common/rope.h"
#include "kernels/common/row_norm.h"
#include "kernels/common/static_quant.h"
#include "kernels/common/work_split.h"
#include "kernels/kv_rmsnorm_rope_cache/cache_writer.h"

using namespace AscendC;
using namespace kernel_kv_rmsnorm_rope_cache;

namespace {

/// A double-buffered queue: one slot is filled while the other is in use.
constexpr int32_t kSlots = 2;
/// UB's 16 bank groups take turns every 32 bytes, and a group serves one read at a time: what is
/// read together lies half a turn apart.
constexpr uint32_t kBankPeriod = 512;
constexpr uint32_t kBankShift = 256;

struct Arguments {
  GM_ADDR kv, gamma, cos, sin, index, k_cache, ckv_cache;
  GM_ADDR k_scale, ckv_scale, k_offset, ckv_offset, k_out, y_out;
};

/// T is the type of kv: half or bfloat16_t. In every buffer of two parts the compressed rows come
/// first and the rope rows behind them, both dense.
template <typename T>
class KvRmsnormRopeCache {
 public:
  __aicore__ inline KvRmsnormRopeCache(const Arguments& arguments,
                                       const KvRmsnormRopeCacheTiling& tiling, TPipe* pipe)
      : tiling_(tiling), pipe_(pipe), writer_(tiling_, arguments.index) {
    kv_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(arguments.kv));
    gamma_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(arguments.gamma));
    cos_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(arguments.cos));
    sin_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(arguments.sin));
    arguments_ = arguments;
    InitBuffers();
    InitTargets();
  }

  __aicore__ inline void Process() {
    const uint64_t tokens = static_cast<uint64_t>(tiling_.batch) * tiling_.seq_len;
    const kernel_common::WorkRange mine =
        kernel_common::ShareOfWork(tokens, GetBlockNum(), GetBlockIdx());
    if (mine.begin == mine.end) return;

    Chunk now = ChunkAt(mine.begin, mine.end);
    Load(now);
    while (true) {
      const uint32_t loaded = now.token + now.rows;
      const bool last = loaded == mine.end;
      Chunk next = now;
      if (!last) {
        next = ChunkAt(loaded, mine.end);
        Load(next);
      }
      Compute(now);
      Store(now);
      if (last) break;
      now = next;
    }
    constants_queue_.FreeTensor(constants_);
  }

 private:
  /// Buffers start at whole turns of the bank groups, for the shift to mean something.
  __aicore__ inline uint32_t Lines(uint32_t bytes) const {
    return (bytes + kBankPeriod - 1) / kBankPeriod * kBankPeriod;
  }

  __aicore__ inline void InitBuffers() {
    const uint32_t rows = tiling_.chunk_rows;
    const uint32_t slots = tiling_.output_slots;
    pipe_->InitBuffer(values_buffer_, Lines(rows * kRow * sizeof(float)));
    pipe_->InitBuffer(scratch_buffer_,
                      Lines(kBankShift + kernel_common::RowScratchBytes(rows, kLatent)));
    pipe_->InitBuffer(rows_queue_, kSlots, Lines(rows * kRow * sizeof(T)));
    pipe_->InitBuffer(table_queue_, kSlots, Lines(rows * 2 * kRope * sizeof(T)));
    pipe_->InitBuffer(constants_queue_, 1,
                      Lines(kBankShift + (kLatent + 2 * kRow) * sizeof(float)));
    if (NeedsPlainRows()) pipe_->InitBuffer(plain_queue_, slots, Lines(rows * kRow * sizeof(T)));
    if (NeedsNzRows()) pipe_->InitBuffer(nz_queue_, slots, Lines(rows * kRow * sizeof(T)));
    if (NeedsInt8Rows()) pipe_->InitBuffer(int8_queue_, slots, Lines(rows * kRow));
    // Last, so that it is in another bank than the values.
    pipe_->InitBuffer(gamma_buffer_, Lines(kLatent * sizeof(float)));
    gamma_ = gamma_buffer_.template Get<float>();
    latent_ = values_buffer_.template Get<float>();
    scratch_ = kernel_common::CutRowScratch(
        scratch_buffer_.template Get<float>()[kBankShift / sizeof(float)], rows, kLatent);
  }

  __aicore__ inline void InitTargets() {
    ckv_ = {arguments_.ckv_cache,       arguments_.y_out,       {}, {}, kLatent,
            tiling_.ckv_quantised != 0, tiling_.ckv_offset != 0};
    k_ = {arguments_.k_cache,       arguments_.k_out,     {}, {}, kRope,
          tiling_.k_quantised != 0, tiling_.k_offset != 0};
  }

  // --- which forms of the rows are needed ---

  __aicore__ inline bool NeedsInt8Rows() const {
    return tiling_.k_quantised != 0 || tiling_.ckv_quantised != 0;
  }
  __aicore__ inline bool CachesT() const {
    return tiling_.k_quantised == 0 || tiling_.ckv_quantised == 0;
  }
  __aicore__ inline bool NeedsNzRows() const { return tiling_.nz != 0 && CachesT(); }
  __aicore__ inline bool NeedsPlainRows() const {
    return tiling_.output_kv != 0 || (tiling_.nz == 0 && CachesT());
  }

  __aicore__ inline Chunk ChunkAt(uint64_t token, uint64_t end) const {
    return {static_cast<uint32_t>(token),
            kernel_common::EvenPiece(end - token, tiling_.chunk_rows)};
  }

  // --- load ---

  /// All buffers of a stage are asked for before its first one is handed on: the event by which a
  /// buffer came back may be given out again at once.
  __aicore__ inline void Load(const Chunk& chunk) {
    const bool first = !constants_loaded_;
    LocalTensor<T> rows = rows_queue_.template AllocTensor<T>();
    LocalTensor<T> tables = table_queue_.template AllocTensor<T>();
    LocalTensor<float> constants;
    if (first) constants = constants_queue_.template AllocTensor<float>();

    constexpr uint32_t kPerBlock = 32 / sizeof(T);
    const auto count = static_cast<uint16_t>(chunk.rows);
    const uint64_t start = static_cast<uint64_t>(chunk.token) * kRow;
    DataCopy(rows, kv_[start], DataCopyParams(count, kLatent / kPerBlock, kRope / kPerBlock, 0));
    DataCopy(rows[chunk.rows * kLatent], kv_[start + kLatent],
             DataCopyParams(count, kRope / kPerBlock, kLatent / kPerBlock, 0));
    LoadTable(chunk, tables, cos_, tiling_.cos_per_token != 0);
    LoadTable(chunk, tables[chunk.rows * kRope], sin_, tiling_.sin_per_token != 0);
    if (first) LoadConstants(constants);

    rows_queue_.EnQue(rows);
    table_queue_.EnQue(tables);
    if (first) constants_queue_.EnQue(constants);
  }

  /// A row of the table for each row of the chunk, copied again where tokens share it.
  __aicore__ inline void LoadTable(const Chunk& chunk, const LocalTensor<T>& to,
                                   const GlobalTensor<T>& table, bool per_token) {
    if (per_token) {
      DataCopy(to, table[static_cast<uint64_t>(chunk.token) * kRope], chunk.rows * kRope);
      return;
    }
    for (uint32_t row = 0; row < chunk.rows; ++row) {
      const uint64_t batch = (chunk.token + row) / tiling_.seq_len;
      DataCopy(to[row * kRope], table[batch * kRope], kRope);
    }
  }

  /// gamma as it is, then scales and offsets, once a block.
  __aicore__ inline void LoadConstants(const LocalTensor<float>& constants) {
    DataCopy(constants.template ReinterpretCast<T>(), gamma_gm_, kLatent);
    LocalTensor<float> free = constants[kLatent + kBankShift / sizeof(float)];
    LoadQuant(free, ckv_, arguments_.ckv_scale, arguments_.ckv_offset);
    LoadQuant(free[2 * kLatent], k_, arguments_.k_scale, arguments_.k_offset);
    constants_loaded_ = true;
  }

  __aicore__ inline void LoadQuant(const LocalTensor<float>& to, Target& target, GM_ADDR scale,
                                   GM_ADDR offset) {
    GlobalTensor<float> from;
    target.scale = to;
    target.offset = to[target.width];
    if (target.quantised) {
      from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(scale));
      DataCopy(target.scale, from, target.width);
    }
    if (target.has_offset) {
      from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(offset));
      DataCopy(target.offset, from, target.width);
    }
  }

  // --- compute ---

  __aicore__ inline void Compute(const Chunk& chunk) {
    PrepareConstants();
    LocalTensor<T> rows = rows_queue_.template DeQue<T>();
    LocalTensor<T> tables = table_queue_.template DeQue<T>();
    // The buffers between the steps are single: the last chunk must be through with them.
    PipeBarrier<PIPE_V>();
    rope_ = latent_[chunk.rows * kLatent];
    Cast(latent_, rows, RoundMode::CAST_NONE, chunk.rows * kRow);
    rows_queue_.FreeTensor(rows);
    PipeBarrier<PIPE_V>();
    kernel_common::RmsNormRows(latent_, gamma_, scratch_, tiling_.epsilon, chunk.rows, kLatent);
    Rotate(chunk, tables);
    table_queue_.FreeTensor(tables);
    PutOut(chunk);
  }

  __aicore__ inline void PrepareConstants() {
    if (constants_ready_) return;
    constants_ = constants_queue_.template DeQue<float>();
    Cast(gamma_, constants_.template ReinterpretCast<T>(), RoundMode::CAST_NONE, kLatent);
    constants_ready_ = true;
  }

  /// rope_ becomes the rotated rows. The tables and the products use the room of the squares.
  __aicore__ inline void Rotate(const Chunk& chunk, const LocalTensor<T>& tables) {
    const uint32_t count = chunk.rows * kRope;
    const LocalTensor<float> cos = scratch_.squares;
    const LocalTensor<float> sin = cos[count];
    PipeBarrier<PIPE_V>();
    Cast(cos, tables, RoundMode::CAST_NONE, 2 * count);
    kernel_common::RopeInterleaved({rope_, kRope}, rope_, {cos, kRope}, {sin, kRope}, sin[count],
                                   chunk.rows, kRope);
    PipeBarrier<PIPE_V>();
  }

  /// The rows in every form that is stored, those in T before they are overwritten for int8.
  __aicore__ inline void PutOut(const Chunk& chunk) {
    const uint32_t rope_at = chunk.rows * kLatent;
    LocalTensor<T> plain, nz;
    LocalTensor<int8_t> bytes;
    if (NeedsPlainRows()) plain = plain_queue_.template AllocTensor<T>();
    if (NeedsNzRows()) nz = nz_queue_.template AllocTensor<T>();
    if (NeedsInt8Rows()) bytes = int8_queue_.template AllocTensor<int8_t>();
    if (NeedsPlainRows()) {
      Cast(plain, latent_, RoundMode::CAST_RINT, chunk.rows * kRow);
      plain_queue_.EnQue(plain);
    }
    if (NeedsNzRows()) {
      if (!ckv_.quantised) ToNz(nz, latent_, chunk.rows, kLatent);
      if (!k_.quantised) ToNz(nz[rope_at], rope_, chunk.rows, kRope);
      nz_queue_.EnQue(nz);
    }
    if (NeedsInt8Rows()) {
      PipeBarrier<PIPE_V>();
      if (ckv_.quantised) Quantise(ckv_, latent_, bytes, chunk.rows);
      if (k_.quantised) Quantise(k_, rope_, bytes[rope_at], chunk.rows);
      int8_queue_.EnQue(bytes);
    }
  }

  __aicore__ inline void ToNz(const LocalTensor<T>& to, const LocalTensor<float>& values,
                              uint32_t rows, uint32_t width) {
    kernel_common::CastToNz<T, float>(to, rows, {values, width}, rows, width, RoundMode::CAST_RINT);
  }

  __aicore__ inline void Quantise(const Target& target, const LocalTensor<float>& values,
                                  const LocalTensor<int8_t>& to, uint32_t rows) {
    const uint32_t width = target.width;
    // Dense rows like the values; the two parts of a chunk do not share it.
    const LocalTensor<half> integers =
        scratch_.squares.template ReinterpretCast<half>()[width == kRope ? rows * kLatent : 0];
    kernel_common::ScaleRows({values, width}, target.scale, rows, width);
    if (target.has_offset) {
      PipeBarrier<PIPE_V>();
      kernel_common::ShiftRows({values, width}, target.offset, rows, width);
    }
    PipeBarrier<PIPE_V>();
    kernel_common::RoundToIntegers(integers, values, rows * width);
    PipeBarrier<PIPE_V>();
    if (tiling_.nz != 0) {
      kernel_common::CastToNz<int8_t, half>(to, rows, {integers, width}, rows, width,
                                            RoundMode::CAST_RINT);
    } else {
      Cast(to, integers, RoundMode::CAST_RINT, rows * width);
    }
  }

  // --- store ---

  __aicore__ inline void Store(const Chunk& chunk) {
    LocalTensor<T> plain, nz;
    LocalTensor<int8_t> bytes;
    if (NeedsPlainRows()) plain = plain_queue_.template DeQue<T>();
    if (NeedsNzRows()) nz = nz_queue_.template DeQue<T>();
    if (NeedsInt8Rows()) bytes = int8_queue_.template DeQue<int8_t>();
    if (tiling_.output_kv != 0) {
      writer_.PutOut(ckv_, plain, chunk);
      writer_.PutOut(k_, plain[chunk.rows * kLatent], chunk);
    }
    const LocalTensor<T> rows = tiling_.nz != 0 ? nz : plain;
    writer_.ForEachRun(chunk, [&](const kernel_common::RowRun& run) {
      WriteRun(ckv_, rows, bytes, 0, run, chunk.rows);
      WriteRun(k_, rows, bytes, chunk.rows * kLatent, run, chunk.rows);
    });
    if (NeedsPlainRows()) plain_queue_.FreeTensor(plain);
    if (NeedsNzRows()) nz_queue_.FreeTensor(nz);
    if (NeedsInt8Rows()) int8_queue_.FreeTensor(bytes);
  }

  /// The target's rows begin at element `at` of the buffer of their type.
  __aicore__ inline void WriteRun(const Target& target, const LocalTensor<T>& rows,
                                  const LocalTensor<int8_t>& bytes, uint32_t at,
                                  const kernel_common::RowRun& run, uint32_t pitch) {
    if (target.quantised) {
      writer_.Write(target, bytes[at], run, pitch);
    } else {
      writer_.Write(target, rows[at], run, pitch);
    }
  }

  const KvRmsnormRopeCacheTiling tiling_;
  TPipe* pipe_;
  CacheWriter writer_;
  Arguments arguments_;
  GlobalTensor<T> kv_, gamma_gm_, cos_, sin_;

  TQue<TPosition::VECIN, kSlots> rows_queue_, table_queue_;
  TQue<TPosition::VECIN, 1> constants_queue_;
  TQue<TPosition::VECOUT, kSlots> plain_queue_, nz_queue_, int8_queue_;
  TBuf<TPosition::VECCALC> gamma_buffer_, values_buffer_, scratch_buffer_;

  Target ckv_, k_;
  LocalTensor<float> constants_, gamma_;
  LocalTensor<float> latent_, rope_;  ///< values_buffer_, and where its rope rows begin
  kernel_common::RowScratch scratch_;
  bool constants_loaded_ = false;
  bool constants_ready_ = false;
};

template <typename T>
__aicore__ inline void Run(const Arguments& arguments, const KvRmsnormRopeCacheTiling& tiling) {
  TPipe pipe;
  KvRmsnormRopeCache<T> op(arguments, tiling, &pipe);
  op.Process();
}

}  // namespace

extern "C" __global__ __aicore__ void kv_rmsnorm_rope_cache(
    GM_ADDR kv, GM_ADDR gamma, GM_ADDR cos, GM_ADDR sin, GM_ADDR index, GM_ADDR k_cache,
    GM_ADDR ckv_cache, GM_ADDR k_rope_scale, GM_ADDR c_kv_scale, GM_ADDR k_rope_offset,
    GM_ADDR c_kv_offset, GM_ADDR k_embed_out, GM_ADDR y_out, KvRmsnormRopeCacheTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  PRELOAD(4);  // the code of the first tiles, while the first of them is being set up
  const Arguments arguments = {kv,          gamma,       cos,          sin,        index,
                               k_cache,     ckv_cache,   k_rope_scale, c_kv_scale, k_rope_offset,
                               c_kv_offset, k_embed_out, y_out};
  if (tiling.bf16 != 0) {
    Run<bfloat16_t>(arguments, tiling);
  } else {
    Run<half>(arguments, tiling);
  }
}
