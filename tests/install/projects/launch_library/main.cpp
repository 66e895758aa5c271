#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include "acl/acl.h"
#include "aclrtlaunch_scaled.h"
#include "aclrtlaunch_second.h"
extern "C" void scaled_do(uint32_t blocks, void* stream, uint8_t* out, uint32_t value);

int names();  // names.cpp

static_assert(__cplusplus < 202000, "hosts keep their standard");

/// A kernel of a binary that comes from memory.
template <class Show>
int from_data(aclrtStream stream, float* device, const Show& show) {
  std::ifstream file(BINARY, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle third = nullptr;
  aclrtArgsHandle arguments = nullptr;
  float a = 1;
  int16_t b = 2;
  float offsets[3] = {0, 0, 1}, none = 0;
  void* buffer = nullptr;
  aclrtParamHandle holder = nullptr;
  int wrong = aclrtBinaryLoadFromData(bytes.data(), bytes.size(), nullptr, &binary);
  wrong += aclrtBinaryGetFunction(binary, "third", &third);
  wrong += aclrtKernelArgsInit(third, &arguments);
  wrong += aclrtKernelArgsAppend(arguments, &device, sizeof device, nullptr);
  wrong += aclrtKernelArgsAppend(arguments, &a, sizeof a, nullptr);
  wrong += aclrtKernelArgsAppend(arguments, &b, sizeof b, nullptr);
  wrong += aclrtKernelArgsAppend(arguments, offsets, sizeof offsets, nullptr);
  wrong += aclrtKernelArgsAppendPlaceHolder(arguments, &holder);
  wrong += aclrtKernelArgsGetPlaceHolderBuffer(arguments, holder, sizeof(float), &buffer);
  *static_cast<float*>(buffer) = none;
  wrong += aclrtKernelArgsFinalize(arguments);
  wrong += aclrtLaunchKernelWithConfig(third, 1, stream, nullptr, arguments, nullptr);
  show();
  return wrong + aclrtBinaryUnLoad(binary);
}

/// Kernels of a binary that is loaded.
template <class Show>
int loaded(aclrtStream stream, float* device, const Show& show) {
  aclrtBinHandle binary = nullptr;
  aclrtFuncHandle second = nullptr, third = nullptr;
  int wrong = aclrtBinaryLoadFromFile(BINARY, nullptr, &binary);
  wrong += aclrtBinaryGetFunction(binary, "second", &second);
  wrong += aclrtBinaryGetFunction(binary, "third", &third);
  // Arguments put together; the last one points to what the host gives.
  aclrtArgsHandle arguments = nullptr;
  aclrtParamHandle parameter = nullptr, holder = nullptr;
  float a = 100;
  int16_t b = 20;
  float offsets[3] = {0, 0, 3};
  void* buffer = nullptr;
  wrong += aclrtKernelArgsInit(third, &arguments);
  wrong += aclrtKernelArgsAppend(arguments, &device, sizeof device, &parameter);
  wrong += aclrtKernelArgsAppend(arguments, &a, sizeof a, &parameter);
  wrong += aclrtKernelArgsAppend(arguments, &b, sizeof b, nullptr);
  wrong += aclrtKernelArgsAppend(arguments, offsets, sizeof offsets, nullptr);
  wrong += aclrtKernelArgsAppendPlaceHolder(arguments, &holder);
  wrong += aclrtKernelArgsGetPlaceHolderBuffer(arguments, holder, sizeof(float), &buffer);
  *static_cast<float*>(buffer) = 0.5f;
  wrong += aclrtKernelArgsFinalize(arguments);
  wrong += aclrtLaunchKernelWithConfig(third, 1, stream, nullptr, arguments, nullptr);
  show();
  a = 200;
  wrong += aclrtKernelArgsParaUpdate(arguments, parameter, &a, sizeof a);
  wrong += aclrtLaunchKernelWithConfig(third, 1, stream, nullptr, arguments, nullptr);
  show();
  // A block that lies on the device.
  void* slots = nullptr;
  wrong += aclrtMalloc(&slots, sizeof device, ACL_MEM_MALLOC_HUGE_FIRST);
  wrong += aclrtMemcpy(slots, sizeof device, &device, sizeof device, ACL_MEMCPY_HOST_TO_DEVICE);
  wrong += aclrtLaunchKernel(second, 1, slots, sizeof device, stream);
  show();
  // A block of the host, the last argument of which points to what lies behind them.
  struct {
    float* out;
    float a;
    alignas(4) int16_t b;
    float offsets[3];
    float* more;
    float behind[8];
  } block = {device, 10, 7, {0, 0, 1}, nullptr, {1}};
  aclrtPlaceHolderInfo place = {offsetof(decltype(block), more), offsetof(decltype(block), behind)};
  wrong +=
      aclrtLaunchKernelWithHostArgs(third, 1, stream, nullptr, &block, sizeof block, &place, 1);
  show();
  // As if each argument had words of its own, which a device would take for others.
  const uint64_t words[6] = {};
  if (aclrtLaunchKernelWithHostArgs(third, 1, stream, nullptr, (void*)words, sizeof words, nullptr,
                                    0) != 107000)
    return 9;
  place.dataOffset = sizeof block + 8;
  if (aclrtLaunchKernelWithHostArgs(third, 1, stream, nullptr, &block, sizeof block, &place, 1) !=
      107000)
    return 7;
  if (aclrtLaunchKernelWithHostArgs(third, 1, stream, nullptr, nullptr, 8, nullptr, 0) != 100000)
    return 8;
  wrong += from_data(stream, device, show);
  if (aclrtLaunchKernel(third, 1, slots, sizeof device, stream) != 107000) return 1;
  if (aclrtBinaryGetFunction(binary, "fourth", &second) != 507027) return 2;
  if (aclrtKernelArgsAppend(arguments, &a, sizeof a, nullptr) != 107000) return 3;
  wrong += aclrtBinaryUnLoad(binary);
  if (aclrtLaunchKernelWithConfig(third, 1, stream, nullptr, arguments, nullptr) != 107017)
    return 4;
  if (aclrtBinaryLoadFromFile("/no/such/file.o", nullptr, &binary) != 100003) return 5;
  if (aclrtBinaryLoadFromData("not a binary", 12, nullptr, &binary) != 100003) return 6;
  return wrong;
}

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
  return loaded(stream, device, show) + names();
}
