#include "kernel_operator.h"
#include "wrong_tiling.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void wrong_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  REGISTER_TILING_DEFAULT(WrongTiling);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<int32_t> in, out;
  in.SetGlobalBuffer((__gm__ int32_t*)x);
  out.SetGlobalBuffer((__gm__ int32_t*)y);
  out.SetValue(0, in.GetValue(0));
  if (data.mode == kReadsOutside) out.SetValue(0, in.GetValue(data.length + 1000));
  if (data.mode == kCrashes) *(volatile int32_t*)(uintptr_t)data.nowhere = 1;
  for (volatile bool go_on = data.mode == kLoops; go_on;) {
  }
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
}
