// The documented examples of dispatch and combine: sizes in a table, data seeded by row and rank.
#include <functional>
#include <stdexcept>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/case_data.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using isa::DType;
using E = ErrorClass;

using Change = std::function<void(SystemCall&)>;
struct Row {
  SystemCase shown;
  Sizes sizes;
  Change change;
};

const char* kA3 = "atlas_a3_server";
const char* kA2 = "atlas_a2_server";
const char* kA2Cluster = "atlas_a2_cluster";
const char* kA3Servers = "cloudmatrix384";

std::string product_of(const std::string& system) {
  return system == kA3 || system == kA3Servers ? "A3" : "A2";
}

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

/// comm_alg hierarchy.
void add_levels(const Interface& of, const auto& add) {
  const Sizes sizes = {.world = 16,
                       .tokens = 6,
                       .width = 256,
                       .top_k = 4,
                       .experts = 32,
                       .quantised = true,
                       .weights = true,
                       .hierarchy = true};
  add("13", "two servers of A2 cards: a token crosses once, as int8", kA2Cluster, sizes);
  add("14", "four servers of A2 cards, ranks with different BS", kA2Cluster,
      {.world = 32,
       .tokens = 10,
       .width = 512,
       .top_k = 2,
       .experts = 64,
       .uneven = true,
       .weights = true,
       .type = DType::kF16,
       .hierarchy = true});
  add("15", "two servers of A3 packages, the last tokens do not take part", kA3Servers,
      {.world = 32,
       .tokens = 7,
       .top_k = 3,
       .experts = 64,
       .token_mask = true,
       .weights = true,
       .shared_x = !of.dispatch,
       .hierarchy = true});
  Sizes few = sizes;
  few.world = 8;
  add("N8", "comm_alg hierarchy within a server", kA2, few, {}, E::kUnsupported);
  add("N9", "comm_alg hierarchy without the weights of rows", kA2Cluster, sizes,
      without(of.dispatch ? "expert_scales" : "expand_scales"), E::kNull);
}

/// Calls of one server.
void add_one_server(const Interface& of, const auto& add) {
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
}

/// Calls that are refused.
void add_refused(const auto& add) {
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
}

/// What came later: several servers of cards, and what the second version has more.
void add_later(const Interface& of, const auto& add) {
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
    add_levels(of, add);
  }
}

std::vector<Row> rows_of(const Interface& of) {
  const std::string prefix = std::string(of.dispatch ? "MDD" : "MDC") + (of.second ? "2-" : "-");
  std::vector<Row> rows;
  const auto add = [&](const char* id, const char* note, const char* system, Sizes n,
                       Change change = {}, std::optional<E> refused = std::nullopt) {
    const auto ranks = static_cast<std::uint32_t>(n.world * n.tp_world);
    rows.push_back({{{prefix + id, note, refused, ""}, system, ranks}, n, std::move(change)});
  };
  add_one_server(of, add);
  add_refused(add);
  add_later(of, add);
  return rows;
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
    SystemCall call = plain_call(of, rows[i].sizes, product_of(rows[i].shown.system), data);
    if (rows[i].change) rows[i].change(call);
    return call;
  }
  throw std::invalid_argument(of.name() + " has no case '" + std::string(id) + "'");
}

}  // namespace davsim::operators::moe_distribute
