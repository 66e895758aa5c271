#pragma once
// As the vendor's tree has it.
#include "tikcpp/tikcfw/kernel_operator.h"
__aicore__ inline void put(GM_ADDR at, float value) {
  AscendC::GlobalTensor<float> out;
  out.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(at));
  out.SetValue(0, value);
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::ENTIRE_DATA_CACHE,
                                    AscendC::DcciDst::CACHELINE_OUT>(out);
}
