// The data of the documented examples of dispatch and combine. Combine gets rows in the order in
// which dispatch would deliver them.
#include "kernels/moe_distribute/case_data.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/common/require.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using isa::DType;

/// Where a row comes from.
struct Origin {
  std::int64_t rank, token, k;
};

Tensor random_ids(SeededData& data, const Sizes& n, std::int64_t tokens) {
  const std::int64_t all = n.experts + 3 * n.special;
  Tensor ids = data.zeros(DType::kI32, {tokens, n.top_k}, "expert_ids");
  std::vector<std::int32_t> deck(static_cast<std::size_t>(all));
  for (std::int64_t token = 0; token < tokens; ++token) {
    std::iota(deck.begin(), deck.end(), 0);
    // Uneven: all tokens to the experts of one rank.
    const std::int64_t choice = n.uneven ? n.experts / n.world : all;
    for (std::int64_t k = 0; k < n.top_k; ++k) {
      std::swap(deck[static_cast<std::size_t>(k)],
                deck[static_cast<std::size_t>(data.integer(k, choice - 1))]);
      ids.as<std::int32_t>()[token * n.top_k + k] = deck[static_cast<std::size_t>(k)];
    }
  }
  return ids;
}

void add_mask(Call& part, SeededData& data, const Sizes& n, std::int64_t tokens) {
  if (n.token_mask) {
    Tensor mask = data.zeros(DType::kBool, {tokens}, "x_active_mask");
    for (std::int64_t i = 0; i < tokens - 3; ++i) mask.as<std::uint8_t>()[i] = 1;
    part.tensors.emplace("x_active_mask", mask);
  }
  if (n.pair_mask) {
    Tensor mask = data.zeros(DType::kBool, {tokens, n.top_k}, "x_active_mask");
    for (std::int64_t i = n.top_k; i < tokens * n.top_k; ++i) {  // nothing of the first token
      mask.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(data.integer(0, 3) > 0);
    }
    part.tensors.emplace("x_active_mask", mask);
  }
}

boost::json::object attributes_of(const Interface& of, const Sizes& n, std::size_t die) {
  const auto rank = static_cast<std::int64_t>(die);
  boost::json::object all = {
      {"ep_world_size", n.world}, {"ep_rank_id", rank / n.tp_world}, {"moe_expert_num", n.experts}};
  if (n.tp_world > 1) {
    all["tp_world_size"] = n.tp_world;
    all["tp_rank_id"] = rank % n.tp_world;
    all["group_tp"] = "tp";
  }
  if (n.shared_ranks > 0) {
    all["shared_expert_num"] = n.shared_experts;
    all["shared_expert_rank_num"] = n.shared_ranks;
  }
  if (n.hierarchy) all["comm_alg"] = "hierarchy";
  if (n.uneven) all["global_bs"] = n.tokens * n.world;
  if (n.quantised) all[of.dispatch ? "quant_mode" : "comm_quant_mode"] = 2;
  if (n.prefix_sums && of.dispatch) all["expert_token_nums_type"] = 0;
  if (n.special > 0) {
    for (const char* name : {"zero_expert_num", "copy_expert_num", "const_expert_num"}) {
      all[name] = n.special;
    }
  }
  return all;
}

bool takes_part(const Call& part, const Sizes& n, std::int64_t token, std::int64_t k) {
  const Tensor* mask = optional_tensor(part, "x_active_mask");
  if (mask == nullptr) return true;
  if (n.token_mask) return mask->as<std::uint8_t>()[token] != 0;
  if (k < n.top_k) return mask->as<std::uint8_t>()[token * n.top_k + k] != 0;
  for (std::int64_t i = 0; i < n.top_k; ++i) {
    if (takes_part(part, n, token, i)) return true;
  }
  return false;
}

