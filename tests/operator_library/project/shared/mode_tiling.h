// Tiling data of ModeCustom as plain structures, for the host and the kernel.
#pragma once

#include <cstdint>

struct ModeTiling {
  uint32_t length;
  int32_t addend;
};

struct DoubleModeTiling {
  int32_t factor;
  uint32_t length;
};
