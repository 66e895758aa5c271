// The vector cores' side of the prologs: the stages between those of the cube.
#pragma once

#include "kernels/prolog/index_key.h"
#include "kernels/prolog/index_quant.h"
#include "kernels/prolog/index_query.h"
#include "kernels/prolog/latent.h"
#include "kernels/prolog/query_norm.h"
#include "kernels/prolog/query_split.h"

namespace kernel_prolog {

/// Runs one stage, which has all of UB.
template <class Stage, class... Arguments>
__aicore__ inline void RunStage(TPipe* pipe, const Arguments&... arguments) {
  {
    Stage stage(arguments..., pipe);
    stage.Process();
  }
  // The loads of the next stage use buffers of this stage.
  PipeBarrier<PIPE_ALL>();
  pipe->Reset();
}

__aicore__ inline void WriteKeys(const MlaBuffers& mla, const PrologTiling& tiling, TPipe* pipe) {
  RunStage<Latent>(pipe, mla, tiling);
}
__aicore__ inline void WriteKeys(const IndexerBuffers& indexer, const PrologTiling& tiling,
                                 TPipe* pipe) {
  RunStage<IndexKey>(pipe, indexer, tiling);
}

__aicore__ inline void Queries(const MlaBuffers& mla, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe) {
  RunStage<QuerySplit>(pipe, mla, tiling, round);
}
__aicore__ inline void Queries(const IndexerBuffers& indexer, const PrologTiling& tiling,
                               const HeadRound& round, TPipe* pipe) {
  RunStage<IndexQuery>(pipe, indexer, tiling, round);
}

/// Quantises the results of the indexer's mix.
__aicore__ inline void Quantise(const IndexerBuffers& indexer, const PrologTiling& tiling,
                                const HeadRound& round, TPipe* pipe) {
  RunStage<QuantQuery>(pipe, indexer, tiling, round);
  if (round.index == 0) RunStage<QuantKey>(pipe, indexer, tiling);
}

}  // namespace kernel_prolog
