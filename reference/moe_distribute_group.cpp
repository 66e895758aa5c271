#include "reference/moe_distribute_group.hpp"

#include <algorithm>
#include <cstdlib>

namespace davsim::reference {
namespace {

std::int64_t attribute(const operators::Call& part, const char* name) {
  const auto* value = part.attributes.if_contains(name);
  return value == nullptr ? 0 : value->to_number<std::int64_t>();
}

}  // namespace

MoeGroup::MoeGroup(const operators::SystemCall& call, std::int64_t tp)
    : world(attribute(call.front(), "ep_world_size")),
      experts(attribute(call.front(), "moe_expert_num")),
      shared_ranks(attribute(call.front(), "shared_expert_rank_num")),
      shared_experts(shared_ranks > 0 ? attribute(call.front(), "shared_expert_num") : 0),
      tp_world(std::max<std::int64_t>(1, attribute(call.front(), "tp_world_size"))),
      tp_rank(tp),
      top_k(call.front().tensors.at("expert_ids").shape()[1]),
      call_(call) {
  const auto elastic = call.front().tensors.find("elastic_info");
  if (elastic == call.front().tensors.end()) return;
  const auto* const info = elastic->second.as<std::int32_t>();
  if (info[0] == 0) return;
  const std::int32_t* const table = info + 4 + world;
  world = info[1];
  shared_ranks = info[2];
  experts = info[3];
  left_.assign(table, table + world);
}

std::int64_t MoeGroup::tokens(std::int64_t rank) const {
  return part(rank).tensors.at("expert_ids").shape()[0];
}

std::int64_t MoeGroup::expert(const MoePair& pair) const {
  return part(pair.rank).tensors.at("expert_ids").as<std::int32_t>()[pair.token * top_k + pair.k];
}

bool MoeGroup::takes_part(const MoePair& pair) const {
  const auto found = part(pair.rank).tensors.find("x_active_mask");
  if (found == part(pair.rank).tensors.end()) return true;
  const auto* mask = found->second.as<std::uint8_t>();
  if (found->second.shape().size() == 1) return mask[pair.token] != 0;
  if (pair.k < top_k) return mask[pair.token * top_k + pair.k] != 0;
  bool any = false;
  for (std::int64_t k = 0; k < top_k; ++k) any = any || mask[pair.token * top_k + k] != 0;
  return any;
}

bool MoeGroup::by_levels(const std::string& product) const {
  const auto* alg = call_.front().attributes.if_contains("comm_alg");
  if (alg != nullptr && !alg->as_string().empty()) return alg->as_string() == "hierarchy";
  const char *pcie = std::getenv("HCCL_INTRA_PCIE_ENABLE"),
             *roce = std::getenv("HCCL_INTRA_ROCE_ENABLE");
  return product == "A2" && world > 8 && pcie != nullptr && pcie[0] == '1' && roce != nullptr &&
         roce[0] == '0';
}

std::int64_t MoeGroup::local_experts(std::int64_t rank) const {
  return rank < shared_ranks ? 1 : experts / (world - shared_ranks);
}

std::vector<MoePair> MoeGroup::received(std::int64_t rank, std::int64_t local,
                                        std::int64_t source) const {
  std::vector<MoePair> pairs;
  const bool shared = rank < shared_ranks;
  const std::int64_t copies = shared ? shared_ranks / shared_experts : 1;
  if (shared && rank % copies != source % copies) return pairs;
  for (std::int64_t token = 0; token < tokens(source); ++token) {
    if (shared) {
      const MoePair pair = {source, token, top_k + rank / copies};
      if (takes_part(pair)) pairs.push_back(pair);
      continue;
    }
    for (std::int64_t k = 0; k < top_k; ++k) {
      const MoePair pair = {source, token, k};
      const std::int64_t wanted = (rank - shared_ranks) * local_experts(rank) + local;
      if (takes_part(pair) && expert(pair) == wanted) pairs.push_back(pair);
    }
  }
  return pairs;
}

}  // namespace davsim::reference
