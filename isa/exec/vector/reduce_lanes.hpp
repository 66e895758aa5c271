// The arithmetic of reductions on packed lanes, in versions for several host instruction sets (see
// vector_lanes.hpp). docs/numerics.md, "Reductions", defines the results.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numeric/dtype.hpp"

namespace davsim::isa {

/// The largest number of lanes of a group: a whole repeat of half elements.
inline constexpr std::size_t kMaxReduceGroup = 128;

/// The functions of one element type. A call reduces `groups` groups of `group` consecutive lanes,
/// a power of two from 2 to kMaxReduceGroup, to one element each; `results` overlaps no lanes.
struct ReduceLanes {
  using Reduce = void (*)(const void* lanes, void* results, std::size_t groups, std::size_t group);
  Reduce sum = nullptr;  ///< neighbours first: ((0 + 1) + (2 + 3)) + ...
  /// The sum with every sum of two made finite. Only half has it.
  Reduce finite_sum = nullptr;
  Reduce max = nullptr;  ///< NaN wins over numbers, -0 < +0
  Reduce min = nullptr;
  /// For each group, the number of the first lane that equals `results[g]`, a result of max or min.
  void (*find)(const void* lanes, const void* results, std::uint32_t* indices, std::size_t groups,
               std::size_t group) = nullptr;
};

/// Functions of half and float for the host's best instruction set, or for the one that a test
/// asked for; all null for other types.
ReduceLanes make_reduce_lanes(DType type);

/// The functions of this host.
const ReduceLanes& reduce_lanes(DType type);

}  // namespace davsim::isa
