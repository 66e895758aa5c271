// The vector cores' side of the prologs, a stage between two of the cube's.
#pragma once

#include "kernels/common/stage_sync.h"
#include "kernels/prolog/index_key.h"
#include "kernels/prolog/index_query.h"
#include "kernels/prolog/latent.h"
#include "kernels/prolog/query_norm.h"
#include "kernels/prolog/query_split.h"

namespace kernel_prolog {

/// Runs one stage with all of UB to itself.
template <class Stage, class Buffers>
__aicore__ inline void RunStage(const Buffers& buffers, const PrologTiling& tiling, TPipe* pipe) {
  {
    Stage stage(buffers, tiling, pipe);
    stage.Process();
  }
  // The next stage's loads go where this one still computes.
  PipeBarrier<PIPE_ALL>();
  pipe->Reset();
}

}  // namespace kernel_prolog
