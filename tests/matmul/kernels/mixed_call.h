// What the tests hand to their mixed kernel.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class MixedUse : std::int32_t {
  kAll,
  kAllAsync,
  kBlocksAhead,
  kBlocksByOtherName,  ///< AsyncGetTensorC and WaitGetTensorC
  kAllToUb,
  kFromUb,
  kFromUbAhead,  ///< behind another one that is not awaited
  kBiasInUb,     ///< of 2 for each column
  kBiasCleared,
  kPartialSums,
  kRunningSums,  ///< the same, and the first sums are got as well
  kGetWithoutIterate,
  kIterateTwice,
  kForgottenEnd,  ///< two objects, the first of which is not ended
  kSideBySide,    ///< two objects whose products overlap
  kNumberB,       ///< all elements of B are 2, then those of the matrix
  kNoServer       ///< only vector cores register their objects
};

struct MixedTestCall {
  AscendC::tiling::TCubeTiling tiling;
  MixedUse use = MixedUse::kAll;
};
