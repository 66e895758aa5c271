#include "kernel_operator.h"
extern "C" __global__ __aicore__ void seven(__gm__ float* out) {
  AscendC::GlobalTensor<float> gm;
  gm.SetGlobalBuffer(out);
  gm.SetValue(0, 7.0f);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(gm);
}
