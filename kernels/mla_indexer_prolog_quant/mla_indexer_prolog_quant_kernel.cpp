// Both prologs in one launch. Independent products share the cube cores of a stage; the indexer's
// queries begin as soon as the MLA half has the quantised query latent.
//
//   cube     project of both     | raise of both            | mix of the indexer, mix of the MLA
//   vector                  norm | latent, keys   split, queries |            quantise
#include "kernels/prolog/cube_stages.h"
#include "kernels/prolog/vector_stages.h"

using namespace AscendC;
using namespace kernel_common;
using namespace kernel_prolog;

extern "C" __global__ __aicore__ void mla_indexer_prolog_quant(MlaBuffers mla,
                                                               IndexerBuffers indexer,
                                                               PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    kernel_matmul::BeginProducts();
    Project(mla, tiling);
    Project(indexer, tiling);
    TellVectors();
    AwaitVectors();
    Raise(mla, tiling);
    Raise(indexer, tiling);
    TellVectors();
    AwaitVectors();
    Mix(indexer, tiling);
    TellVectors();
    Mix(mla, tiling);
    kernel_matmul::EndProducts();
  }
  if ASCEND_IS_AIV {
    TPipe pipe;
    AwaitCubes();
    RunStage<QueryNorm>(mla, tiling, &pipe);
    TellCubes();
    RunStage<Latent>(mla, tiling, &pipe);
    RunStage<IndexKey>(indexer, tiling, &pipe);
    AwaitCubes();
    RunStage<QuerySplit>(mla, tiling, &pipe);
    RunStage<IndexQuery>(indexer, tiling, &pipe);
    TellCubes();
    AwaitCubes();
    RunStage<QuantQuery>(indexer, tiling, &pipe);
    RunStage<QuantKey>(indexer, tiling, &pipe);
  }
}
