// What the host tells the kernel of gated units. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

/// The activation of one half of a row, with which the other half is multiplied.
enum class Gate : std::uint32_t { kSigmoid, kSwish, kGelu, kGeluTanh };

/// Rows have two halves. Where there are few, their parts are the rows of RowShares.
struct GatedTiling {
  RowShares shares;     ///< `length` is that of a part of a half
  std::uint64_t half;   ///< elements of half a row
  std::uint32_t parts;  ///< of a half
  Gate gate;
  Element element;
  std::uint32_t left;            ///< 1: the activation is that of the first half
  std::uint32_t has_activation;  ///< 1: the activation is written too
};

}  // namespace davsim_basic
