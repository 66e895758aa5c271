#include "kernel_operator.h"
#include "scale_template.h"
#include "scale_tiling.h"

using namespace AscendC;

template <typename T, int FACTOR, bool NEGATE>
__global__ __aicore__ void scale_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<T> in, out;
  in.SetGlobalBuffer((__gm__ T*)x);
  out.SetGlobalBuffer((__gm__ T*)y);
  for (uint32_t i = 0; i < data.length; ++i) {
    out.SetValue(i, in.GetValue(i) * FACTOR * (NEGATE ? -1 : 1));
  }
  DataCacheCleanAndInvalid<T, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
}
