// Lightning indexer prolog: quantised queries, keys and head weights of the sparse selector.
#include "kernels/prolog/prolog.h"

extern "C" __global__ __aicore__ void lightning_indexer_prolog_quant(IndexerBuffers indexer,
                                                                     PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  kernel_prolog::RunProlog(kernel_prolog::NoHalf(), indexer, tiling);
}
