// A program as samples are written: init, device, stream, memory, launch, synchronise, compare. Its
// argument chooses what it does otherwise. Exit status 0: the result is right, 1: a call failed or
// it is not.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "runtime/launch.hpp"
#include "session/program.hpp"

namespace {

struct ScaleTiling {
  std::uint32_t length;
  std::uint16_t offset;
};
using Scale = void(std::uint8_t*, std::uint8_t*, float, ScaleTiling);
using Behave = void(std::uint8_t*, std::uint32_t);

#define CHECK_ACL(call)                                                        \
  do {                                                                         \
    const aclError code = call;                                                \
    if (code != ACL_SUCCESS) {                                                 \
      std::fprintf(stderr, "%s gives %d: %s\n", #call, static_cast<int>(code), \
                   aclGetRecentErrMsg());                                      \
      std::exit(1);                                                            \
    }                                                                          \
  } while (false)

bool scale(aclrtStream stream, const std::string& what) {
  constexpr std::uint32_t kBlocks = 8, kShare = 128, kLength = kBlocks * kShare;
  constexpr std::size_t kBytes = kLength * sizeof(float);
  float *x_host = nullptr, *y_host = nullptr;
  std::uint8_t *x = nullptr, *y = nullptr;
  CHECK_ACL(aclrtMallocHost(reinterpret_cast<void**>(&x_host), kBytes));
  CHECK_ACL(aclrtMallocHost(reinterpret_cast<void**>(&y_host), kBytes));
  CHECK_ACL(aclrtMalloc(reinterpret_cast<void**>(&x), kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_ACL(aclrtMalloc(reinterpret_cast<void**>(&y), kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  for (std::uint32_t i = 0; i < kLength; ++i) x_host[i] = static_cast<float>(i);
  if (what != "forget")
    CHECK_ACL(aclrtMemcpy(x, kBytes, x_host, kBytes, ACL_MEMCPY_HOST_TO_DEVICE));
  davsim::runtime::launch<Scale>("scale_custom", kBlocks, stream, x, y, 2, ScaleTiling{kShare, 1});
  CHECK_ACL(aclrtSynchronizeStream(stream));
  CHECK_ACL(aclrtMemcpy(y_host, kBytes, y, kBytes, ACL_MEMCPY_DEVICE_TO_HOST));
  bool right = true;
  for (std::uint32_t i = 0; i < kLength; ++i) {
    right = right && y_host[i] == 2 * static_cast<float>(i) + 1;
  }
  CHECK_ACL(aclrtFree(x));
  CHECK_ACL(aclrtFree(y));
  CHECK_ACL(aclrtFreeHost(x_host));
  CHECK_ACL(aclrtFreeHost(y_host));
  return right;
}

void behave(std::uint32_t how, aclrtStream stream) {
  void* data = nullptr;
  CHECK_ACL(aclrtMalloc(&data, 1024, ACL_MEM_MALLOC_HUGE_FIRST));
  davsim::runtime::launch<Behave>("behave_custom", 1, stream, data, how);
  CHECK_ACL(aclrtSynchronizeStream(stream));
}

/// The same kernel from davsim's own interface: `own HOW [options]`.
int own_interface(int argc, char** argv) {
  davsim::session::Program program(argc, argv);
  if (argc != 3) {
    std::fprintf(stderr, "left: %s\n%s", argc > 3 ? argv[3] : "nothing",
                 davsim::session::Program::options_help().c_str());
    return davsim::session::Program::kUsage;
  }
  return program.run([how = std::atoi(argv[2])](davsim::sim::Device& device) {
    std::byte* data = device.memory().allocate(1024, "data");
    if (how == 9) return false;
    device.launch("behave_custom", 1, reinterpret_cast<std::uint8_t*>(data),
                  static_cast<std::uint32_t>(how));
    std::printf("done on %s\n", device.soc().name().c_str());
    return true;
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "own") return own_interface(argc, argv);
  CHECK_ACL(aclInit(nullptr));
  CHECK_ACL(aclrtSetDevice(0));
  aclrtStream stream = nullptr;
  CHECK_ACL(aclrtCreateStream(&stream));
  if (what == "crash-kernel") behave(3, stream);
  volatile std::uintptr_t nowhere = 8;
  if (what == "crash-host") *reinterpret_cast<volatile int*>(nowhere) = 1;
  if (what == "fault") behave(2, stream);
  if (what == "race") behave(6, stream);
  if (what == "exit-kernel") behave(10, stream);
  if (what == "loop-host") behave(7, stream);
  if (what == "loop-device") behave(8, stream);
  const bool right = scale(stream, what) || what == "forget";
  std::printf("%s on %s\n", right ? "test pass" : "test failed", aclrtGetSocName());
  if (what == "just-exit") return right ? 0 : 1;
  CHECK_ACL(aclrtDestroyStream(stream));
  CHECK_ACL(aclrtResetDevice(0));
  CHECK_ACL(aclFinalize());
  return right ? 0 : 1;
}
