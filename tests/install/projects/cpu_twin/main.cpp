#include <cstdio>
#include "tikicpulib.h"
extern "C" __global__ __aicore__ void twice(GM_ADDR in, GM_ADDR out, uint32_t count);

int main() {
  auto* in = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  auto* out = static_cast<float*>(AscendC::GmAlloc(64 * sizeof(float)));
  for (int i = 0; i < 64; ++i) in[i] = static_cast<float>(i);
  AscendC::SetKernelMode(KernelMode::AIV_MODE);
  ICPU_RUN_KF(twice, 1, reinterpret_cast<uint8_t*>(in), reinterpret_cast<uint8_t*>(out), 64);
  std::printf("%g %g", out[1], out[63]);
  AscendC::GmFree(in);
  AscendC::GmFree(out);
}
