// Rules of elastic_info: which ranks of the communicator are left.
#include <string>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using E = ErrorClass;

std::int64_t given_number(const Call& part, const char* name) {
  return has_attribute(part, name) ? int_attribute(part, name) : 0;
}

void require_number(bool holds, const std::string& rule, std::int32_t found) {
  require(holds, E::kIndex, "elastic_info: " + rule, "found " + std::to_string(found));
}

/// The first table gives the ranks that are left numbers from 0 on, the second takes them back.
void validate_tables(const std::int32_t* info, std::int64_t ranks) {
  const std::int32_t *const to_new = info + 4, *const to_old = info + 4 + ranks;
  std::vector<bool> seen(static_cast<std::size_t>(info[1]));
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int32_t left = to_new[rank];
    const std::string which = "number " + std::to_string(4 + rank);
    require_number(left >= -1 && left < info[1], which + " is -1 or a rank of those that are left",
                   left);
    if (left < 0) continue;
    const auto place = static_cast<std::size_t>(left);
    require_number(!seen[place], which + " is a rank that no other one has", left);
    seen[place] = true;
    require_number(to_old[left] == rank,
                   "number " + std::to_string(4 + ranks + left) + " is " + std::to_string(rank) +
                       ", as the first table says",
                   to_old[left]);
  }
  for (std::size_t left = 0; left < seen.size(); ++left) {
    require_number(seen[left], "each of the ranks that are left is in the first table",
                   static_cast<std::int32_t>(left));
  }
}

}  // namespace

void validate_elastic(const Call& part, const std::string& product) {
  const Tensor* const tensor = optional_tensor(part, "elastic_info");
  if (tensor == nullptr) return;
  require(product == "A3", E::kUnsupported, "an A2 has no elastic_info", "it is given");
  require(given_number(part, "tp_world_size") < 2, E::kUnsupported,
          "elastic_info is given only without a tensor-parallel group", "tp_world_size is 2");
  const std::int64_t ranks = given_number(part, "ep_world_size");
  require_shape(part, "elastic_info", {4 + 2 * ranks}, "[4 + 2 * ep_world_size]");
  const auto* const info = tensor->as<std::int32_t>();
  require_number(info[0] == 0 || info[0] == 1, "number 0 is 0 or 1", info[0]);
  if (info[0] == 0) return;
  const std::int64_t shared = given_number(part, "shared_expert_rank_num");
  require_number(info[1] >= 2 && info[1] <= ranks,
                 "number 1 is 2 to ep_world_size, " + std::to_string(ranks), info[1]);
  require_number(info[2] >= 0 && info[2] < info[1] && info[2] <= shared,
                 "number 2 is 0 to shared_expert_rank_num, and smaller than number 1", info[2]);
  require((info[2] == 0) == (shared == 0), E::kUnsupported,
          "a group with shared experts keeps ranks of them",
          "number 2 is " + std::to_string(info[2]));
  require_number(shared == 0 || info[2] % given_number(part, "shared_expert_num") == 0,
                 "number 2 is a multiple of shared_expert_num", info[2]);
  const std::int64_t local = given_number(part, "moe_expert_num") / (ranks - shared);
  require_number(info[3] == local * (info[1] - info[2]),
                 "number 3 is " + std::to_string(local) + " experts for each MoE rank that is left",
                 info[3]);
  validate_tables(info, ranks);
}

}  // namespace davsim::operators::moe_distribute
