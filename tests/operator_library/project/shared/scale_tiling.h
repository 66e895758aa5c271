// Tiling data of ScaleCustom as a plain structure, for the host and the kernel.
#pragma once

#include <cstdint>

struct ScaleTiling {
  uint32_t length;
};
