// What the test of random calls hands to its kernel.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class RandomCall : std::uint8_t {
  kAll,
  kAllAwaited,
  kAllNotAwaited,
  kBlocks,
  kBlocksToUb,
  kBlocksAhead,  ///< Iterate<false> once
  kEachAhead,    ///< Iterate<false> for each block
  kAllToUb,
  kCalls
};

struct RandomCalls {
  static constexpr int kVectors = 4, kSteps = 16;
  AscendC::tiling::TCubeTiling tiling;
  RandomCall call[kVectors][kSteps];
  std::uint8_t object[kVectors][kSteps];  ///< 0 to 2
};
