// The tiling that the host passes to the kernel. Both include this file. It has plain numbers only.
#pragma once

#include <cstdint>

/// Tokens are the rows [batch * seq] of kv. A cache is `pages` of `page_rows` rows; in Norm mode a
/// page is the part of one batch.
struct KvRmsnormRopeCacheTiling {
  uint32_t batch;
  uint32_t seq_len;          ///< S
  uint32_t page_rows;        ///< bs; Norm: Smax
  uint32_t blocks_of_batch;  ///< PA_BLK...: entries of index a batch has
  uint32_t index_of_batch;   ///< 1: entries of index count from the first row of the batch's page
  uint32_t index_of_page;    ///< 1: an entry of index names a page for page_rows tokens
  uint32_t nz;               ///< 1: pages are [W/C0, page_rows, C0]
  uint32_t bf16;             ///< 1: kv is bfloat16, 0: half
  uint32_t k_quantised, ckv_quantised;    ///< 1: that cache is int8
  uint32_t k_offset, ckv_offset;          ///< 1: an offset is added before rounding to int8
  uint32_t output_kv;                     ///< 1: also write y and the rotated rows
  uint32_t cos_per_token, sin_per_token;  ///< 0: one row a batch
  uint32_t chunk_rows;                    ///< tokens that go through UB at once
  uint32_t output_slots;                  ///< slots of the queues towards global memory, 1 or 2
  float epsilon;
};
