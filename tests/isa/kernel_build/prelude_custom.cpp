// A source that relies on what the build gives it: macros, one with a parameter, and a header.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void prelude_custom(__gm__ std::int32_t* out) {
  *out = TWICE(PLAIN) + OF_THE_PRELUDE;
}