/// Rows by receiver, local expert and source of the group with this tensor-parallel rank.
std::vector<std::vector<std::vector<Origin>>> route(const SystemCall& call, const Sizes& n,
                                                    std::int64_t tp_rank) {
  const std::int64_t each = n.experts / (n.world - n.shared_ranks);
  std::vector<std::vector<std::vector<Origin>>> words(static_cast<std::size_t>(n.world));
  for (std::int64_t rank = 0; rank < n.world; ++rank) {
    const std::int64_t local = rank < n.shared_ranks ? 1 : each;
    words[static_cast<std::size_t>(rank)].resize(static_cast<std::size_t>(local * n.world));
  }
  for (std::int64_t source = 0; source < n.world; ++source) {
    const Call& part = call[static_cast<std::size_t>(source * n.tp_world + tp_rank)];
    const Tensor& ids = tensor_of(part, "expert_ids");
    for (std::int64_t token = 0; token < ids.shape()[0]; ++token) {
      for (std::int64_t k = 0; k < n.top_k + n.shared_experts; ++k) {
        if (!takes_part(part, n, token, k)) continue;
        std::int64_t rank = 0, local = 0;
        if (k >= n.top_k) {
          const std::int64_t replicas = n.shared_ranks / n.shared_experts;
          rank = (k - n.top_k) * replicas + source % replicas;
        } else {
          const std::int64_t expert = ids.as<std::int32_t>()[token * n.top_k + k];
          if (expert >= n.experts) continue;
          rank = n.shared_ranks + expert / each;
          local = expert % each;
        }
        words[static_cast<std::size_t>(rank)][static_cast<std::size_t>(local * n.world + source)]
            .push_back({source, token, k});
      }
    }
  }
  return words;
}

void add_dispatch_inputs(Call& part, SeededData& data, const Sizes& n, std::int64_t tokens) {
  part.tensors.emplace("x", data.reals(n.type, {tokens, n.width}, "x"));
  if (n.scales) {
    const Shape shape = {n.shared_experts + n.experts, n.width};
    part.tensors.emplace("scales", data.reals(DType::kF32, shape, "scales", 0.5, 2));
  }
  if (n.weights) {
    part.tensors.emplace("expert_scales",
                         data.reals(DType::kF32, {tokens, n.top_k}, "expert_scales", 0, 1));
  }
}

void add_combine_inputs(const Interface& of, Call& part, SeededData& data, const Sizes& n,
                        const Problem& p, const std::vector<std::vector<Origin>>& words) {
  part.tensors.emplace("expert_scales",
                       data.reals(DType::kF32, {p.tokens, n.top_k}, "expert_scales", 0, 1));
  Tensor counts = data.zeros(DType::kI32, {p.ep_counts()}, "ep_send_counts");
  Tensor info =
      data.zeros(DType::kI32, {of.second ? p.rows() * 128 : p.tokens * n.top_k}, of.info_name());
  std::int32_t row = 0;
  for (std::size_t word = 0; word < words.size(); ++word) {
    for (const Origin& origin : words[word]) {
      if (of.second) {
        auto* triple = info.as<std::int32_t>() + row * 3;
        triple[0] = static_cast<std::int32_t>(origin.rank);
        triple[1] = static_cast<std::int32_t>(origin.token);
        triple[2] = static_cast<std::int32_t>(origin.k);
      }
      ++row;
    }
    counts.as<std::int32_t>()[word] = row;
  }
  part.tensors.emplace("ep_send_counts", counts);
  part.tensors.emplace(of.info_name(), info);
  // Rows that nobody sent stay 0; those of the other rank of a tensor-parallel group are among the
  // first of what is left.
  const std::int64_t all = p.rows() * p.tp_world;
  Tensor rows = data.zeros(n.type, {all, n.width}, "expand_x");
  const std::int64_t used = p.tp_world > 1 ? all : row;
  for (std::int64_t i = 0; i < used * n.width; ++i) data.set_random(rows, i);
  part.tensors.emplace("expand_x", rows);
  if (n.weights) {
    part.tensors.emplace("expand_scales", data.zeros(DType::kF32, {p.rows()}, "expand_scales"));
  }
  if (n.shared_x) {
    part.tensors.emplace("shared_expert_x",
                         data.reals(n.type, {p.tokens, n.width}, "shared_expert_x"));
  }
  if (n.special == 0) return;
  part.tensors.emplace("ori_x", data.reals(n.type, {p.tokens, n.width}, "ori_x"));
  for (const char* name : {"const_expert_alpha_1", "const_expert_alpha_2"}) {
    part.tensors.emplace(name, data.reals(n.type, {n.special}, name));
  }
  part.tensors.emplace("const_expert_v",
                       data.reals(n.type, {n.special, n.width}, "const_expert_v"));
}

/// expand_idx of all ranks: the place of each row among those of its word.
void set_indices(const SystemCall& call, const Sizes& n, std::int64_t tp_rank,
                 const std::vector<std::vector<std::vector<Origin>>>& words) {
  for (const auto& rank : words) {
    for (const auto& word : rank) {
      for (std::size_t i = 0; i < word.size(); ++i) {
        if (word[i].k >= n.top_k) continue;
        const Call& part = call[static_cast<std::size_t>(word[i].rank * n.tp_world + tp_rank)];
        tensor_of(part, "expand_idx").as<std::int32_t>()[word[i].token * n.top_k + word[i].k] =
            static_cast<std::int32_t>(i);
      }
    }
  }
}

