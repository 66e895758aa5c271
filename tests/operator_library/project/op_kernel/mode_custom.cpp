#include "kernel_operator.h"
#include "mode_tiling.h"

using namespace AscendC;

#define ADD_MODE 1

// Constants, as the device's compiler has them; only the keys that are named exist.
template <bool multiply>
__aicore__ inline void Compute(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, uint32_t length,
                               int32_t number) {
  GlobalTensor<int32_t> in, out, scratch;
  in.SetGlobalBuffer((__gm__ int32_t*)x);
  out.SetGlobalBuffer((__gm__ int32_t*)y);
  scratch.SetGlobalBuffer((__gm__ int32_t*)GetUserWorkspace(workspace));
  for (uint32_t i = 0; i < length; ++i) scratch.SetValue(i, in.GetValue(i));
  for (uint32_t i = 0; i < length; ++i) {
    const int32_t value = scratch.GetValue(i);
    out.SetValue(i, multiply ? value * number : value + number);
  }
  DataCacheCleanAndInvalid<int32_t, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(out);
}

extern "C" __global__ __aicore__ void mode_custom(GM_ADDR x, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  REGISTER_TILING_DEFAULT(ModeTiling);
  REGISTER_TILING_FOR_TILINGKEY("(TILING_KEY_VAR >> 1) == 1", DoubleModeTiling);
  if constexpr (TILING_KEY_IS(ADD_MODE) || TILING_KEY_IS(2)) {
    static_assert(TILING_KEY_VAR == ADD_MODE || TILING_KEY_VAR == 2);
  }
  // Each branch is compiled for each key: without a struct's name the default is copied.
  if (TILING_KEY_IS(2)) {
    GET_TILING_DATA_WITH_STRUCT(DoubleModeTiling, data, tiling);
    Compute<true>(x, y, workspace, data.length, data.factor);
  } else {
    GET_TILING_DATA(data, tiling);
    Compute<false>(x, y, workspace, data.length, data.addend);
  }
}
