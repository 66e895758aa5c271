// The rules of dispatch and combine about the call of one rank, in the order of their page.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using E = ErrorClass;

std::int64_t number(const Call& part, const char* name) {
  return has_attribute(part, name) ? int_attribute(part, name) : 0;
}
std::string text(std::int64_t value) {
  return std::to_string(value);
}

void require_range(const Call& part, const char* name, std::int64_t low, std::int64_t high) {
  const std::int64_t value = number(part, name);
  require(value >= low && value <= high, E::kAttr,
          std::string(name) + " is " + text(low) + " to " + text(high), "found " + text(value));
}

void validate_ranks(const Interface& of, const Call& part) {
  const auto optional = [&](const char* name, std::initializer_list<std::size_t> ranks) {
    if (has_tensor(part, name)) require_rank(part, name, ranks);
  };
  require_rank(part, of.dispatch ? "x" : "expand_x", {2});
  require_rank(part, "expert_ids", {2});
  optional("scales", {2});
  if (of.second) {
    optional("x_active_mask", {1, 2});
  } else {
    optional("x_active_mask", {1});
  }
  optional("expert_scales", {2});
  for (const char* name :
       {"assist_info_for_combine", "expand_idx", "ep_send_counts", "tp_send_counts",
        "expand_scales", "const_expert_alpha_1", "const_expert_alpha_2"}) {
    optional(name, {1});
  }
  optional("shared_expert_x", {2, 3});
  optional("ori_x", {2});
  optional("const_expert_v", {2});
  optional("elastic_info", {1});
  optional("performance_info", {1});
}

/// Shapes that no attribute decides.
void validate_shapes(const Interface& of, const Call& part) {
  require_not_empty(part, of.dispatch ? "x" : "expand_x");
  require_not_empty(part, "expert_ids");
  const Shape& rows = tensor_of(part, of.dispatch ? "x" : "expand_x").shape();
  const Shape& ids = tensor_of(part, "expert_ids").shape();
  const std::int64_t tokens = ids[0], top_k = ids[1], width = rows[1];
  if (of.dispatch) {
    require(rows[0] == tokens, E::kShape, "dimension 0 of expert_ids is BS, that of x",
            "x is " + to_string(rows) + ", expert_ids is " + to_string(ids));
  }
  if (has_tensor(part, "expert_scales")) {
    require_shape(part, "expert_scales", {tokens, top_k}, "[BS, K]");
  }
  if (const Tensor* mask = optional_tensor(part, "x_active_mask")) {
    const Shape expected = mask->shape().size() == 1 ? Shape{tokens} : Shape{tokens, top_k};
    require_shape(part, "x_active_mask", expected, of.second ? "[BS] or [BS, K]" : "[BS]");
  }
  if (const Tensor* scales = optional_tensor(part, "scales")) {
    require(scales->shape()[1] == width, E::kShape, "dimension 1 of scales is H",
            "H is " + text(width) + ", scales is " + to_string(scales->shape()));
  }
  if (const Tensor* shared = optional_tensor(part, "shared_expert_x")) {
    require(shared->elements() == tokens * width && shared->shape().back() == width, E::kShape,
            "the shape of shared_expert_x is [BS, H], or three dimensions with as many elements",
            "BS is " + text(tokens) + ", H is " + text(width) + ", found " +
                to_string(shared->shape()));
  }
  if (has_tensor(part, "ori_x")) require_shape(part, "ori_x", {tokens, width}, "[BS, H]");
}

void validate_groups(const Call& part, std::uint32_t die, std::uint32_t dies) {
  const std::int64_t world = number(part, "ep_world_size");
  const std::int64_t tp = number(part, "tp_world_size");
  require(world >= 2, E::kAttr, "ep_world_size is at least 2", "found " + text(world));
  require(tp >= 0 && tp <= 2, E::kAttr, "tp_world_size is 0, 1 or 2", "found " + text(tp));
  const std::int64_t groups = std::max<std::int64_t>(tp, 1);
  require(world <= 768 && world * groups == dies, E::kAttr,
          "ep_world_size times tp_world_size is the number of ranks",
          "found " + text(world) + " times " + text(groups) + ", ranks are " + text(dies));
  const std::int64_t ep_rank = die / groups, tp_rank = die % groups;
  require(number(part, "ep_rank_id") == ep_rank, E::kAttr,
          "ep_rank_id is the number of the rank divided by tp_world_size",
          "found " + text(number(part, "ep_rank_id")) + ", expected " + text(ep_rank));
  require(number(part, "tp_rank_id") == tp_rank, E::kAttr,
          "tp_rank_id is the remainder of the number of the rank by tp_world_size",
          "found " + text(number(part, "tp_rank_id")) + ", expected " + text(tp_rank));
  const std::string ep = string_attribute(part, "group_ep"),
                    other = string_attribute(part, "group_tp");
  require(!ep.empty() && ep.size() < 128, E::kAttr, "group_ep has 1 to 127 characters",
          "it has " + text(static_cast<std::int64_t>(ep.size())));
  require(other.size() < 128 && other != ep, E::kAttr,
          "group_tp has at most 127 characters and is not group_ep", "found \"" + other + "\"");
}

