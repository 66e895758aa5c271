// Kernels that say before their names on which cores they run; one is a template that another
// calls.
#include "kernel_operator.h"
#include "utils/std/cmath.h"

template <typename T>
__global__ __cube__ void which_half(T* half) {
  ASSERT(half != nullptr && "whoever launches this has to say where");
  *half = static_cast<T>(AscendC::Std::ceil_div(g_coreType * 3, 3));
}

extern "C" __global__ __cube__ void cube_custom(std::int32_t* half) {
  which_half(half);
}

extern "C" __vector__ __global__ void vector_custom(std::int32_t* half) {
  which_half(half);
}

extern "C" __global__ __mix__(1, 2) void mix_custom(std::int32_t* half) {
  which_half<std::int32_t>(half);
}

/// What the body says wins, with or without a semicolon.
extern "C" __global__ __cube__ void contrary_custom(std::int32_t* half) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  if (TILING_KEY_IS(3)) {
    KERNEL_TASK_TYPE(3, KERNEL_TYPE_MIX_AIC_1_1)
    return;
  }
  which_half(half);
}

void cube_custom_do(uint32_t blocks, void* stream, std::int32_t* half) {
  cube_custom<<<blocks, nullptr, stream>>>(half);
}
