// Kernels whose cores attributes name, as the vendor's newer compiler reads them. No other word of
// the source says it.
extern "C" {  // as headers do that C includes too
#include "kernel_operator.h"
}

extern "C" [[bisheng::core_ratio(1, 2)]] __global__ __aicore__ void ratio_custom(
    std::int32_t* half) {
  *half = AscendC::GetSubBlockNum();
}

extern "C" __attribute__((aic)) __global__ __aicore__ void aic_custom(std::int32_t* half) {
  *half = static_cast<std::int32_t>(g_coreType);
}
