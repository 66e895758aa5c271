// The order of products that accumulate in the same place of L0C.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Call this before a Mmad that adds m x n sums to those of the previous Mmad. If a product has few
/// fractals, the next Mmad would start before the sums are in L0C (documented for Mmad: fewer than
/// ten fractals).
__aicore__ inline void AwaitEarlierSums(uint32_t m, uint32_t n) {
  constexpr uint32_t kRows = 16, kEnough = 10;
  if ((m + kRows - 1) / kRows * ((n + kRows - 1) / kRows) < kEnough) {
    AscendC::PipeBarrier<PIPE_M>();
  }
}

}  // namespace kernel_common
