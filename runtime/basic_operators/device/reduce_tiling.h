// What the host tells the kernels of reductions. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// What becomes of elements before they are reduced.
enum class ReduceMap : std::uint32_t {
  kNone,
  kAbs,
  kExpOfDifference,  ///< exp(x - shift), where each row has a shift
  kNanToZero,
  kNotZero,  ///< 1 or 0
  kPower,    ///< |x| to a power
  kSquare,
  kSquareOfDifference,  ///< (x - shift)^2
};

/// Long rows are split into parts, which are the rows of RowShares then.
struct ReduceTiling {
  RowShares shares;     ///< `length` is that of a part
  std::uint64_t row;    ///< elements of a whole row; its last part may be shorter
  std::uint32_t parts;  ///< of a row
  Arithmetic op;
  ReduceMap map;
  Element in;
  std::uint32_t whole;  ///< 1: computed in int32, else in float
  float power;
  float scale;  ///< of the result
};

/// The greatest element of each row, or the least, and where it is.
struct ArgTiling {
  RowShares shares;
  std::uint64_t row;
  std::uint32_t parts;
  Element in;
  std::uint32_t whole;
  std::uint32_t least;
  std::uint32_t has_places;  ///< 1: a tensor has the places that the elements had before
};

}  // namespace davsim_basic
