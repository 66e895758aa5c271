#include <cstdio>
#include "acl/acl.h"
#include "put.h"
#include "tiling/platform/platform_ascendc.h"
template <int N>
__global__ __aicore__ void plus(GM_ADDR out, int value) {
  put(out, value + N);
}

int main() {
  aclrtStream stream = nullptr;
  uint8_t* device = nullptr;
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
  // Host code of any form asks for the platform.
  auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  const int value = platform->GetCoreNumAiv() == 2 * platform->GetCoreNumAic() ? 5 : 0;
  plus<10><<<1, nullptr, stream>>>(device, value);
  show();
}
