// A round: the heads of the queries that the cores process at a time.
#pragma once

#include "kernel_operator.h"
#include "kernels/prolog/prolog_tiling.h"

namespace kernel_prolog {

struct HeadRound {
  uint32_t index;

  __aicore__ static inline uint32_t Share(uint32_t all) { return all / kPrologRounds; }
  __aicore__ inline uint32_t First(uint32_t all) const { return index * Share(all); }
};

}  // namespace kernel_prolog
