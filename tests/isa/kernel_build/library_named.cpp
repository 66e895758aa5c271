// A kernel that is named like a function of the C library, as operators often are.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void fmax(std::int32_t* out, float x, float y) {
  *out = static_cast<std::int32_t>(fmax(x, y));
}
