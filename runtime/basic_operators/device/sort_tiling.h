// What the host tells the kernel that sorts rows. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// Elements that are sorted in UB at a time.
inline constexpr std::uint32_t kSortTile = 4096;
/// Of longer rows, so many can be kept.
inline constexpr std::uint32_t kMostKept = 2048;

enum class SortOrder : std::uint32_t {
  kDescending,
  kAscending,  ///< of rows that fit UB
  kLeast,      ///< the least elements first; NaN counts as infinity
};

struct SortTiling {
  RowShares shares;    ///< one row at a time
  std::uint32_t kept;  ///< elements of the results of a row
  SortOrder order;
  Element element;
};

}  // namespace davsim_basic
