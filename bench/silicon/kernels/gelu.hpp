// Gelu by the approximation with tanh.
#pragma once

#include "kernel_operator.h"

namespace davsim::silicon {

/// out = x / (1 + exp(-1.5958 (x + 0.044715 x^3))); `out` may be `x`.
inline void gelu(const AscendC::LocalTensor<float>& out, const AscendC::LocalTensor<float>& x,
                 const AscendC::LocalTensor<float>& temp, std::int32_t count) {
  using namespace AscendC;
  Mul(temp, x, x, count);
  Mul(temp, temp, x, count);
  Muls(temp, temp, 0.044715f, count);
  Add(temp, temp, x, count);
  Muls(temp, temp, -1.5957691f, count);
  Exp(temp, temp, count);
  Adds(temp, temp, 1.0f, count);
  Div(out, x, temp, count);
}

}  // namespace davsim::silicon
