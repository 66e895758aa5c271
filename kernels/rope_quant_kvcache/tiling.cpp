#include "kernels/rope_quant_kvcache/tiling.hpp"

#include <algorithm>

#include "kernels/common/arithmetic.hpp"

namespace davsim::operators::rope_quant_kvcache {
namespace {

// UB bytes per element of head width, as the kernel's Init() lays them out.
/// Of each head of a chunk: fp16 rows in and out and int8 rows out, two slots each; one fp16 row of
/// rope products; one fp32 row to quantise.
constexpr std::int64_t kBytesPerHeadElement = 2 * (2 + 2 + 1) + 2 + 4;
/// Of each token of a chunk: fp16 cos and sin rows, two slots.
constexpr std::int64_t kBytesPerTokenElement = 2 * 2 * 2;
/// Of the launch: fp32 scale and offset.
constexpr std::int64_t kBytesOfQuant = 2 * 4;
/// Lost to the order of buffers on UB's banks: 11 buffers are rounded up to 512 bytes, two are
/// shifted by 256.
constexpr std::int64_t kBytesOfOrder = 11 * 512 + 2 * 256;

constexpr std::int64_t kHalfBytes = 2;
/// Bytes of qkv in one chunk. Each chunk pays the latency of its loads and some 15 vector
/// instructions' fixed costs, so few large ones; twice this and a block of a usual decode step has
/// only one, with nothing to overlap. Measured with RQK-3 and RQK-4.
constexpr std::int64_t kChunkBytes = 16 * 1024;
/// Bytes of qkv that are worth a block: starting a core takes longer than they do.
constexpr std::int64_t kItemBytes = 2 * 1024;

/// UB elements of head width.
std::int64_t ub_elements(std::uint64_t ub_bytes, std::int64_t head_dim) {
  return (static_cast<std::int64_t>(ub_bytes) - kBytesOfOrder) / head_dim;
}

/// A work item is a part of a token, or several tokens where they are small.
std::int64_t work_items(const Problem& problem) {
  const std::int64_t token_bytes = problem.token_heads() * problem.head_dim * kHalfBytes;
  if (token_bytes < kItemBytes) return ceil_div(problem.tokens() * token_bytes, kItemBytes);
  return problem.tokens() * std::min(token_bytes / kItemBytes, problem.token_heads());
}

}  // namespace

std::int64_t max_head_dim(std::uint64_t ub_bytes) {
  const std::int64_t per_element = kBytesPerHeadElement + kBytesPerTokenElement + kBytesOfQuant;
  return ub_elements(ub_bytes, per_element) / 32 * 32;
}

Plan plan(const Problem& problem, std::uint32_t vector_cores, std::uint64_t ub_bytes) {
  // Heads that fit beside the tables of one token, then whole tokens while their tables fit too.
  const std::int64_t elements = ub_elements(ub_bytes, problem.head_dim);
  const std::int64_t wanted =
      std::max<std::int64_t>(1, kChunkBytes / (problem.head_dim * kHalfBytes));
  const std::int64_t token_elements =
      problem.token_heads() * kBytesPerHeadElement + kBytesPerTokenElement;
  const std::int64_t tokens = std::max<std::int64_t>(
      1, std::min(wanted / problem.token_heads(), (elements - kBytesOfQuant) / token_elements));
  const std::int64_t fitting =
      (elements - kBytesOfQuant - tokens * kBytesPerTokenElement) / kBytesPerHeadElement;

  Plan plan;
  plan.block_dim =
      static_cast<std::uint32_t>(std::min<std::int64_t>(work_items(problem), vector_cores));
  RopeQuantKvcacheTiling& tiling = plan.tiling;
  tiling.batch = static_cast<std::uint32_t>(problem.batch);
  tiling.seq_len = static_cast<std::uint32_t>(problem.seq_len);
  tiling.cache_len = static_cast<std::uint32_t>(problem.cache_len);
  tiling.query_heads = static_cast<std::uint32_t>(problem.query_heads);
  tiling.kv_heads = static_cast<std::uint32_t>(problem.kv_heads);
  tiling.head_dim = static_cast<std::uint32_t>(problem.head_dim);
  tiling.chunk_heads = static_cast<std::uint32_t>(std::min(fitting, wanted));
  tiling.chunk_tokens = static_cast<std::uint32_t>(tokens);
  tiling.kv_output = problem.kv_output ? 1 : 0;
  return plan;
}

}  // namespace davsim::operators::rope_quant_kvcache
