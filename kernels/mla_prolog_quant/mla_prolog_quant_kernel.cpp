// MLA prolog: absorbed queries, and the compressed, quantised key in its caches.
//
//   cube     project         | raise             | mix
//   vector           norm    | latent   split    |
#include "kernels/prolog/cube_stages.h"
#include "kernels/prolog/vector_stages.h"

using namespace AscendC;
using namespace kernel_common;
using namespace kernel_prolog;

extern "C" __global__ __aicore__ void mla_prolog_quant(MlaBuffers mla, PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  if ASCEND_IS_AIC {
    kernel_matmul::BeginProducts();
    Project(mla, tiling);
    TellVectors();
    AwaitVectors();
    Raise(mla, tiling);
    TellVectors();
    AwaitVectors();
    Mix(mla, tiling);
    kernel_matmul::EndProducts();
  }
  if ASCEND_IS_AIV {
    TPipe pipe;
    AwaitCubes();
    RunStage<QueryNorm>(mla, tiling, &pipe);
    TellCubes();
    RunStage<Latent>(mla, tiling, &pipe);
    AwaitCubes();
    RunStage<QuerySplit>(mla, tiling, &pipe);
    TellCubes();
  }
}
