// A source that relies on what the build gives it: macros, one with a parameter, and a header. Its
// choice between half and int is none of C++, and its variable has a name that is a word of C++20.
#include "kernel_operator.h"

extern "C" __global__ __aicore__ void prelude_custom(__gm__ std::int32_t* out) {
  const half requires = 1.5;
  const float doubled = 2 * (*out == 0 ? requires : 7);
  *out = TWICE(PLAIN) + OF_THE_PRELUDE + static_cast<std::int32_t>(100 * doubled);
}
