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

/// The objects of a kernel.
enum class RandomObject : std::uint8_t {
  kPlain,
  kLoadsMore,
  kFromUb,
  kSharesA,  ///< in L1, with the other vector core
  kSharesB,
  kSharesBoth,  ///< one product for both vector cores, who ask for it at the same step
  kObjects
};

struct RandomCalls {
  static constexpr int kVectors = 4, kSteps = 16;
  AscendC::tiling::TCubeTiling tiling;
  RandomCall call[kVectors][kSteps];
  RandomObject object[kVectors][kSteps];
  std::uint8_t matrices[kVectors][kSteps];  ///< bit 0: the other A, bit 1: the other B
};
