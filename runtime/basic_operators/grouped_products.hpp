// Products of groups of rows, each with a weight of its own.
#pragma once

#include <vector>

#include "runtime/basic_operators/quantised_products.hpp"

namespace davsim::basic {

struct GroupedProduct {
  const aclTensorList* x = nullptr;
  const aclTensorList* weight = nullptr;
  const aclTensorList* bias = nullptr;
  const aclTensorList* scale = nullptr;
  const aclTensorList* offset = nullptr;
  const aclTensorList* antiquant_scale = nullptr;
  const aclTensorList* antiquant_offset = nullptr;
  const aclTensorList* per_token = nullptr;
  bool has_groups = false;
  std::vector<std::int64_t> groups;  ///< running sums of rows, or of columns of x
  std::int64_t group_type = -1;      ///< -1: a tensor a group; 0: groups of rows; 2: of depth
  std::int64_t activation = 0;       ///< 0: none, 1: relu, 2: gelu, 4: fast gelu, 5: silu
  const aclTensorList* out = nullptr;
};

/// The running sums that a tensor on the device has now: waits for what is queued. `counts`: it has
/// the size of each group.
std::vector<std::int64_t> group_ends(const aclTensor& tensor, bool counts);

/// Throws ApiError(161001, 161002).
void add_grouped_product(WorkList& work, const GroupedProduct& call);

}  // namespace davsim::basic
