// Who sends what to whom in a call of dispatch or combine: the documented rules, written down
// without the kernels' code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/registry/system_operator.hpp"

namespace davsim::reference {

/// A (token, expert) pair that takes part.
struct MoePair {
  std::int64_t rank, token, k;
};

/// One expert-parallel group: the ranks with the same rank in their tensor-parallel groups.
class MoeGroup {
 public:
  MoeGroup(const operators::SystemCall& call, std::int64_t tp_rank);

  std::int64_t world, experts, shared_ranks, shared_experts, tp_world, tp_rank;
  std::int64_t top_k = 0;

  std::size_t die(std::int64_t rank) const {
    if (!left_.empty()) return static_cast<std::size_t>(left_[static_cast<std::size_t>(rank)]);
    return static_cast<std::size_t>(rank * tp_world + tp_rank);
  }
  const operators::Call& part(std::int64_t rank) const { return call_[die(rank)]; }
  std::int64_t tokens(std::int64_t rank) const;
  std::int64_t expert(const MoePair& pair) const;
  bool takes_part(const MoePair& pair) const;
  /// comm_alg hierarchy, or the environment's choice on an A2: rows of a server are added up before
  /// they leave it.
  bool by_levels(const std::string& product) const;
  /// Local experts of a rank.
  std::int64_t local_experts(std::int64_t rank) const;
  /// What reaches local expert `local` of `rank` from `source`, in the order of tokens.
  std::vector<MoePair> received(std::int64_t rank, std::int64_t local, std::int64_t source) const;

 private:
  const operators::SystemCall& call_;
  std::vector<std::int32_t> left_;  ///< with elastic_info: the dies of the ranks that are left
};

}  // namespace davsim::reference
