// What the host tells the kernels of softmax. Both sides include this file.
#pragma once

#include "row_shape.h"

namespace davsim_basic {

struct SoftmaxTiling {
  RowShares shares;
  Element in, out;  ///< `out` is `in` or float
  std::uint32_t logarithm;
};

}  // namespace davsim_basic
