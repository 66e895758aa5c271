// Combine of a mixture of experts by levels: what the experts of a server made of a token crosses
// to the token's server as one row.
//
// Each block sends a share of the rows to the ranks of its own server that have the places of the
// tokens' ranks, each followed by a flag. It then takes a share of the tokens whose rows come
// together on its own rank, adds them up by their weights, and sends the sums to the tokens' ranks.
// At last it takes a share of the own tokens and adds up the sums of all servers.
#include "kernels/moe_distribute/level_gatherer.h"
#include "kernels/moe_distribute/level_receiver.h"

namespace {

using namespace moe_distribute;

template <class T>
__aicore__ inline void Combine(const MoeLevelTiling& tiling, const CombineBuffers& gm,
                               GM_ADDR row_weights, GM_ADDR lists, GM_ADDR times,
                               GM_ADDR times_workspace, AscendC::TPipe* pipe) {
  const uint32_t half = LevelReturner<T>(tiling, gm, row_weights, pipe).Process();
  pipe->Reset();
  LevelGatherer<T>(tiling, gm, lists, pipe, half).Process();
  pipe->Reset();
  if (times == nullptr) {
    LevelReceiver<T, NoWaitTimes>(tiling, gm, pipe, half).Process();
  } else {
    LevelReceiver<T, WaitTimes>(tiling, gm, pipe, half,
                                WaitTimes(times, times_workspace, tiling.flat.world))
        .Process();
  }
}

}  // namespace

extern "C" __global__ __aicore__ void moe_distribute_combine_hierarchy(
    GM_ADDR expand_x, GM_ADDR expert_ids, GM_ADDR info, GM_ADDR ep_counts, GM_ADDR weights,
    GM_ADDR tp_counts, GM_ADDR mask, GM_ADDR shared_x, GM_ADDR ori_x, GM_ADDR alpha_1,
    GM_ADDR alpha_2, GM_ADDR constant, GM_ADDR x, GM_ADDR ep_context, GM_ADDR tp_context,
    GM_ADDR row_weights, GM_ADDR lists, GM_ADDR times, GM_ADDR times_workspace,
    MoeLevelTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  const CombineBuffers gm = {expand_x,  expert_ids, info,     ep_counts,  weights,
                             tp_counts, mask,       shared_x, ori_x,      alpha_1,
                             alpha_2,   constant,   x,        ep_context, tp_context};
  if (tiling.flat.bfloat16 != 0) {
    Combine<bfloat16_t>(tiling, gm, row_weights, lists, times, times_workspace, &pipe);
  } else {
    Combine<half>(tiling, gm, row_weights, lists, times, times_workspace, &pipe);
  }
}
