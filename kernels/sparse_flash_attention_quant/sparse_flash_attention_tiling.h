// The tiling that the host passes to the kernel. Both include this file. It has plain numbers and
// addresses only.
#pragma once

#include <cstdint>

#include "kernels/attention/attention_tiling.h"

/// Latents of a row of the cache, and its rope part.
inline constexpr uint32_t kSparseLatent = 512, kSparseRope = 64;
inline constexpr uint32_t kSparseScales = 4;  ///< of a row
inline constexpr uint32_t kSparsePage = 128;  ///< rows

/// The paged cache. A task's `key` is the address of its row of topk_indices.
struct SparseCache {
  uint64_t latents, rope, scales;
  uint32_t pages;  ///< of a row of the block table
  uint32_t quantised;
};

/// UB that gathering takes, in bytes.
struct SparseUb {
  static constexpr uint32_t kRows = 16;     ///< that are gathered at a time
  static constexpr uint32_t kBuffers = 2;   ///< of everything that DMA moves
  static constexpr uint32_t kScales = 32;   ///< a DataBlock a row
  static constexpr uint32_t kListed = 256;  ///< rows of a step, at most
  static constexpr uint32_t kPages = 1024;  ///< of a batch that are looked up in UB

  /// A row as it comes.
  static constexpr uint32_t Latents(bool quantised) { return kSparseLatent * (quantised ? 1 : 2); }
  /// What dequantising takes a row, beside the row as it goes: floats, and scales spread.
  static constexpr uint32_t Room(bool quantised) {
    return quantised ? kSparseLatent * 4 + 8 * kScales : 0;
  }
  static constexpr uint32_t All(bool quantised) {
    const uint32_t row = Latents(quantised) + kSparseRope * 2 + kScales + kSparseLatent * 2;
    return kBuffers * (kRows * row + (kListed + kPages) * 4) + kRows * Room(quantised);
  }
};

struct SparseFlashAttentionTiling {
  AttentionTiling attention;
  SparseCache cache;
};
