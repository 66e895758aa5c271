// Dispatch of a mixture of experts by levels: a token crosses to another server once, however many
// experts it has there.
//
// Each block sends a share of the tokens to the ranks with the place of its own in other servers,
// each followed by a flag, and rows to experts of its own server. It then takes a share of the
// tokens that come from other servers and sends their rows on. When all blocks have, the counts of
// rows follow, and the rows are received as in the other algorithm.
#include "kernels/moe_distribute/dispatch_receiver.h"
#include "kernels/moe_distribute/level_forwarder.h"
#include "kernels/moe_distribute/level_sender.h"

extern "C" __global__ __aicore__ void moe_distribute_dispatch_hierarchy(
    GM_ADDR x, GM_ADDR expert_ids, GM_ADDR scales, GM_ADDR mask, GM_ADDR weights, GM_ADDR workspace,
    GM_ADDR expand_x, GM_ADDR dynamic_scales, GM_ADDR info, GM_ADDR token_nums, GM_ADDR ep_counts,
    GM_ADDR tp_counts, GM_ADDR expand_scales, GM_ADDR ep_context, GM_ADDR tp_context, GM_ADDR lists,
    GM_ADDR times, GM_ADDR times_workspace, MoeLevelTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  using namespace moe_distribute;
  AscendC::TPipe pipe;
  const DispatchBuffers gm = {x,         expert_ids, scales,         mask,       weights,
                              workspace, expand_x,   dynamic_scales, info,       token_nums,
                              ep_counts, tp_counts,  expand_scales,  ep_context, tp_context};
  const uint32_t half_of_windows = tiling.flat.bfloat16 != 0
                                       ? LevelSender<bfloat16_t>(tiling, gm, lists, &pipe).Process()
                                       : LevelSender<half>(tiling, gm, lists, &pipe).Process();
  pipe.Reset();
  LevelForwarder(tiling, gm, lists, &pipe, half_of_windows).Process();
  pipe.Reset();
  if (times == nullptr) {
    DispatchReceiver<NoWaitTimes>(tiling.flat, gm, &pipe, half_of_windows).Process();
  } else {
    DispatchReceiver<WaitTimes>(tiling.flat, gm, &pipe, half_of_windows,
                                WaitTimes(times, times_workspace, tiling.flat.world))
        .Process();
  }
}
