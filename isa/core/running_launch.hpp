// The launch that runs now, for those who watch from another thread how long it takes.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

namespace davsim::isa {

/// The number of the launch that runs; 0: none does.
extern std::atomic<std::uint64_t> g_running_launch;
/// The thread that runs it and its kernels, or that ran the last one.
extern std::atomic<pthread_t> g_launch_thread;

/// Counts the launch for as long as it lives.
class RunningLaunch {
 public:
  RunningLaunch() {
    g_launch_thread = pthread_self();
    g_running_launch = ++begun_;
  }
  ~RunningLaunch() { g_running_launch = 0; }
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

 private:
  static inline std::uint64_t begun_ = 0;
};

}  // namespace davsim::isa
