// Rules of dispatch and combine about the parts of all ranks together.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"
#include "kernels/registry/attributes.hpp"

namespace davsim::operators::moe_distribute {
namespace {

using E = ErrorClass;

std::int64_t attribute_of(const Call& part, const char* name) {
  return has_attribute(part, name) ? int_attribute(part, name) : 0;
}
std::string digits(std::int64_t value) {
  return std::to_string(value);
}

std::string algorithm_of(const Call& part) {
  return has_attribute(part, "comm_alg") ? string_attribute(part, "comm_alg") : "";
}

bool is_active(const Call& part, const Problem& p, std::int64_t token, std::int64_t k) {
  const Tensor* mask = optional_tensor(part, "x_active_mask");
  if (mask == nullptr) return true;
  const auto* bytes = mask->as<std::uint8_t>();
  if (mask->shape().size() == 1) return bytes[token] != 0;
  if (k < p.top_k) return bytes[token * p.top_k + k] != 0;
  return std::any_of(bytes + token * p.top_k, bytes + (token + 1) * p.top_k,
                     [](std::uint8_t byte) { return byte != 0; });
}

/// The rows that a rank waits for: token and k, or for the first interface expert and index.
using Rows = std::map<std::pair<std::int64_t, std::int64_t>, int>;

Rows awaited(const Interface& of, const Call& part, const Problem& p) {
  Rows rows;
  const auto* ids = tensor_of(part, "expert_ids").as<std::int32_t>();
  std::int64_t active = 0;
  for (std::int64_t token = 0; token < p.tokens; ++token) {
    for (std::int64_t k = 0; k < p.top_k + p.shared_experts; ++k) {
      if (!is_active(part, p, token, k)) continue;
      const bool shared = k >= p.top_k;
      const std::int64_t at = token * p.top_k + k;
      if (!shared && ids[at] >= p.experts) continue;
      if (of.second) {
        rows[{token, k}] = 1;
      } else if (shared) {
        rows[{p.experts + k - p.top_k, active}] = 1;
      } else {
        rows[{ids[at], tensor_of(part, of.info_name()).as<std::int32_t>()[at]}] = 1;
      }
    }
    active += is_active(part, p, token, p.top_k) ? 1 : 0;
  }
  return rows;
}

/// Takes the rows that a rank sends off the lists of their receivers.
void deliver(const Interface& of, const Call& part, const Problem& p, std::vector<Rows>& lists) {
  const auto* ends = tensor_of(part, "ep_send_counts").as<std::int32_t>();
  const auto* info = tensor_of(part, of.info_name()).as<std::int32_t>();
  std::int64_t row = 0;
  for (std::int64_t word = 0; word < p.words(); ++word) {
    require(ends[word] >= row && ends[word] <= p.rows(), E::kIndex,
            "ep_send_counts are prefix sums up to A",
            "element " + digits(word) + " of rank " + digits(p.rank) + " is " + digits(ends[word]) +
                " behind " + digits(row) + ", A is " + digits(p.rows()));
    const std::int64_t first = row;
    for (; row < ends[word]; ++row) {
      std::int64_t rank = word % p.world;
      std::pair<std::int64_t, std::int64_t> key;
      if (of.second) {
        rank = info[row * 3];
        key = {info[row * 3 + 1], info[row * 3 + 2]};
      } else if (p.is_shared()) {
        key = {p.experts + p.rank / (p.shared_ranks / p.shared_experts), row - first};
      } else {
        key = {(p.rank - p.shared_ranks) * p.rank_experts() + word / p.world, row - first};
      }
      const bool expected = rank >= 0 && rank < static_cast<std::int64_t>(lists.size()) &&
                            lists[static_cast<std::size_t>(rank)].erase(key) == 1;
      require(expected, E::kIndex,
              "each row of expand_x goes back to a token that awaits it, as dispatch sent it",
              "row " + digits(row) + " of rank " + digits(p.rank) + " goes to rank " +
                  digits(rank) + ", place (" + digits(key.first) + ", " + digits(key.second) + ")");
    }
  }
}

void validate_rows(const Interface& of, const SystemCall& call, std::int64_t tp_rank,
                   const std::vector<Problem>& problems) {
  std::vector<Rows> lists;
  std::vector<std::size_t> dies;
  for (std::int64_t rank = 0; rank < problems.front().world; ++rank) {
    const std::int64_t of_all = rank_left(call.front(), rank);
    dies.push_back(static_cast<std::size_t>(of_all * problems.front().tp_world + tp_rank));
  }
  for (const std::size_t die : dies) lists.push_back(awaited(of, call[die], problems[die]));
  for (const std::size_t die : dies) deliver(of, call[die], problems[die], lists);
  for (std::size_t rank = 0; rank < lists.size(); ++rank) {
    require(lists[rank].empty(), E::kIndex, "every expert of a token sends a row back",
            "rank " + digits(static_cast<std::int64_t>(rank)) + " waits for " +
                digits(static_cast<std::int64_t>(lists[rank].size())) + " that nobody sends");
  }
}

void validate_tp_counts(const SystemCall& call, const std::vector<Problem>& problems) {
  for (std::size_t die = 0; die < call.size(); ++die) {
    const Problem& p = problems[die];
    if (p.tp_world < 2) continue;
    const auto* counts = tensor_of(call[die], "tp_send_counts").as<std::int32_t>();
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const std::size_t of = die - static_cast<std::size_t>(p.tp_rank - rank);
      const auto* ends = tensor_of(call[of], "ep_send_counts").as<std::int32_t>();
      require(counts[rank] == ends[p.words() - 1], E::kIndex,
              "tp_send_counts are the rows of each rank of the group",
              "element " + digits(rank) + " is " + digits(counts[rank]) + ", the rank has " +
                  digits(ends[p.words() - 1]));
    }
  }
}

}  // namespace