void validate_experts(const Call& part) {
  const std::int64_t world = number(part, "ep_world_size");
  const std::int64_t experts = number(part, "moe_expert_num");
  const std::int64_t shared_ranks = number(part, "shared_expert_rank_num");
  const std::int64_t shared = number(part, "shared_expert_num");
  require_range(part, "moe_expert_num", 1, 1024);
  require_range(part, "expert_shard_type", 0, 0);
  require_range(part, "shared_expert_num", 0, 4);
  require(shared_ranks >= 0 && shared_ranks < world, E::kAttr,
          "shared_expert_rank_num is 0 to ep_world_size - 1", "found " + text(shared_ranks));
  require(shared_ranks == 0 || (shared > 0 && shared_ranks % shared == 0), E::kAttr,
          "shared_expert_rank_num is a multiple of shared_expert_num",
          "found " + text(shared_ranks) + " and " + text(shared));
  require(experts % (world - shared_ranks) == 0, E::kAttr,
          "moe_expert_num is a multiple of ep_world_size - shared_expert_rank_num",
          "found " + text(experts) + " and " + text(world - shared_ranks));
  const std::int64_t local = experts / (world - shared_ranks);
  require(local * world <= 2048, E::kAttr, "ep_world_size * experts of a rank is at most 2048",
          "found " + text(local * world));
  require(number(part, "tp_world_size") < 2 || local == 1, E::kAttr,
          "with tp_world_size 2 a rank has one expert", "it has " + text(local));
}

void validate_modes(const Interface& of, const Call& part) {
  const std::int64_t world = number(part, "ep_world_size");
  const std::int64_t tokens = tensor_of(part, "expert_ids").shape()[0];
  const std::int64_t global = number(part, "global_bs");
  require(
      global == 0 || (global % world == 0 && global >= tokens * world), E::kAttr,
      "global_bs is 0, or the largest BS times ep_world_size",
      "found " + text(global) + ", BS is " + text(tokens) + ", ep_world_size is " + text(world));
  const char* const mode = of.dispatch ? "quant_mode" : "comm_quant_mode";
  const std::int64_t quant = number(part, mode);
  require(quant == 0 || quant == 2, E::kAttr, std::string(mode) + " is 0 or 2",
          "found " + text(quant));
  if (of.dispatch) {
    require_range(part, "expert_token_nums_type", 0, 1);
    require(quant == 2 || !has_tensor(part, "scales"), E::kAttr,
            "scales are given with quant_mode 2 only", "quant_mode is " + text(quant));
  } else {
    require(quant == 0 || number(part, "tp_world_size") < 2, E::kAttr,
            "comm_quant_mode is 0 with tp_world_size 2", "found " + text(quant));
    if (!of.second) {
      require_range(part, "out_dtype", 0, 0);
      require_range(part, "group_list_type", 0, 0);
    }
  }
  constexpr std::int64_t kMost = (std::int64_t{1} << 31) - 1;
  std::int64_t all = number(part, "moe_expert_num");
  for (const char* name : {"zero_expert_num", "copy_expert_num", "const_expert_num"}) {
    require_range(part, name, 0, kMost - 1);
    all += number(part, name);
  }
  require(all < kMost, E::kAttr, "there are fewer than 2^31 - 1 experts", "found " + text(all));
  require_range(part, "shared_expert_rank_num", 0, world - 1);
}

