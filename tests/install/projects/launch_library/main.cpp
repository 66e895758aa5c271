#include <cstdio>
#include "acl/acl.h"
#include "aclrtlaunch_scaled.h"
#include "aclrtlaunch_second.h"
extern "C" void scaled_do(uint32_t blocks, void* stream, uint8_t* out, uint32_t value);

static_assert(__cplusplus < 202000, "hosts keep their standard");

int main() {
  aclrtStream stream = nullptr;
  float* device = nullptr;
  aclInit(nullptr);
  aclrtSetDevice(0);
  aclrtCreateStream(&stream);
  aclrtMalloc(reinterpret_cast<void**>(&device), 32, ACL_MEM_MALLOC_HUGE_FIRST);
  const auto show = [&] {
    float host = 0;
    aclrtSynchronizeStream(stream);
    aclrtMemcpy(&host, sizeof host, device, sizeof host, ACL_MEMCPY_DEVICE_TO_HOST);
    std::printf("%g ", host);
  };
  if (ACLRT_LAUNCH_KERNEL(scaled)(1, stream, device, 5, 1.5f) != 0) return 1;
  show();
  scaled_do(1, stream, reinterpret_cast<uint8_t*>(device), 6);
  show();
  ACLRT_LAUNCH_KERNEL(second)(1, stream, device);
  show();
}
