// What the host tells the kernel of weighted sums of rows. Both sides include this file.
#pragma once

#include <cstdint>

#include "pointwise_tiling.h"

namespace davsim_basic {

/// Numbers that are in UB at a time, of each of the three kinds: rows, groups and weights.
inline constexpr std::uint32_t kWeightedNumbers = 1024;

/// Sums of `choices` rows for each of `sums` rows of the result. A core has some of these rows, and
/// of them one part.
struct WeightedRowsTiling {
  std::uint64_t sums;
  std::uint64_t share;   ///< sums of a core
  std::uint64_t length;  ///< elements of a row
  std::uint64_t parts;
  std::uint64_t part;  ///< elements of a part
  std::uint32_t choices;
  std::uint32_t tile;  ///< elements that are in UB at a time
  Element element;
};

}  // namespace davsim_basic
