// Into how many parts the vendor's kernel for latent attention cuts the keys of a batch, by its
// published tiling for 910B and 910C.
#pragma once

#include <algorithm>
#include <cstdint>

namespace davsim::silicon {

struct LatentAttention {
  std::int64_t batches, kv_heads, group;  ///< group: heads of query for each kv head
  std::int64_t query_rows, kv_rows;       ///< of a batch
  std::int64_t cores;

  /// Rows of query up to which the kernel for decoding is taken.
  static constexpr std::int64_t kFewRows = 16;

  /// Whole batches go to the cores. Only where those leave half of the cores idle the keys are cut,
  /// if there are many and each part has 512 of them.
  std::int64_t parts() const {
    constexpr std::int64_t kMostHeads = 128, kManyKeys = 2048, kPart = 512;
    const std::int64_t work = batches * kv_heads;
    const bool idle = 2 * work <= cores && (group == 1 || kv_rows >= kManyKeys);
    if (!idle || query_rows > 1 || group > kMostHeads) return 1;
    return std::max<std::int64_t>(1, std::min(cores / work, kv_rows / kPart));
  }
};

}  // namespace davsim::silicon