/// What dispatch by levels leaves for combine: the weights of rows, and the lists of what comes
/// together on each rank.
void set_level_inputs(const Interface& of, const SystemCall& call, const Sizes& n,
                      const std::string& product,
                      const std::vector<std::vector<std::vector<Origin>>>& words) {
  for (std::size_t rank = 0; rank < call.size(); ++rank) {
    const Call& part = call[rank];
    float* weight = tensor_of(part, "expand_scales").as<float>();
    for (const auto& word : words[rank]) {
      for (const Origin& origin : word) {
        *weight++ = tensor_of(call[static_cast<std::size_t>(origin.rank)], "expert_scales")
                        .as<float>()[origin.token * n.top_k + origin.k];
      }
    }
    const Problem p = problem_of(of, part, product);
    std::int32_t* const experts = level_lists(of, p, tensor_of(part, "ep_send_counts").gm(),
                                              tensor_of(part, of.info_name()).gm());
    const std::int64_t all = p.max_tokens * p.servers() * p.top_k;
    std::fill_n(experts, 2 * all, -1);
    const std::int64_t server = p.rank / p.server_ranks() * p.server_ranks();
    for (std::int64_t to = server; to < server + p.server_ranks(); ++to) {
      const auto& of_rank = words[static_cast<std::size_t>(to)];
      for (std::size_t word = 0; word < of_rank.size(); ++word) {
        for (std::size_t i = 0; i < of_rank[word].size(); ++i) {
          const Origin& origin = of_rank[word][i];
          if (origin.rank % p.server_ranks() != p.rank % p.server_ranks()) continue;
          const std::int64_t at =
              (origin.token * p.servers() + origin.rank / p.server_ranks()) * p.top_k + origin.k;
          experts[at] = static_cast<std::int32_t>(to * p.rank_experts() +
                                                  static_cast<std::int64_t>(word) / p.world);
          experts[all + at] = static_cast<std::int32_t>(i);
        }
      }
    }
  }
}

}  // namespace

SystemCall plain_call(const Interface& of, const Sizes& n, const std::string& product,
                      std::vector<SeededData>& data) {
  SystemCall call(data.size());
  for (std::size_t die = 0; die < data.size(); ++die) {
    const auto fewer = n.uneven ? 2 * (static_cast<std::int64_t>(die) / n.tp_world % 5) : 0;
    Call& part = call[die];
    part.attributes = attributes_of(of, n, die);
    part.tensors.emplace("expert_ids", random_ids(data[die], n, n.tokens - fewer));
    add_mask(part, data[die], n, n.tokens - fewer);
    if (n.waits) {
      part.tensors.emplace("performance_info",
                           data[die].zeros(DType::kI64, {n.world}, "performance_info"));
    }
    if (of.dispatch) add_dispatch_inputs(part, data[die], n, n.tokens - fewer);
  }
  if (of.dispatch) return call;
  for (std::int64_t tp_rank = 0; tp_rank < n.tp_world; ++tp_rank) {
    const auto words = route(call, n, tp_rank);
    for (std::int64_t rank = 0; rank < n.world; ++rank) {
      const auto die = static_cast<std::size_t>(rank * n.tp_world + tp_rank);
      Call sizes = call[die];
      sizes.tensors.emplace("expand_x", data[die].zeros(n.type, {1, n.width}, "sizes"));
      const Problem p = problem_of(of, sizes, product);
      add_combine_inputs(of, call[die], data[die], n, p, words[static_cast<std::size_t>(rank)]);
    }
    if (!of.second) set_indices(call, n, tp_rank, words);
    if (n.hierarchy) set_level_inputs(of, call, n, product, words);
  }
  for (std::size_t die = 0; n.tp_world > 1 && die < call.size(); ++die) {
    Tensor counts = data[die].zeros(DType::kI32, {2}, "tp_send_counts");
    for (std::size_t i = 0; i < 2; ++i) {
      const Tensor& ends = tensor_of(call[die / 2 * 2 + i], "ep_send_counts");
      counts.as<std::int32_t>()[i] = ends.as<std::int32_t>()[ends.shape()[0] / 2 - 1];
    }
    call[die].tensors.emplace("tp_send_counts", counts);
  }
  return call;
}

}  // namespace davsim::operators::moe_distribute
