// Products that add up in one place of L0C.
#pragma once

#include "kernel_operator.h"

namespace kernel_common {

/// Comes before a Mmad that adds m x n sums to those of the Mmad before it. A product of few
/// fractals lets the next one start before its sums are in L0C (documented of Mmad: fewer than
/// ten).
__aicore__ inline void AwaitEarlierSums(uint32_t m, uint32_t n) {
  constexpr uint32_t kRows = 16, kEnough = 10;
  if ((m + kRows - 1) / kRows * ((n + kRows - 1) / kRows) < kEnough) {
    AscendC::PipeBarrier<PIPE_M>();
  }
}

}  // namespace kernel_common
