// The sizes of a call of dispatch or combine on one rank, and what the files of this folder define
// for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/moe_distribute/moe_distribute_tiling.h"
#include "kernels/registry/system_operator.hpp"

namespace davsim::operators::moe_distribute {

/// Which of the four interfaces: dispatch or combine, the first or the second version.
struct Interface {
  bool dispatch = true, second = true;
  std::string name() const;
  /// The tensor by which combine finds the origins of rows.
  std::string info_name() const { return second ? "assist_info_for_combine" : "expand_idx"; }
  /// Combine calls what dispatch puts out send counts.
  std::string ep_counts_name() const { return dispatch ? "ep_recv_counts" : "ep_send_counts"; }
  std::string tp_counts_name() const { return dispatch ? "tp_recv_counts" : "tp_send_counts"; }
};

/// Dies of a server of Atlas A2 cards, and of one of A3 cards.
constexpr std::int64_t kServerOfA2 = 8, kServerOfA3 = 16;

struct Problem {
  std::int64_t tokens = 0, width = 0, top_k = 0;      ///< BS, H, K
  std::int64_t world = 0, rank = 0;                   ///< of the expert-parallel group
  std::int64_t tp_world = 1, tp_rank = 0;             ///< of the tensor-parallel group
  std::int64_t experts = 0;                           ///< moe_expert_num
  std::int64_t shared_experts = 0, shared_ranks = 0;  ///< both 0 where no rank has shared experts
  std::int64_t max_tokens = 0;                        ///< the largest BS of the group
  std::int64_t zero_experts = 0, copy_experts = 0, const_experts = 0;
  /// What the attributes say, of all ranks of the communicator. The numbers above are those of the
  /// ranks that are left where elastic_info takes some out.
  std::int64_t all_ranks = 0, all_shared_ranks = 0, all_moe_experts = 0;
  bool elastic = false;   ///< elastic_info takes ranks out
  bool left_out = false;  ///< this is one of them
  bool quantised = false, counts_add_up = false, a3 = true;
  bool hierarchy = false;               ///< tokens cross to each server once
  isa::DType type = isa::DType::kBF16;  ///< of x

  bool is_shared() const { return rank < shared_ranks; }
  std::int64_t rank_experts() const { return experts / (world - shared_ranks); }
  std::int64_t local_experts() const { return is_shared() ? 1 : rank_experts(); }
  std::int64_t words() const { return local_experts() * world; }
  std::int64_t all_experts() const { return experts + zero_experts + copy_experts + const_experts; }
  std::int64_t server_ranks() const { return a3 ? kServerOfA3 : kServerOfA2; }
  std::int64_t servers() const { return (world + server_ranks() - 1) / server_ranks(); }
  /// A: the rows that a rank receives at most.
  std::int64_t rows() const;
  /// Elements of ep_recv_counts.
  std::int64_t ep_counts() const;
};

/// Of elastic_info that takes ranks out: the rank of the communicator that has rank `rank` of those
/// that are left. Without elastic_info it is `rank`.
std::int64_t rank_left(const Call& part, std::int64_t rank);

/// Sizes of a part that passed validation, on the product "A2" or "A3".
Problem problem_of(const Interface& of, const Call& part, const std::string& product);
::MoeDistributeTiling tiling_of(const Interface& of, const Problem& p, const Call& part,
                                std::uint32_t blocks);
::MoeLevelTiling level_tiling_of(const Problem& p, const ::MoeDistributeTiling& tiling);
/// Bytes of the windows that the kernels use.
std::uint64_t ep_window_bytes(const Problem& p, const ::MoeDistributeTiling& tiling);
std::uint64_t tp_window_bytes(const ::MoeDistributeTiling& tiling);

/// Where the ranks keep the lists of `comm_alg` hierarchy
/// (kernels/moe_distribute/server_experts.h): in a tensor that dispatch puts out and combine takes,
/// behind what the other algorithm has there.
std::int32_t* level_lists(const Interface& of, const Problem& p, std::uint8_t* ep_counts,
                          std::uint8_t* info);

OperatorInfo describe(const Interface& of);
void validate(const Interface& of, const Call& part, const sim::SocConfig& soc, std::uint32_t die,
              std::uint32_t dies);
/// What the product lacks, and what these kernels do.
void validate_limits(const Interface& of, const Call& part, const Problem& p);
/// elastic_info, if it is given.
void validate_elastic(const Call& part, const std::string& product);
/// comm_alg hierarchy: what combine takes of dispatch beside the rows.
void validate_levels(const Interface& of, const SystemCall& call,
                     const std::vector<Problem>& problems);
void validate_together(const Interface& of, const SystemCall& call, const std::string& product);

std::vector<SystemCase> cases(const Interface& of);
SystemCall make_case(const Interface& of, std::string_view id,
                     const std::vector<memory::GlobalMemory*>& memories);

}  // namespace davsim::operators::moe_distribute
