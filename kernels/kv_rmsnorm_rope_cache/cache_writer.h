// Where the rows of a chunk go: both caches, by the index and the form of their pages, and the
// outputs.
#pragma once

#include "kernels/common/cache_rows.h"
#include "kernels/kv_rmsnorm_rope_cache/kv_rmsnorm_rope_cache_tiling.h"

namespace kernel_kv_rmsnorm_rope_cache {

using namespace AscendC;

constexpr uint32_t kLatent = 512;  ///< width of the part that is normalised
constexpr uint32_t kRope = 64;     ///< width of the part that is rotated
constexpr uint32_t kRow = kLatent + kRope;

/// Tokens [token, token + rows).
struct Chunk {
  uint32_t token;
  uint32_t rows;
};

/// One of the two caches and what comes before it.
struct Target {
  GM_ADDR cache, out;
  LocalTensor<float> scale, offset;
  uint32_t width;
  bool quantised, has_offset;
};

class CacheWriter {
 public:
  __aicore__ inline CacheWriter(const KvRmsnormRopeCacheTiling& tiling, GM_ADDR index)
      : tiling_(tiling) {
    index_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(index));
  }

  /// Dense rows of a chunk to the target's output.
  template <typename T>
  __aicore__ inline void PutOut(const Target& target, const LocalTensor<T>& rows,
                                const Chunk& chunk) const {
    GlobalTensor<T> out;
    out.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(target.out));
    DataCopy(out[static_cast<uint64_t>(chunk.token) * target.width], rows,
             chunk.rows * target.width);
  }

  /// Calls store(RowRun) for the runs of a chunk's rows in the caches.
  template <class Store>
  __aicore__ inline void ForEachRun(const Chunk& chunk, const Store& store) const {
    kernel_common::ForEachRun(
        chunk.rows, tiling_.nz != 0 ? tiling_.page_rows : 0,
        [&](uint32_t i) { return CacheRow(chunk.token + i); }, store);
  }

  /// A run of the target's cache out of a block of `pitch` rows in the form of its pages.
  template <typename C>
  __aicore__ inline void Write(const Target& target, const LocalTensor<C>& rows,
                               const kernel_common::RowRun& run, uint32_t pitch) const {
    GlobalTensor<C> cache;
    cache.SetGlobalBuffer(reinterpret_cast<__gm__ C*>(target.cache));
    if (tiling_.nz != 0) {
      kernel_common::StoreNzRows(cache, tiling_.page_rows, rows, pitch, run, target.width);
    } else {
      kernel_common::StoreRows(cache, rows, run, target.width, target.width);
    }
  }

 private:
  /// Row of the caches that a token goes to; negative: none.
  __aicore__ inline int64_t CacheRow(uint32_t token) const {
    const uint32_t batch = token / tiling_.seq_len;
    const uint32_t step = token % tiling_.seq_len;
    const int64_t page_rows = tiling_.page_rows;
    if (tiling_.index_of_page != 0) {
      const int64_t row = index_.GetValue(static_cast<uint64_t>(batch) * tiling_.blocks_of_batch +
                                          step / tiling_.page_rows);
      return row < 0 ? row : row / page_rows * page_rows + step % tiling_.page_rows;
    }
    const int64_t row = index_.GetValue(token);
    return row < 0 || tiling_.index_of_batch == 0 ? row : row + batch * page_rows;
  }

  const KvRmsnormRopeCacheTiling& tiling_;
  GlobalTensor<int64_t> index_;
};

}  // namespace kernel_kv_rmsnorm_rope_cache
