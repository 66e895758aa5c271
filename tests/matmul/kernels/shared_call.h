// What the tests hand to their kernel of two vector cores that share operands in L1.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

struct SharedTestCall {
  AscendC::tiling::TCubeTiling tiling;
  std::int32_t shared = 0;  ///< bit 0: A, bit 1: B
  std::int32_t init = 0;    ///< the tiling comes with Init
  std::int32_t rounds = 1;  ///< products in a row
};
