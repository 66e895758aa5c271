// Heads of the queries go in rounds: the cube cores raise the ones while the vector cores work on
// the others.
#pragma once

#include "kernel_operator.h"

namespace kernel_prolog {

/// One of `count` equal parts.
struct HeadRound {
  uint32_t index, count;

  __aicore__ inline uint32_t Share(uint32_t all) const { return all / count; }
  __aicore__ inline uint32_t First(uint32_t all) const { return index * Share(all); }
};

}  // namespace kernel_prolog
