// What collective operations compute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/system/collective_plan.hpp"

namespace davsim::sim {

/// Bytes that an operation will write.
struct CollectiveResult {
  struct Piece {
    std::uint64_t to;  ///< host address
    std::vector<std::byte> bytes;
  };
  std::vector<Piece> pieces;

  void write() const;
};

/// The numbers are those of HcclReduceOp.
enum class ReduceOp : std::uint32_t { kSum = 0, kProduct = 1, kMax = 2, kMin = 3 };
/// Whether values of this HcclDataType can be reduced by this HcclReduceOp.
bool can_reduce(std::uint32_t type, std::uint32_t op);
/// sum = sum `op` more, of a HcclDataType that can be reduced.
void reduce(std::byte* sum, const std::byte* more, std::uint64_t bytes, std::uint32_t type,
            ReduceOp op);

/// Bytes of memory from `start` on.
struct CollectiveInput {
  std::uint64_t start = 0, bytes = 0;
};
/// What result_of() reads of the memory of rank `rank`; not for BatchWrite.
std::vector<CollectiveInput> inputs_of(const std::vector<RankCollective>& ranks, std::uint32_t rank,
                                       std::uint32_t round);

/// Computes round `round` from memory as it is. Reductions take the ranks in their order and round
/// each partial result to the type.
CollectiveResult result_of(const std::vector<RankCollective>& ranks, std::uint32_t round,
                           const std::vector<std::vector<BatchItem>>& items);

}  // namespace davsim::sim
