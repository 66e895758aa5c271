// What hand-written aclnn functions tell the profiler. They declare these themselves.
#include <chrono>
#include <cstdint>

#include "opdev/op_log.h"

extern "C" {

/// Nanoseconds of a clock that only goes on.
__attribute__((visibility("default"))) std::uint64_t NnopbaseMsprofSysTime() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

/// The time of a call of the host, which no trace shows.
__attribute__((visibility("default"))) void NnopbaseReportApiInfo(std::uint64_t, NnopbaseDfxId&) {}

}  // extern "C"
