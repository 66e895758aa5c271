// What the host tells the kernel of rotary embeddings. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// Rows of x have two halves of `shares.length` elements. Row r of x takes this row of the cosines
/// and sines: r / (repeat * period * across) * period + r / repeat % period.
struct RotaryTiling {
  RowShares shares;
  std::uint64_t repeat, period, across;
  Element element;  ///< of x; cosines and sines are float
};

}  // namespace davsim_basic
