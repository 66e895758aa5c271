// The documented examples of dispatch and combine: sizes in a table, data seeded by row and rank.
// Combine gets rows in the order in which dispatch would deliver them.
#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "kernels/common/require.hpp"
#include "kernels/common/seeded_data.hpp"
#include "kernels/moe_distribute/problem.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using isa::DType;
using E = ErrorClass;

struct Sizes {
  std::int64_t world = 2, tokens = 8, width = 1024, top_k = 2, experts = 4;
  std::int64_t shared_experts = 0, shared_ranks = 0, tp_world = 1;
  bool quantised = false, scales = false, uneven = false, token_mask = false, pair_mask = false;
  bool weights = false, prefix_sums = false, shared_x = false, waits = false;
  std::int64_t special = 0;  ///< zero, copy and constant experts: so many of each
  DType type = DType::kBF16;
};
using Change = std::function<void(SystemCall&)>;
struct Row {
  SystemCase shown;
  Sizes sizes;
  Change change;
};

const char* kA3 = "atlas_a3_server";
const char* kA2 = "atlas_a2_server";
const char* kA2Cluster = "atlas_a2_cluster";

Change on_all(std::function<void(Call&)> change) {
  return [change = std::move(change)](SystemCall& call) {
    for (Call& part : call) change(part);
  };
}
Change without(std::string name) {
  return on_all([name = std::move(name)](Call& part) { part.tensors.erase(name); });
}
Change with(std::string name, boost::json::value value) {
  return on_all([name = std::move(name), value = std::move(value)](Call& part) {
    part.attributes[name] = value;
  });
}

std::vector<Row> rows_of(const Interface& of) {
  const std::string prefix = std::string(of.dispatch ? "MDD" : "MDC") + (of.second ? "2-" : "-");
  std::vector<Row> rows;
  const auto add = [&](const char* id, const char* note, const char* system, Sizes n,
                       Change change = {}, std::optional<E> refused = std::nullopt) {
    const auto ranks = static_cast<std::uint32_t>(n.world * n.tp_world);
    rows.push_back({{{prefix + id, note, refused, ""}, system, ranks}, n, std::move(change)});
  };
  add("1", "2 ranks, 8 tokens to 2 of 4 experts", kA3, {});
  add("2", "int8 on the way, 4 ranks, float16", kA3,
      {.world = 4,
       .tokens = 12,
       .width = 2048,
       .top_k = 3,
       .experts = 8,
       .quantised = true,
       .scales = of.dispatch,
       .type = DType::kF16});
  add("3", "two ranks of shared experts beside two of MoE experts", kA3,
      {.world = 4, .tokens = 9, .top_k = 2, .experts = 6, .shared_experts = 1, .shared_ranks = 2});
  add("4", "a tensor-parallel group", kA3,
      {.world = 2, .tokens = 7, .top_k = 2, .experts = 2, .tp_world = 2});
  add("5", "ranks with different BS, all tokens to one rank, experts without tokens", kA3,
      {.world = 4, .tokens = 10, .top_k = 2, .experts = 16, .uneven = true, .prefix_sums = true});
  add("6", "the last tokens do not take part", kA3, {.token_mask = true});
  add("7", "an A2", kA2,
      {.world = 4, .tokens = 16, .width = 512, .top_k = 4, .experts = 8, .weights = true});
  add("8", "a decode step: 8 ranks, 128 tokens of 7168 to 8 of 256 experts", kA3,
      {.world = 8,
       .tokens = 128,
       .width = 7168,
       .top_k = 8,
       .experts = 256,
       .quantised = of.dispatch});
  if (of.second) {
    add("9", "pairs of token and expert that do not take part; special experts", kA3,
        {.top_k = 4, .experts = 4, .pair_mask = true, .special = 2});
  }
  if (!of.dispatch) add("10", "a shared expert that every rank has", kA3, {.shared_x = true});
  add("N1", "expert_ids are missing", kA3, {}, without("expert_ids"), E::kNull);
  add("N2", "7 experts on 2 ranks", kA3, {}, with("moe_expert_num", 7), E::kAttr);
  add("N3", "shared experts on an A2", kA2,
      {.world = 4, .experts = 6, .shared_experts = 1, .shared_ranks = 1}, {}, E::kUnsupported);
  add("N4", "an expert twice for a token", kA3, {}, on_all([](Call& part) {
        auto* ids = part.tensors.at("expert_ids").as<std::int32_t>();
        ids[1] = ids[0];
      }),
      E::kIndex);
  add("N5", "scales of another width", kA3, {.quantised = true, .scales = true},
      on_all([](Call& part) {
        const Tensor of_scales = optional_tensor(part, "scales") != nullptr
                                     ? part.tensors.at("scales")
                                     : part.tensors.at("expert_scales");
        const std::string name = has_tensor(part, "scales") ? "scales" : "expert_scales";
        part.tensors.insert_or_assign(
            name, of_scales.view(DType::kF32, {of_scales.shape()[0], of_scales.shape()[1] - 1}));
      }),
      E::kShape);
  add("11", "two servers of A2 cards", kA2Cluster,
      {.world = 16,
       .tokens = 6,
       .width = 256,
       .top_k = 4,
       .experts = 32,
       .quantised = of.dispatch,
       .weights = true});
  add("N6", "12 ranks of A2 cards", kA2Cluster, {.world = 12, .experts = 12, .weights = true}, {},
      E::kUnsupported);
  if (of.second) {
    add("12", "how long each rank waits for each other one", kA3,
        {.world = 4, .tokens = 10, .top_k = 2, .experts = 8, .waits = true});
    add("N7", "performance_info of fewer ranks", kA3, {.waits = true}, on_all([](Call& part) {
          const Tensor& waits = part.tensors.at("performance_info");
          part.tensors.insert_or_assign("performance_info", waits.view(DType::kI64, {1}));
        }),
        E::kShape);
  }
  return rows;
}

// --- data ----------------------------------------------------------------------------------------

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

SystemCall plain_call(const Interface& of, const Sizes& n, const std::string& product,
                      std::vector<SeededData>& data) {
  SystemCall call(data.size());
  for (std::size_t die = 0; die < data.size(); ++die) {
    const auto fewer = n.uneven ? 2 * (static_cast<std::int64_t>(die) / n.tp_world) : 0;
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

}  // namespace

std::vector<SystemCase> cases(const Interface& of) {
  std::vector<SystemCase> all;
  for (const Row& row : rows_of(of)) all.push_back(row.shown);
  return all;
}

SystemCall make_case(const Interface& of, std::string_view id,
                     const std::vector<memory::GlobalMemory*>& memories) {
  const std::vector<Row> rows = rows_of(of);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].shown.example.id != id) continue;
    if (memories.size() != rows[i].shown.ranks) {
      throw std::invalid_argument("case " + std::string(id) + " has " +
                                  std::to_string(rows[i].shown.ranks) + " ranks");
    }
    std::vector<SeededData> data;
    for (std::size_t rank = 0; rank < memories.size(); ++rank) {
      data.emplace_back(*memories[rank], 0x4d4f4500u + i * 1024 + rank);
    }
    SystemCall call =
        plain_call(of, rows[i].sizes, rows[i].shown.system == kA3 ? "A3" : "A2", data);
    if (rows[i].change) rows[i].change(call);
    return call;
  }
  throw std::invalid_argument(of.name() + " has no case '" + std::string(id) + "'");
}

}  // namespace davsim::operators::moe_distribute
