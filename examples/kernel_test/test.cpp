// Tests the kernel of relu_custom.cpp on vectors of several lengths, without torch.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"

extern "C" void relu_custom_do(uint32_t blocks, void* stream, uint8_t* x, uint8_t* y,
                               uint32_t length);

namespace {

/// Elements whose result is wrong; all of them if a call fails.
uint32_t WrongOf(uint32_t length, uint32_t blocks, aclrtStream stream) {
  std::vector<aclFloat16> x(length), y(length);
  for (uint32_t i = 0; i < length; ++i) {
    x[i] = aclFloatToFloat16(static_cast<float>(i % 11) - 5);
  }
  const size_t bytes = length * sizeof(aclFloat16);
  void *from = nullptr, *to = nullptr;
  int failed = aclrtMalloc(&from, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  failed |= aclrtMalloc(&to, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  failed |= aclrtMemcpy(from, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
  relu_custom_do(blocks, stream, static_cast<uint8_t*>(from), static_cast<uint8_t*>(to), length);
  failed |= aclrtSynchronizeStream(stream);
  failed |= aclrtMemcpy(y.data(), bytes, to, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
  aclrtFree(from);
  aclrtFree(to);
  if (failed != 0) return length;
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < length; ++i) {
    const float value = aclFloat16ToFloat(x[i]);
    wrong += aclFloat16ToFloat(y[i]) == (value > 0 ? value : 0) ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main() {
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  int failed = 0;
  for (const uint32_t length : {1u, 100u, 2048u, 33333u}) {
    const uint32_t wrong = WrongOf(length, 8, stream);
    std::printf("%s length %u: %u wrong\n", wrong == 0 ? "passed" : "FAILED", length, wrong);
    failed += wrong == 0 ? 0 : 1;
  }
  aclrtDestroyStream(stream);
  aclrtResetDevice(0);
  aclFinalize();
  return failed;
}
