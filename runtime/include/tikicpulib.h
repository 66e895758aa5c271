// The CPU twin's interface: main() calls kernels with ICPU_RUN_KF and shares memory with them. Here
// they run on the simulated device like others, one after the other.
#ifndef DAVSIM_TIKICPULIB_H
#define DAVSIM_TIKICPULIB_H

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "kernel_operator.h"
#include "runtime/kernel_launch.hpp"
#include "securec.h"  // programs use it without including it

/// Modes that SetKernelMode takes; a kernel's source says on which cores it runs.
enum class KernelMode { MIX_MODE, AIC_MODE, AIV_MODE, MIX_AIC_1_1 };

namespace AscendC {

using ::KernelMode;
inline void SetKernelMode(KernelMode) {}

/// Memory that the host and kernels reach by the same pointer; null for 0 bytes or without room.
inline void* GmAlloc(std::size_t bytes) {
  // Every program of this form begins here: nothing else opens the device.
  static const aclError opened = aclrtSetDevice(0);
  void* memory = nullptr;
  if (opened != 0 || davsim_malloc_shared(&memory, bytes) != 0) return nullptr;
  return memory;
}
inline void GmFree(void* memory) {
  if (memory != nullptr) aclrtFree(memory);
}

}  // namespace AscendC

namespace davsim::launch {

/// Ends the program where a kernel failed, as the twin does.
inline void run_to_end(const char* kernel) {
  configuration().pending = false;
  const aclError error = aclrtSynchronizeDevice();
  if (error == 0) return;
  std::fprintf(stderr, "davsim: kernel %s failed with error %d\n", kernel, error);
  std::exit(EXIT_FAILURE);
}

}  // namespace davsim::launch

/// Runs a kernel on `blocks` blocks and waits for its end.
#define ICPU_RUN_KF(kernel, blocks, ...)                                      \
  do {                                                                        \
    ::davsim::launch::configure(static_cast<std::uint32_t>(blocks), nullptr); \
    kernel(__VA_ARGS__);                                                      \
    ::davsim::launch::run_to_end(#kernel);                                    \
  } while (false)

/// The tiling key of the launches that follow.
#define ICPU_SET_TILING_KEY(key) (::davsim::launch::configuration().tiling_key = (key))

#endif
