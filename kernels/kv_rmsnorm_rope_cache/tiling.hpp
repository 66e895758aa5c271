// How a call is cut into blocks and chunks.
#pragma once

#include <cstdint>

#include "kernels/kv_rmsnorm_rope_cache/kv_rmsnorm_rope_cache_tiling.h"
#include "kernels/kv_rmsnorm_rope_cache/problem.hpp"

namespace davsim::operators::kv_rmsnorm_rope_cache {

struct Plan {
  std::uint32_t block_dim = 1;
  KvRmsnormRopeCacheTiling tiling{};
};

/// `problem` has passed validate().
Plan plan(const Problem& problem, std::uint32_t vector_cores, std::uint64_t ub_bytes);

}  // namespace davsim::operators::kv_rmsnorm_rope_cache
