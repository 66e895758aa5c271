// The tiling that the host passes to the kernel. Both include this file. It has plain integers
// only.
#pragma once

#include <cstdint>

/// Tokens are the rows [batch * seq] of qkv; heads are the row's pieces of `head_dim` elements, in
/// the order q, k, v.
struct RopeQuantKvcacheTiling {
  uint32_t batch;
  uint32_t seq_len;       ///< S: tokens a batch brings
  uint32_t cache_len;     ///< Smax: rows of a cache a batch
  uint32_t query_heads;   ///< Nq
  uint32_t kv_heads;      ///< Nkv, of k and of v
  uint32_t head_dim;      ///< D
  uint32_t chunk_heads;   ///< heads that go through UB at once, over all tokens of the chunk
  uint32_t chunk_tokens;  ///< tokens at once; above 1 only where chunk_heads holds whole tokens
  uint32_t kv_output;     ///< 1: also write k and v in fp16
};
