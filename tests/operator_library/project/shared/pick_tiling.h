// Tiling data of PickCustom, for host and kernel.
#pragma once

#include <cstdint>

struct PickTiling {
  uint32_t length;
  int32_t extra;
};
