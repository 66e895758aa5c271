// What the tests hand to their kernel of batches in UB.
#pragma once

#include <cstdint>

#include "kernel_tiling/tcube_tiling.h"

enum class UbBatches : std::int32_t {
  kNormal,
  kBsngd,
  kSbngd,
  kBngs1s2,
  kToUb,     ///< C too
  kFractals  ///< int8_t in NZ
};

struct UbBatchesCall {
  AscendC::tiling::TCubeTiling tiling;
  UbBatches variant = UbBatches::kNormal;
  std::uint32_t batch_a = 0, batch_b = 0;
  std::int32_t bias = 0, again = 0;
  std::uint32_t bytes_a = 0, bytes_b = 0, bytes_bias = 0, elements_c = 0;  ///< of a vector core
};
