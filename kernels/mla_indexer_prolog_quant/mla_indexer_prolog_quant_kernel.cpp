// Both prologs in one launch: independent chains share the cores, and the indexer's queries begin
// as soon as the MLA half has the quantised query latent.
#include "kernels/prolog/prolog.h"

extern "C" __global__ __aicore__ void mla_indexer_prolog_quant(MlaBuffers mla,
                                                               IndexerBuffers indexer,
                                                               PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  kernel_prolog::RunProlog(mla, indexer, tiling);
}
