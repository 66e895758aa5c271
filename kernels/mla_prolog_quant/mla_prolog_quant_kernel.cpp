// MLA prolog: absorbed queries, and the compressed, quantised key in its caches.
#include "kernels/prolog/prolog.h"

extern "C" __global__ __aicore__ void mla_prolog_quant(MlaBuffers mla, PrologTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  kernel_prolog::RunProlog(mla, kernel_prolog::NoHalf(), tiling);
}
