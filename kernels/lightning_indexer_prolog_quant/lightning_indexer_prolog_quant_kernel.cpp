// Lightning indexer prolog: quantised queries, keys and head weights of the sparse selector. Its
// three chains run side by side: their products share the cube cores.
//
//   cube     project, raise                      | mix
//   vector                   queries, keys       |       quantise
#include "kernels/prolog/cube_stages.h"
#include "kernels/prolog/vector_stages.h"

using namespace AscendC;
using namespace kernel_common;
using namespace kernel_prolog;

extern "C" __global__ __aicore__ void lightning_indexer_prolog_quant(IndexerBuffers indexer,
                                                                     PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    kernel_matmul::BeginProducts();
    Project(indexer, tiling);
    Raise(indexer, tiling);
    TellVectors();
    AwaitVectors();
    Mix(indexer, tiling);
    TellVectors();
    kernel_matmul::EndProducts();
  }
  if ASCEND_IS_AIV {
    TPipe pipe;
    AwaitCubes();
    RunStage<IndexQuery>(indexer, tiling, &pipe);
    RunStage<IndexKey>(indexer, tiling, &pipe);
    TellCubes();
    AwaitCubes();
    RunStage<QuantQuery>(indexer, tiling, &pipe);
    RunStage<QuantKey>(indexer, tiling, &pipe);
  }
}
