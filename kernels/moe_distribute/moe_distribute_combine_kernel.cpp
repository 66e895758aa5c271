// Combine of a mixture of experts: sends each row back to the rank of its token, and adds up what
// the experts of a token made of it.
//
// Each block writes a share of the rows straight into the windows of their ranks, each followed by
// a flag. It then takes a share of the own tokens one by one: it polls the flags of a token's
// experts, clears them, and sums the rows up in float32.
#include "kernels/moe_distribute/combine_receiver.h"
#include "kernels/moe_distribute/combine_sender.h"

namespace {

template <class T>
__aicore__ inline void Combine(const MoeDistributeTiling& tiling,
                               const moe_distribute::CombineBuffers& gm, AscendC::TPipe* pipe) {
  const uint32_t half = moe_distribute::CombineSender<T>(tiling, gm, pipe).Process();
  pipe->Reset();
  moe_distribute::CombineReceiver<T, moe_distribute::NoWaitTimes>(tiling, gm, pipe, half).Process();
}

}  // namespace

extern "C" __global__ __aicore__ void moe_distribute_combine(
    GM_ADDR expand_x, GM_ADDR expert_ids, GM_ADDR info, GM_ADDR ep_counts, GM_ADDR weights,
    GM_ADDR tp_counts, GM_ADDR mask, GM_ADDR shared_x, GM_ADDR ori_x, GM_ADDR alpha_1,
    GM_ADDR alpha_2, GM_ADDR constant, GM_ADDR x, GM_ADDR ep_context, GM_ADDR tp_context,
    MoeDistributeTiling tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  AscendC::TPipe pipe;
  const moe_distribute::CombineBuffers gm = {
      expand_x, expert_ids, info,    ep_counts, weights, tp_counts,  mask,      shared_x,
      ori_x,    alpha_1,    alpha_2, constant,  x,       ep_context, tp_context};
  if (tiling.bfloat16 != 0) {
    Combine<bfloat16_t>(tiling, gm, &pipe);
  } else {
    Combine<half>(tiling, gm, &pipe);
  }
}
