// Makes legal calls from a few sizes, for the documented cases and the tests.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/common/seeded_data.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::operators::sparse_flash_attention {

struct Recipe {
  std::vector<std::int64_t> lengths;  ///< keys of each batch
  std::int64_t steps;                 ///< query tokens of each batch
  std::int64_t topk;
  bool quantised;
};

/// Pages are in no order, and the selected positions of a token are different and in no order.
/// Entries that no token uses are garbage.
Call make_call(SeededData& data, const Recipe& recipe);

}  // namespace davsim::operators::sparse_flash_attention
