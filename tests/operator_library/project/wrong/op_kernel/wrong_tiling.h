// Tiling data of WrongCustom, and what its attribute asks for.
#pragma once

#include <cstdint>

enum WrongMode : int32_t { kWell = 0, kReadsOutside = 1, kCrashes = 2, kLoops = 3 };

struct WrongTiling {
  int32_t mode;
  uint32_t length;
  uint64_t nowhere;  ///< 0: an address that nothing has
};
