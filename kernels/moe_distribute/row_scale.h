// The scale of a row of int8: 127 / max. A row of zeros has an infinite factor. Its products are
// NaN, which become 0, and its scale back is 0.
#pragma once

#include "kernel_operator.h"

namespace moe_distribute {

struct RowScale {
  __aicore__ inline explicit RowScale(float largest)
      : factor(127.0f / largest), back(1.0f / factor) {}
  float factor, back;
};

}  // namespace moe_distribute
