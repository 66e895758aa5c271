#include "kernels/moe_distribute/problem.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "kernels/common/require.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::moe_distribute {

std::string Interface::name() const {
  return std::string("npu_moe_distribute_") + (dispatch ? "dispatch" : "combine") +
         (second ? "_v2" : "");
}

std::int64_t Problem::rows() const {
  // Tensors keep the sizes that they have with all ranks, whatever a rank that is left does.
  const std::int64_t of_moe = max_tokens * all_ranks * std::min(rank_experts(), top_k);
  if (all_shared_ranks == 0 || (!elastic && !is_shared())) return of_moe;
  const std::int64_t replicas = all_shared_ranks / shared_experts;
  const std::int64_t of_shared = max_tokens * ((all_ranks + replicas - 1) / replicas);
  return elastic ? std::max(of_moe, of_shared) : of_shared;
}

namespace {

/// elastic_info where it takes ranks out: 1, ranks that are left, ranks of shared experts among
/// them, their MoE experts; the new rank of each old one, or -1; the old rank of each new one.
const std::int32_t* elastic_info(const Call& part) {
  const Tensor* tensor = optional_tensor(part, "elastic_info");
  const auto* info = tensor == nullptr ? nullptr : tensor->as<std::int32_t>();
  return info == nullptr || info[0] == 0 ? nullptr : info;
}

void take_out_ranks(Problem& p, const Call& part) {
  const std::int32_t* const info = elastic_info(part);
  if (info == nullptr) return;
  p.elastic = true;
  p.left_out = info[4 + p.rank] < 0;
  p.rank = std::max(info[4 + p.rank], 0);
  p.world = info[1];
  p.shared_ranks = info[2];
  p.experts = info[3];
}

}  // namespace

namespace {

/// comm_alg, or on an A2 the variables of the environment that choose where it is not given.
bool is_hierarchy(const Interface& of, const Call& part, const Problem& p) {
  const std::string alg =
      of.second && has_attribute(part, "comm_alg") ? string_attribute(part, "comm_alg") : "";
  if (p.a3 || !alg.empty()) return alg == "hierarchy";
  const auto is = [](const char* name, const char* value) {
    const char* const found = std::getenv(name);
    return found != nullptr && std::strcmp(found, value) == 0;
  };
  return is("HCCL_INTRA_PCIE_ENABLE", "1") && is("HCCL_INTRA_ROCE_ENABLE", "0") &&
         p.world > p.server_ranks();
}

}  // namespace

std::int32_t* level_lists(const Interface& of, const Problem& p, std::uint8_t* ep_counts,
                          std::uint8_t* info) {
  if (of.second) return reinterpret_cast<std::int32_t*>(info) + 3 * p.rows();
  return reinterpret_cast<std::int32_t*>(ep_counts) + p.experts;
}

std::int64_t rank_left(const Call& part, std::int64_t rank) {
  const std::int32_t* const info = elastic_info(part);
  if (info == nullptr) return rank;
  return info[4 + int_attribute(part, "ep_world_size") + rank];
}

std::int64_t Problem::ep_counts() const {
  // An A2 keeps room behind the counts for sums between servers.
  if (a3) return local_experts() * all_ranks * tp_world;
  return experts + 2 * max_tokens * world * top_k * servers();
}

Problem problem_of(const Interface& of, const Call& part, const std::string& product) {
  const auto number = [&](const char* name) {
    return has_attribute(part, name) ? int_attribute(part, name) : 0;
  };
  const Tensor& rows = tensor_of(part, of.dispatch ? "x" : "expand_x");
  const Shape& ids = tensor_of(part, "expert_ids").shape();
  Problem p;
  p.a3 = product == "A3";
  p.tokens = ids[0];
  p.top_k = ids[1];
  p.width = rows.shape()[1];
  p.type = rows.dtype();
  p.world = number("ep_world_size");
  p.rank = number("ep_rank_id");
  p.tp_world = std::max<std::int64_t>(number("tp_world_size"), 1);
  p.tp_rank = number("tp_rank_id");
  p.experts = number("moe_expert_num");
  p.shared_ranks = number("shared_expert_rank_num");
  p.shared_experts = p.shared_ranks > 0 ? number("shared_expert_num") : 0;
  p.all_ranks = p.world;
  p.all_shared_ranks = p.shared_ranks;
  p.all_moe_experts = p.experts;
  const std::int64_t global = number("global_bs");
  p.max_tokens = global > 0 ? global / p.world : p.tokens;
  p.zero_experts = number("zero_expert_num");
  p.copy_experts = number("copy_expert_num");
  p.const_experts = number("const_expert_num");
  p.quantised = number(of.dispatch ? "quant_mode" : "comm_quant_mode") == 2;
  p.counts_add_up = of.dispatch && number("expert_token_nums_type") == 0;
  p.hierarchy = is_hierarchy(of, part, p);
  take_out_ranks(p, part);
  return p;
}

::MoeDistributeTiling tiling_of(const Interface& of, const Problem& p, const Call& part,
                                std::uint32_t blocks) {
  const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const Tensor* const mask = optional_tensor(part, "x_active_mask");
  ::MoeDistributeTiling t{};
  t.rank = word(p.rank);
  t.world = word(p.world);
  t.tp_rank = word(p.tp_rank);
  t.tp_world = word(p.tp_world);
  t.tokens = word(p.tokens);
  t.width = word(p.width);
  t.top_k = word(p.top_k);
  t.max_tokens = word(p.max_tokens);
  t.experts = word(p.experts);
  t.rank_experts = word(p.rank_experts());
  t.shared_experts = word(p.shared_experts);
  t.shared_ranks = word(p.shared_ranks);
  t.copy_begin = word(p.experts + p.zero_experts);
  t.const_begin = word(p.experts + p.zero_experts + p.copy_experts);
  t.mask_rank = mask == nullptr ? 0 : word(static_cast<std::int64_t>(mask->shape().size()));
  t.a3 = p.a3;
  t.bfloat16 = p.type == isa::DType::kBF16;
  t.quantised = p.quantised;
  t.has_scales = has_tensor(part, "scales");
  t.has_weights = of.dispatch && (!p.a3 || p.hierarchy) && has_tensor(part, "expert_scales");
  t.counts_add_up = p.counts_add_up;
  t.by_index = !of.second;
  t.has_shared_x = has_tensor(part, "shared_expert_x");
  t.blocks = blocks;
  return t;
}

::MoeLevelTiling level_tiling_of(const Problem& p, const ::MoeDistributeTiling& tiling) {
  return {tiling, static_cast<std::uint32_t>(p.servers()),
          static_cast<std::uint32_t>(p.server_ranks())};
}

std::uint64_t ep_window_bytes(const Problem& p, const ::MoeDistributeTiling& tiling) {
  if (p.hierarchy) return ::moe_distribute::LevelWindow(level_tiling_of(p, tiling)).level_bytes;
  return ::moe_distribute::EpWindow(tiling).bytes;
}
std::uint64_t tp_window_bytes(const ::MoeDistributeTiling& tiling) {
  return ::moe_distribute::TpWindow(tiling).bytes;
}

}  // namespace davsim::operators::moe_distribute
