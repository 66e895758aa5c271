// Combine that also says how long the rank waited for each other one (performance_info).
#include "kernels/moe_distribute/combine_receiver.h"
#include "kernels/moe_distribute/combine_sender.h"

namespace {

template <class T>
__aicore__ inline void Combine(const MoeDistributeTiling& tiling,
                               const moe_distribute::CombineBuffers& gm,
                               const moe_distribute::WaitTimes& waits, AscendC::TPipe* pipe) {
  const uint32_t half = moe_distribute::CombineSender<T>(tiling, gm, pipe).Process();
  pipe->Reset();
  moe_distribute::CombineReceiver<T, moe_distribute::WaitTimes>(tiling, gm, pipe, half, waits)
      .Process();
}

}  // namespace

extern "C" __global__ __aicore__ void moe_distribute_combine_timed(
    GM_ADDR expand_x, GM_ADDR expert_ids, GM_ADDR info, GM_ADDR ep_counts, GM_ADDR weights,
    GM_ADDR tp_counts, GM_ADDR mask, GM_ADDR shared_x, GM_ADDR ori_x, GM_ADDR alpha_1,
    GM_ADDR alpha_2, GM_ADDR constant, GM_ADDR x, GM_ADDR ep_context, GM_ADDR tp_context,
    GM_ADDR times, GM_ADDR times_workspace, MoeDistributeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  const moe_distribute::CombineBuffers gm = {
      expand_x, expert_ids, info,    ep_counts, weights, tp_counts,  mask,      shared_x,
      ori_x,    alpha_1,    alpha_2, constant,  x,       ep_context, tp_context};
  const moe_distribute::WaitTimes waits(times, times_workspace, tiling.world);
  if (tiling.bfloat16 != 0) {
    Combine<bfloat16_t>(tiling, gm, waits, &pipe);
  } else {
    Combine<half>(tiling, gm, waits, &pipe);
  }
}