/// Shapes that follow from attributes.
void validate_derived_shapes(const Interface& of, const Call& part, const Problem& p) {
  if (has_tensor(part, "scales")) {
    require_shape(part, "scales", {p.shared_experts + p.all_moe_experts, p.width},
                  "[shared_expert_num + moe_expert_num, H]");
  }
  if (has_tensor(part, "performance_info")) {
    require_shape(part, "performance_info", {p.all_ranks}, "[ep_world_size]");
  }
  if (of.dispatch) return;
  const Shape& rows = tensor_of(part, "expand_x").shape();
  require(rows[0] >= p.rows() * p.tp_world, E::kShape,
          "dimension 0 of expand_x is at least max(tp_world_size, 1) * A",
          "A is " + text(p.rows()) + ", expand_x is " + to_string(rows));
  require_shape(part, "ep_send_counts", {p.ep_counts()},
                p.a3 ? "[ep_world_size * local experts * max(tp_world_size, 1)]"
                     : "[moe_expert_num + 2 * global_bs * K * servers]");
  if (of.second) {
    const Shape& info = tensor_of(part, of.info_name()).shape();
    require(info[0] >= p.rows() * 128, E::kShape,
            "the shape of assist_info_for_combine is [A * 128]",
            "A is " + text(p.rows()) + ", found " + to_string(info));
  } else {
    require_shape(part, of.info_name(), {p.tokens * p.top_k}, "[BS * K]");
  }
  const Tensor* weights = p.hierarchy ? optional_tensor(part, "expand_scales") : nullptr;
  require(weights == nullptr || weights->shape()[0] >= p.rows(), E::kShape,
          "the shape of expand_scales is [A]",
          "A is " + text(p.rows()) +
              (weights == nullptr ? "" : ", found " + to_string(weights->shape())));
  if (p.tp_world > 1) {
    tensor_of(part, "tp_send_counts");
    require_shape(part, "tp_send_counts", {p.tp_world}, "[tp_world_size]");
  }
  if (p.copy_experts + p.const_experts > 0) tensor_of(part, "ori_x");
  if (p.const_experts == 0) return;
  for (const char* name : {"const_expert_alpha_1", "const_expert_alpha_2"}) {
    tensor_of(part, name);
    require_shape(part, name, {p.const_experts}, "[const_expert_num]");
  }
  tensor_of(part, "const_expert_v");
  require_shape(part, "const_expert_v", {p.const_experts, p.width}, "[const_expert_num, H]");
}

void validate_types(const Interface& of, const Call& part) {
  if (of.dispatch) return;
  const isa::DType type = tensor_of(part, "expand_x").dtype();
  for (const char* name : {"shared_expert_x", "ori_x", "const_expert_alpha_1",
                           "const_expert_alpha_2", "const_expert_v"}) {
    const Tensor* tensor = optional_tensor(part, name);
    if (tensor == nullptr) continue;
    require(tensor->dtype() == type, E::kDtype,
            std::string("the dtype of ") + name + " is that of expand_x",
            "found " + std::string(isa::dtype_name(tensor->dtype())));
  }
}

void validate_indices(const Call& part, const Problem& p) {
  const auto* ids = tensor_of(part, "expert_ids").as<std::int32_t>();
  for (std::int64_t token = 0; token < p.tokens; ++token) {
    std::set<std::int32_t> seen;
    for (std::int64_t k = 0; k < p.top_k; ++k) {
      const std::int32_t id = ids[token * p.top_k + k];
      const std::string where = "expert_ids[" + text(token) + ", " + text(k) + "] is " + text(id);
      require(id >= 0 && id < p.all_experts(), E::kIndex,
              "expert_ids are 0 to the number of experts - 1",
              where + ", experts are " + text(p.all_experts()));
      require(seen.insert(id).second, E::kIndex, "the experts of a token differ",
              where + " as one before");
    }
  }
  const Tensor* mask = optional_tensor(part, "x_active_mask");
  if (mask == nullptr || mask->shape().size() != 1) return;
  const auto* active = mask->as<std::uint8_t>();
  for (std::int64_t token = 1; token < p.tokens; ++token) {
    require(active[token] == 0 || active[token - 1] != 0, E::kIndex,
            "x_active_mask [BS] is true for the first tokens and false for all behind",
            "element " + text(token) + " is true, the one before is false");
  }
}

}  // namespace

void validate(const Interface& of, const Call& part, const sim::SocConfig& soc, std::uint32_t die,
              std::uint32_t dies) {
  validate_types(of, part);
  validate_ranks(of, part);
  validate_shapes(of, part);
  validate_groups(part, die, dies);
  validate_experts(part);
  validate_modes(of, part);
  validate_elastic(part, soc.product());
  const Problem p = problem_of(of, part, soc.product());
  validate_derived_shapes(of, part, p);
  validate_limits(of, part, p);
  if (!p.left_out) validate_indices(part, p);
}

}  // namespace davsim::operators::moe_distribute
