// Sizes of the documented examples of dispatch and combine, and their data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/moe_distribute/problem.hpp"

namespace davsim::operators::moe_distribute {

struct Sizes {
  std::int64_t world = 2, tokens = 8, width = 1024, top_k = 2, experts = 4;
  std::int64_t shared_experts = 0, shared_ranks = 0, tp_world = 1;
  bool quantised = false, scales = false, uneven = false, token_mask = false, pair_mask = false;
  bool weights = false, prefix_sums = false, shared_x = false, waits = false;
  std::int64_t special = 0;  ///< zero, copy and constant experts: so many of each
  isa::DType type = isa::DType::kBF16;
  bool hierarchy = false;  ///< comm_alg, with weights
};

/// A call with the generators of the dies on `product`.
SystemCall plain_call(const Interface& of, const Sizes& n, const std::string& product,
                      std::vector<SeededData>& data);

}  // namespace davsim::operators::moe_distribute
