#include "put.h"

struct Offsets {
  float values[3];
};

/// Has what registers of different kinds hold: a pointer, a float, a whole number, a structure, and
/// a pointer to what the host gave.
extern "C" __global__ __aicore__ void third(GM_ADDR out, float a, int16_t b, Offsets offsets,
                                            GM_ADDR more) {
  put(out, a + b + offsets.values[2] + *(__gm__ float*)more);
}
