// Messages that go to the log of the device's software. DAVSIM_TORCH_LOG=1 shows errors and
// warnings, 2 all, on standard error.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace c10_npu {
inline int log_level() {
  static const int level = [] {
    const char* value = std::getenv("DAVSIM_TORCH_LOG");
    return value == nullptr ? 0 : std::atoi(value);
  }();
  return level;
}
}  // namespace c10_npu

#define DAVSIM_TORCH_LOG(least, ...)                               \
  do {                                                             \
    if (::c10_npu::log_level() >= (least)) {                       \
      std::fprintf(stderr, __VA_ARGS__), std::fputc('\n', stderr); \
    }                                                              \
  } while (false)
#define ASCEND_LOGE(...) DAVSIM_TORCH_LOG(1, __VA_ARGS__)
#define ASCEND_LOGW(...) DAVSIM_TORCH_LOG(1, __VA_ARGS__)
#define ASCEND_LOGI(...) DAVSIM_TORCH_LOG(2, __VA_ARGS__)
#define ASCEND_LOGD(...) DAVSIM_TORCH_LOG(2, __VA_ARGS__)
#define TORCH_NPU_LOGE(...) ASCEND_LOGE(__VA_ARGS__)
#define TORCH_NPU_LOGW(...) ASCEND_LOGW(__VA_ARGS__)
#define TORCH_NPU_LOGI(...) ASCEND_LOGI(__VA_ARGS__)
#define TORCH_NPU_LOGD(...) ASCEND_LOGD(__VA_ARGS__)
