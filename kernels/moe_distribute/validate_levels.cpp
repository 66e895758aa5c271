// Combine by levels: the lists by which a rank knows what comes together on it.
#include <string>
#include <vector>

#include "kernels/common/require.hpp"
#include "kernels/moe_distribute/problem.hpp"

namespace davsim::operators::moe_distribute {
namespace {

/// The lists that dispatch of the rank of a token leaves on ranks with its place in each server, by
/// token, server and k: experts and the numbers of their rows.
struct Lists {
  std::vector<std::int32_t> experts, indices;
};

Lists lists_of(const Call& part, const Problem& p) {
  const auto* ids = tensor_of(part, "expert_ids").as<std::int32_t>();
  const Tensor* mask = optional_tensor(part, "x_active_mask");
  Lists lists;
  std::vector<std::int32_t> rows(static_cast<std::size_t>(p.experts));
  for (std::int64_t at = 0; at < p.max_tokens * p.top_k; ++at) {
    const std::int64_t token = at / p.top_k;
    const bool active =
        token < p.tokens && (mask == nullptr || mask->as<std::uint8_t>()[token] != 0);
    const std::int32_t id = active ? ids[at] : -1;
    lists.experts.push_back(id);
    lists.indices.push_back(active ? rows[static_cast<std::size_t>(id)]++ : -1);
  }
  return lists;
}

}  // namespace

void validate_levels(const Interface& of, const SystemCall& call,
                     const std::vector<Problem>& problems) {
  const Problem& first = problems.front();
  const std::int64_t each = first.server_ranks(), in_server = first.experts / first.servers();
  std::vector<Lists> sent;
  for (std::size_t rank = 0; rank < call.size(); ++rank) {
    sent.push_back(lists_of(call[rank], problems[rank]));
  }
  for (std::size_t rank = 0; rank < call.size(); ++rank) {
    const Problem& p = problems[rank];
    const std::int32_t* const experts =
        level_lists(of, p, tensor_of(call[rank], "ep_send_counts").gm(),
                    tensor_of(call[rank], of.info_name()).gm());
    const std::int32_t* const indices = experts + p.max_tokens * p.servers() * p.top_k;
    for (std::int64_t at = 0; at < p.max_tokens * p.servers() * p.top_k; ++at) {
      const std::int64_t token = at / p.top_k / p.servers();
      const std::int64_t source = at / p.top_k % p.servers() * each + p.rank % each;
      const Lists& expected = sent[static_cast<std::size_t>(source)];
      const auto place = static_cast<std::size_t>(token * p.top_k + at % p.top_k);
      // Experts of other servers do not matter, however they are written down.
      const auto is_here = [&](std::int32_t id) {
        return id >= 0 && id / in_server == p.rank / each;
      };
      const bool same =
          is_here(expected.experts[place])
              ? experts[at] == expected.experts[place] && indices[at] == expected.indices[place]
              : !is_here(experts[at]);
      require(same, ErrorClass::kIndex,
              of.second ? "assist_info_for_combine is what dispatch by levels put out"
                        : "ep_send_counts are what dispatch by levels put out",
              "rank " + std::to_string(p.rank) + " has another row for token " +
                  std::to_string(token) + " of rank " + std::to_string(source));
    }
  }
}

}  // namespace davsim::operators::moe_distribute
