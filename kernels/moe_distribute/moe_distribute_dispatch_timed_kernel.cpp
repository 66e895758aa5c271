// Dispatch that also says how long the rank waited for each other one (performance_info).
#include "kernels/moe_distribute/dispatch_receiver.h"
#include "kernels/moe_distribute/dispatch_sender.h"

extern "C" __global__ __aicore__ void moe_distribute_dispatch_timed(
    GM_ADDR x, GM_ADDR expert_ids, GM_ADDR scales, GM_ADDR mask, GM_ADDR weights, GM_ADDR workspace,
    GM_ADDR expand_x, GM_ADDR dynamic_scales, GM_ADDR info, GM_ADDR token_nums, GM_ADDR ep_counts,
    GM_ADDR tp_counts, GM_ADDR expand_scales, GM_ADDR ep_context, GM_ADDR tp_context, GM_ADDR times,
    GM_ADDR times_workspace, MoeDistributeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  const moe_distribute::DispatchBuffers gm = {
      x,    expert_ids, scales,    mask,      weights,       workspace,  expand_x,  dynamic_scales,
      info, token_nums, ep_counts, tp_counts, expand_scales, ep_context, tp_context};
  const uint32_t half_of_windows =
      tiling.bfloat16 != 0 ? moe_distribute::DispatchSender<bfloat16_t>(tiling, gm, &pipe).Process()
                           : moe_distribute::DispatchSender<half>(tiling, gm, &pipe).Process();
  pipe.Reset();
  const moe_distribute::WaitTimes waits(times, times_workspace, tiling.world);
  moe_distribute::DispatchReceiver<moe_distribute::WaitTimes>(tiling, gm, &pipe, half_of_windows,
                                                              waits)
      .Process();
}
