// What the tests hand to their mixed kernel.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class MixedUse : std::int32_t {
  kAll,
  kAllAsync,
  kBlocksAhead,
  kAllToUb,
  kFromUb,
  kPartialSums,
  kGetWithoutIterate,
  kIterateTwice
};

struct MixedTestCall {
  AscendC::tiling::TCubeTiling tiling;
  MixedUse use = MixedUse::kAll;
};
