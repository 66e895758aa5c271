// What the host tells the kernel that quantises rows. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

enum class Rounding : std::uint32_t { kNearest, kDown, kUp, kTowardsZero };

/// y = x * scale + offset as int8, with scales that are given, or with one of each row that brings
/// its elements to 127.
struct QuantTiling {
  RowShares shares;
  std::uint64_t weight_rows;  ///< of scales and offsets: row r of x takes row r % weight_rows
  Element element;
  Rounding rounding;
  std::uint32_t is_dynamic;  ///< 1: the scale of a row is that of its greatest element
  std::uint32_t has_scale;   ///< 1: elements are multiplied by scales, which are float
  std::uint32_t twice;       ///< 1: by their squares
  std::uint32_t has_offset;
};

}  // namespace davsim_basic
