#include "kernel_operator.h"
#include "lib/hccl/hccl.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void sum_ranks_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  if (TILING_KEY_IS(3)) {
    Hccl<HCCL_SERVER_TYPE_AICPU> hccl;
    hccl.Init(GetHcclContext<HCCL_GROUP_ID_0>(), tiling);
    if (hccl.SetCcTiling(tiling + offsetof(SumRanksTiling, sum)) != HCCL_SUCCESS) return;
    const HcclHandle sum =
        hccl.AllReduce<true>(x, y, data.length, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM);
    if (GetBlockIdx() == 0) hccl.Wait(sum);
    SyncAll<true>();
    hccl.Finalize();
  }
}
