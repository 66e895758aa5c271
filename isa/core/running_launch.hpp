// The launch that runs now, for those who watch from another thread how long it takes.
#pragma once

#include <atomic>
#include <cstdint>

namespace davsim::isa {

/// The number of the launch that runs; 0: none does.
extern std::atomic<std::uint64_t> g_running_launch;

/// Counts the launch for as long as it lives.
class RunningLaunch {
 public:
  RunningLaunch() { g_running_launch = ++begun_; }
  ~RunningLaunch() { g_running_launch = 0; }
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

 private:
  static inline std::uint64_t begun_ = 0;
};

}  // namespace davsim::isa
