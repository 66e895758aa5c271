#include <cstdio>
#include "tikicpulib.h"
extern "C" __global__ __aicore__ void twice(GM_ADDR in, GM_ADDR out, uint32_t count);

int twin_is_known();  // from a source without kernels

int main() {
  if (!twin_is_known()) return 1;
  auto* in = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  auto* out = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  float numbers[64];
  for (int i = 0; i < 64; ++i) numbers[i] = static_cast<float>(i);
  memcpy_s(in, sizeof(numbers), numbers, sizeof(numbers));
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(twice, 1, reinterpret_cast<uint8_t*>(in), reinterpret_cast<uint8_t*>(out), 64);
  std::printf("%g %g", out[1], out[63]);
  AscendC::GmFree(in);
  AscendC::GmFree(out);
}
