// Sparse flash attention: every query token attends to its own selection of rows of a paged cache.
// The kernel consists of parts of the attention family. The vector cores gather the rows.
#include "kernels/attention/cube_stream.h"
#include "kernels/attention/last_rows.h"
#include "kernels/attention/two_pass_stream.h"
#include "kernels/sparse_flash_attention_quant/gather_keys.h"

using namespace AscendC;
using namespace kernel_attention;
using kernel_sparse_attention::GatherKeys;

namespace {

__aicore__ inline void RunOnVector(const SparseFlashAttentionTiling& tiling) {
  const auto core = static_cast<uint32_t>(GetBlockIdx());
  const auto half = static_cast<uint32_t>(GetSubBlockIdx());
  const auto halves = static_cast<uint32_t>(GetSubBlockNum());
  RowOutput<bfloat16_t> output(tiling.attention);
  GatherKeys keys(tiling, half);
  TwoPassStream<bfloat16_t, GatherKeys> stream(tiling.attention, output, keys, core / halves, half);
  stream.Process();
  EndRows(tiling.attention, output, core, static_cast<uint32_t>(GetBlockNum()) * halves);
}

}  // namespace

extern "C" __global__ __aicore__ void sparse_flash_attention_quant(
    SparseFlashAttentionTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  PRELOAD(4);  // the code of the first tiles, while the first of them is being set up
  if ASCEND_IS_AIC {
    CubeStream<bfloat16_t> stream(tiling.attention, static_cast<uint32_t>(GetBlockIdx()));
    stream.Process();
  }
  if ASCEND_IS_AIV {
    RunOnVector(tiling);
  }
}
