// Launches the kernel of scale_custom.cpp by the function of the generated header.
#include <cstdint>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclrtlaunch_scale_custom.h"

#define CHECK(call)                                       \
  do {                                                    \
    const int code = static_cast<int>(call);              \
    if (code != 0) {                                      \
      std::fprintf(stderr, "%s gives %d\n", #call, code); \
      return 1;                                           \
    }                                                     \
  } while (0)

int main() {
  constexpr uint32_t kBlocks = 8, kLength = kBlocks * 1024;
  constexpr size_t kBytes = kLength * sizeof(float);
  std::vector<float> x(kLength), y(kLength);
  for (uint32_t i = 0; i < kLength; ++i) x[i] = static_cast<float>(i);

  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK(aclrtCreateStream(&stream));
  void *x_device = nullptr, *y_device = nullptr;
  CHECK(aclrtMalloc(&x_device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMalloc(&y_device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclrtMemcpy(x_device, kBytes, x.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK(ACLRT_LAUNCH_KERNEL(scale_custom)(kBlocks, stream, x_device, y_device, kLength, 0.5f));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(y.data(), kBytes, y_device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));

  uint32_t right = 0;
  for (uint32_t i = 0; i < kLength; ++i) right += y[i] == 0.5f * x[i] ? 1 : 0;
  std::printf("%u of %u products are right\n", right, kLength);
  CHECK(aclrtFree(x_device));
  CHECK(aclrtFree(y_device));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return right == kLength ? 0 : 1;
}
