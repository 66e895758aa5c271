// Sums up over all ranks, then gathers the sums of a pair of ranks. The order of the two operations
// is that of their communicators' servers alone.
#include "kernel_operator.h"
#include "lib/hccl/hccl.h"

using namespace AscendC;

/// The communicators of the pair and of all ranks: numbers 0 and 1 of the launch.
extern "C" __global__ __aicore__ void groups_custom(GM_ADDR pair, GM_ADDR all, GM_ADDR x,
                                                    GM_ADDR sum, GM_ADDR sums) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  constexpr uint32_t kRow = 64;
  Hccl<HCCL_SERVER_TYPE_AICPU> of_pair, of_all;
  of_pair.Init(pair);
  of_all.Init(all);
  if (GetBlockIdx() == 0) {
    const HcclHandle added = of_all.AllReduce(x, sum, kRow, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM);
    of_pair.InterHcclGroupSync(1, added);
    const HcclHandle gathered = of_pair.AllGather<true>(sum, sums, kRow, HCCL_DATA_TYPE_FP32, 0);
    of_all.Commit(added);
    of_pair.Wait(gathered);
    of_all.Wait(added);
  }
  SyncAll<true>();
  if (GetBlockIdx() == 0) {
    of_pair.Finalize();
    of_all.Finalize();
  }
}
