// Products with a collective operation: the sizes of a call on one rank, and what the files of this
// folder define for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/matmul_collective/matmul_collective_tiling.h"
#include "kernels/registry/system_operator.hpp"

namespace davsim::operators::matmul_collective {

using Kind = ::CollectiveOfProduct;

struct Problem {
  Kind kind = Kind::kAllReduce;
  std::int64_t rank = 0, ranks = 0;
  std::int64_t m = 0, n = 0, k = 0;  ///< of the product of a rank's own input
  std::int64_t turns = 0;            ///< comm_turn
  bool transposed = false;           ///< x2 is [N, K]
  isa::DType type = isa::DType::kF16, bias = isa::DType::kNone;

  /// Rows of a rank's part of the collective operation.
  std::int64_t part_rows() const { return kind == Kind::kReduceScatter ? m / ranks : m; }
};

std::string name_of(Kind kind);
/// The name of the left factor, and that of the product in the end.
std::string left_name(Kind kind);
std::string product_name(Kind kind);

OperatorInfo describe(Kind kind);
/// Of a part that passed validation.
Problem problem_of(Kind kind, const Call& part, std::int64_t rank, std::int64_t ranks);
void validate(Kind kind, const Call& part, std::int64_t ranks);

struct Plan {
  std::uint32_t block_dim = 1;
  ::MatmulCollectiveTiling tiling{};
};
Plan plan(const Problem& problem, const sim::SocConfig& soc);

std::vector<SystemCase> cases(Kind kind);
SystemCall make_case(Kind kind, std::string_view id,
                     const std::vector<memory::GlobalMemory*>& memories);

}  // namespace davsim::operators::matmul_collective
