// Limits of dispatch and combine: those of the products (A2 and A3), and those of these kernels.
#include <string>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using E = ErrorClass;

std::string in_digits(std::int64_t value) {
  return std::to_string(value);
}
void lacks(bool holds, const std::string& rule, const std::string& found) {
  require(holds, E::kUnsupported, rule, found);
}
void lacks_tensor(const Call& part, const std::string& name, const std::string& who) {
  lacks(!has_tensor(part, name), who + " has no " + name, "it is given");
}

std::string algorithm(const Interface& of, const Call& part) {
  return of.second && has_attribute(part, "comm_alg") ? string_attribute(part, "comm_alg") : "";
}

void validate_algorithm(const Interface& of, const Call& part, const Problem& p) {
  const std::string alg = algorithm(of, part);
  const bool known = alg.empty() || alg == "hierarchy" ||
                     (p.a3 ? alg == "fullmesh_v1" || alg == "fullmesh_v2" : alg == "fullmesh");
  require(known, E::kAttr,
          p.a3 ? "comm_alg is \"\", fullmesh_v1, fullmesh_v2 or hierarchy"
               : "comm_alg is \"\", fullmesh or hierarchy",
          "found \"" + alg + "\"");
  if (alg != "fullmesh_v2") return;
  lacks(p.tp_world == 1, "comm_alg fullmesh_v2 has no tensor-parallel group", "tp_world_size is 2");
  lacks(p.top_k <= 12, "K is at most 12 with comm_alg fullmesh_v2", "found " + in_digits(p.top_k));
}

void validate_sizes(const Interface& of, const Call& part, const Problem& p) {
  const bool a3_by_row = p.a3 && !p.hierarchy && algorithm(of, part) != "fullmesh_v2";
  const std::int64_t most_tokens = a3_by_row || (!p.a3 && p.hierarchy) ? 512 : 256;
  lacks(p.max_tokens <= most_tokens, "BS is at most " + in_digits(most_tokens),
        "found " + in_digits(p.max_tokens));
  std::int64_t most_width = p.a3 ? 8192 : 7168;
  if (p.hierarchy) most_width = p.a3 ? 7168 : 10240;
  const std::int64_t least_width = p.a3 ? 1024 : 1;
  const bool in_blocks = !p.a3 || p.hierarchy;
  lacks(p.width >= least_width && p.width <= most_width && (!in_blocks || p.width % 32 == 0),
        "H is " + in_digits(least_width) + " to " + in_digits(most_width) +
            (in_blocks ? " and a multiple of 32" : ""),
        "found " + in_digits(p.width));
  lacks(p.top_k <= 16, "K is at most 16", "found " + in_digits(p.top_k));
  lacks(of.dispatch || !p.quantised || p.width % 64 == 0,
        "comm_quant_mode 2 needs a multiple of 64 as H", "H is " + in_digits(p.width));
}

/// Of both products: tokens cross to each server once.
void validate_hierarchy(const Interface& of, const Call& part, const Problem& p) {
  const std::string who = "comm_alg hierarchy";
  const bool whole = p.world % p.server_ranks() == 0 && p.world <= 256;
  lacks(p.a3 ? whole : p.world == 16 || p.world == 32 || p.world == 64,
        p.a3 ? "ep_world_size of comm_alg hierarchy is a multiple of 16 up to 256"
             : "ep_world_size of comm_alg hierarchy is 16, 32 or 64",
        "found " + in_digits(p.world));
  lacks(p.experts <= 512, "moe_expert_num of comm_alg hierarchy is at most 512",
        "found " + in_digits(p.experts));
  lacks(!p.a3 || p.rank_experts() <= 24, "a rank has at most 24 experts with comm_alg hierarchy",
        "it has " + in_digits(p.rank_experts()));
  lacks(p.tp_world == 1, who + " has no tensor-parallel group", "tp_world_size is 2");
  lacks(p.shared_ranks == 0, who + " has no ranks of shared experts",
        "shared_expert_rank_num is " + in_digits(p.shared_ranks));
  lacks(p.all_experts() == p.experts, who + " has no zero, copy or constant experts",
        "there are " + in_digits(p.all_experts() - p.experts));
  lacks_tensor(part, "elastic_info", who);
  if (p.a3) {
    lacks_tensor(part, "performance_info", who + " of an A3");
    lacks(p.tokens == p.max_tokens, who + " of an A3 has the same BS on all ranks",
          "BS is " + in_digits(p.tokens) + ", the largest one " + in_digits(p.max_tokens));
    const Tensor* mask = optional_tensor(part, "x_active_mask");
    lacks(mask == nullptr || mask->shape().size() == 1, "x_active_mask of " + who + " is [BS]",
          mask == nullptr ? "" : "found " + to_string(mask->shape()));
  } else {
    lacks_tensor(part, "x_active_mask", who + " of an A2");
    lacks_tensor(part, "scales", who + " of an A2");
  }
  tensor_of(part, of.dispatch ? "expert_scales" : "expand_scales");
}

void validate_a2(const Interface& of, const Call& part, const Problem& p) {
  lacks(p.world <= kServerOfA2 || p.world % 16 == 0,
        "ep_world_size of an A2 is 2 to 8, or a multiple of 16", "found " + in_digits(p.world));
  lacks(p.world <= 256, "ep_world_size of an A2 is at most 256", "found " + in_digits(p.world));
  lacks(p.tp_world == 1, "an A2 has no tensor-parallel group", "tp_world_size is 2");
  lacks(p.shared_ranks == 0, "an A2 has no ranks of shared experts",
        "shared_expert_rank_num is " + in_digits(p.shared_ranks));
  lacks(p.const_experts == 0, "an A2 has no constant experts",
        "there are " + in_digits(p.const_experts));
  lacks(of.dispatch || !p.quantised || p.hierarchy,
        "comm_quant_mode 2 of an A2 needs comm_alg hierarchy", "found comm_quant_mode 2");
  lacks_tensor(part, "shared_expert_x", "an A2");
  const Tensor* mask = optional_tensor(part, "x_active_mask");
  lacks(mask == nullptr || mask->shape().size() == 1, "x_active_mask of an A2 is [BS]",
        mask == nullptr ? "" : "found " + to_string(mask->shape()));
  if (!of.dispatch && of.second) tensor_of(part, "expand_scales");
}

}  // namespace

void validate_limits(const Interface& of, const Call& part, const Problem& p) {
  validate_algorithm(of, part, p);
  validate_sizes(of, part, p);
  lacks(p.shared_ranks == 0 || !has_tensor(part, "shared_expert_x"),
        "shared_expert_x is given only where shared_expert_rank_num is 0",
        "it is " + in_digits(p.shared_ranks));
  lacks(!p.elastic || !has_tensor(part, "performance_info"),
        "performance_info is given only where elastic_info takes no ranks out", "both are given");
  if (!p.a3) validate_a2(of, part, p);
  if (p.hierarchy) validate_hierarchy(of, part, p);
}

}  // namespace davsim::operators::moe_distribute
