// Explicit specialisations within a class, which g++ does not read.
#pragma once
#include "kernel_operator.h"
struct ByCore {
  template <int core>
  __aicore__ float value() const {
    return 1;
  }
  template <>
  __aicore__ float value<AscendC::AIV>() const {
    return 7;
  }
};
