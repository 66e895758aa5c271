#include "kernel_operator.h"
#include "pick_tiling.h"

#if PICKS != 1
#error "a macro for this operator's kernel alone is missing"
#endif

using namespace AscendC;

extern "C" __global__ __aicore__ void pick_custom(GM_ADDR x, GM_ADDR index, GM_ADDR addend,
                                                  GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(PickTiling);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<DTYPE_X> from, added, to;
  from.SetGlobalBuffer((__gm__ DTYPE_X*)x);
  added.SetGlobalBuffer((__gm__ DTYPE_X*)addend);
  to.SetGlobalBuffer((__gm__ DTYPE_X*)y);
  GlobalTensor<int64_t> places;
  places.SetGlobalBuffer((__gm__ int64_t*)index);
  const DTYPE_X more = added.GetValue(0) + static_cast<DTYPE_X>(data.extra);
  for (uint32_t i = 0; i < data.length; ++i) {
    to.SetValue(i, from.GetValue(places.GetValue(i)) + more);
  }
  DataCacheCleanAndInvalid<DTYPE_X, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(to);
}
