#include "kernels/kv_rmsnorm_rope_cache/problem.hpp"

#include <array>
#include <utility>

#include "kernels/common/require.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {

std::optional<CacheMode> cache_mode_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, CacheMode>, 6> kModes = {{
      {"Norm", {Indexing::kRowOfBatch, false}},
      {"PA", {Indexing::kRow, false}},
      {"PA_BNSD", {Indexing::kRow, false}},
      {"PA_NZ", {Indexing::kRow, true}},
      {"PA_BLK_BNSD", {Indexing::kPage, false}},
      {"PA_BLK_NZ", {Indexing::kPage, true}},
  }};
  for (const auto& [known, mode] : kModes) {
    if (known == name) return mode;
  }
  return std::nullopt;
}

Problem problem_of(const Call& call) {
  const Shape& kv = tensor_of(call, "kv").shape();
  const Shape& cache = tensor_of(call, "k_cache").shape();
  Problem problem;
  problem.batch = kv[0];
  problem.seq_len = kv[2];
  problem.mode = *cache_mode_named(string_attribute(call, "cache_mode"));
  problem.pages = cache[0];
  problem.page_rows = problem.mode.paged() ? cache[1] : cache[2];
  problem.dtype = tensor_of(call, "kv").dtype();
  problem.k_quantised = has_tensor(call, "k_rope_scale");
  problem.ckv_quantised = has_tensor(call, "c_kv_scale");
  problem.k_offset = has_tensor(call, "k_rope_offset");
  problem.ckv_offset = has_tensor(call, "c_kv_offset");
  problem.epsilon = static_cast<float>(float_attribute(call, "epsilon"));
  problem.output_kv = problem.mode.paged() && bool_attribute(call, "is_output_kv");
  problem.cos_per_token = tensor_of(call, "cos").shape()[2] == problem.seq_len;
  problem.sin_per_token = tensor_of(call, "sin").shape()[2] == problem.seq_len;
  return problem;
}

std::int64_t cache_row(const Problem& problem, const std::int64_t* index, std::int64_t token) {
  const std::int64_t b = token / problem.seq_len, s = token % problem.seq_len;
  if (problem.mode.indexing == Indexing::kPage) {
    const std::int64_t entry = index[b * problem.blocks_of_batch() + s / problem.page_rows];
    if (entry < 0) return -1;
    return entry / problem.page_rows * problem.page_rows + s % problem.page_rows;
  }
  if (index[token] < 0) return -1;
  const bool of_batch = problem.mode.indexing == Indexing::kRowOfBatch;
  return index[token] + (of_batch ? b * problem.page_rows : 0);
}

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
