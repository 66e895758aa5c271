// How a call is cut into blocks and chunks.
#pragma once

#include <cstdint>

#include "kernels/rope_quant_kvcache/problem.hpp"
#include "kernels/rope_quant_kvcache/rope_quant_kvcache_tiling.h"

namespace davsim::operators::rope_quant_kvcache {

struct Plan {
  std::uint32_t block_dim = 1;
  RopeQuantKvcacheTiling tiling{};
};

/// Largest D of which one head fits in `ub_bytes` of UB.
std::int64_t max_head_dim(std::uint64_t ub_bytes);

/// `problem` has passed validate() for this UB size.
Plan plan(const Problem& problem, std::uint32_t vector_cores, std::uint64_t ub_bytes);

}  // namespace davsim::operators::rope_quant_kvcache
