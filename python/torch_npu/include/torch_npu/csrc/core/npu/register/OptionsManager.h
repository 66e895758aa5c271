#pragma once

#include <cstdint>

namespace c10_npu::option {
/// Work goes to the stream at once: there is no queue of tasks.
struct OptionsManager {
  static bool CheckBlockingEnable() { return false; }
  static bool CheckQueueEnable() { return false; }
  static uint32_t GetTaskQueueEnable() { return 0; }
  static bool CheckAclDumpDateEnable() { return false; }
};
}  // namespace c10_npu::option