void validate_together(const Interface& of, const SystemCall& call, const std::string& product) {
  std::vector<Problem> problems;
  for (const Call& part : call) problems.push_back(problem_of(of, part, product));
  const Problem& first = problems.front();
  for (std::size_t rank = 1; rank < call.size(); ++rank) {
    for (const char* name :
         {"ep_world_size", "moe_expert_num", "tp_world_size", "shared_expert_num",
          "shared_expert_rank_num", "global_bs", "quant_mode", "comm_quant_mode", "zero_expert_num",
          "copy_expert_num", "const_expert_num"}) {
      require(attribute_of(call[rank], name) == attribute_of(call.front(), name), E::kAttr,
              std::string(name) + " is the same on all ranks",
              "rank 0 has " + digits(attribute_of(call.front(), name)) + ", rank " +
                  digits(static_cast<std::int64_t>(rank)) + " has " +
                  digits(attribute_of(call[rank], name)));
    }
    const Tensor *const elastic = optional_tensor(call[rank], "elastic_info"),
                        *const of_first = optional_tensor(call.front(), "elastic_info");
    require((elastic == nullptr) == (of_first == nullptr) &&
                (elastic == nullptr || std::equal(elastic->as<std::int32_t>(),
                                                  elastic->as<std::int32_t>() + elastic->elements(),
                                                  of_first->as<std::int32_t>())),
            E::kIndex, "elastic_info is the same on all ranks",
            "that of rank " + digits(static_cast<std::int64_t>(rank)) + " differs from rank 0's");
    const Problem& p = problems[rank];
    require(algorithm_of(call[rank]) == algorithm_of(call.front()), E::kAttr,
            "comm_alg is the same on all ranks",
            "rank 0 has \"" + algorithm_of(call.front()) + "\", rank " +
                digits(static_cast<std::int64_t>(rank)) + " has \"" + algorithm_of(call[rank]) +
                "\"");
    require(p.width == first.width && p.top_k == first.top_k && p.type == first.type, E::kShape,
            "H, K and the dtype are the same on all ranks",
            "rank " + digits(static_cast<std::int64_t>(rank)) + " differs from rank 0");
    require(p.tokens == first.tokens || attribute_of(call.front(), "global_bs") > 0, E::kAttr,
            "global_bs is given where BS differs between ranks",
            "rank 0 has " + digits(first.tokens) + " tokens, rank " +
                digits(static_cast<std::int64_t>(rank)) + " has " + digits(p.tokens));
  }
  if (of.dispatch) return;
  for (std::int64_t tp = 0; tp < first.tp_world; ++tp) validate_rows(of, call, tp, problems);
  validate_tp_counts(call, problems);
  if (first.hierarchy) validate_levels(of, call, problems);
}

}  // namespace davsim::operators::moe_distribute
