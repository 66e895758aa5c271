// Explicit specialisations within a class, which g++ does not read.
#pragma once
#include "kernel_operator.h"
__forceinline__[host, aicore] float seven_times(float one) {
  return 7 * one;
}
struct ByCore {
  template <int core>
  __aicore__ float value() const {
    return 1;
  }
  template <>
  __aicore__ float value<AscendC::AIV>() const {
    return seven_times(1);
  }
};
