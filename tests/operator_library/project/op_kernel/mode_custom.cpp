#include "kernel_operator.h"
#include "mode_tiling.h"

using namespace AscendC;

#define ADD_MODE 1

__aicore__ inline int32_t Result(int32_t value, const ModeTiling& tiling) {
  return value + tiling.addend;
}
__aicore__ inline int32_t Result(int32_t value, const DoubleModeTiling& tiling) {
  return value * tiling.factor;
}

extern "C" __global__ __aicore__ void mode_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ModeTiling);
  REGISTER_TILING_FOR_TILINGKEY("TILING_KEY_VAR == 2", DoubleModeTiling);
  GET_TILING_DATA(data, tiling);
  GlobalTensor<int32_t> in, out, scratch;
  in.SetGlobalBuffer((__gm__ int32_t*)x);
  out.SetGlobalBuffer((__gm__ int32_t*)y);
  scratch.SetGlobalBuffer((__gm__ int32_t*)GetUserWorkspace(workspace));
  for (uint32_t i = 0; i < data.length; ++i) scratch.SetValue(i, in.GetValue(i));
  for (uint32_t i = 0; i < data.length; ++i) {
    // Constants, as the device's compiler has them; only the keys that are named exist.
    if constexpr (TILING_KEY_IS(ADD_MODE) || TILING_KEY_IS(2)) {
      static_assert(TILING_KEY_VAR == ADD_MODE || TILING_KEY_VAR == 2);
      out.SetValue(i, Result(scratch.GetValue(i), data));
    }
  }
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
}
