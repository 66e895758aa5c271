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

/// Counts the launch for as long as it lives. One that begins while another waits counts instead.
class RunningLaunch {
 public:
  RunningLaunch() : RunningLaunch(++begun_) { g_launch_thread = pthread_self(); }
  ~RunningLaunch() { g_running_launch = before_; }
  RunningLaunch(const RunningLaunch&) = delete;
  RunningLaunch& operator=(const RunningLaunch&) = delete;

 protected:
  explicit RunningLaunch(std::uint64_t number) : before_(g_running_launch.exchange(number)) {}

 private:
  static inline std::uint64_t begun_ = 0;
  std::uint64_t before_;
};

/// The launch waits for the host as long as this lives, and does not count.
class WaitingLaunch : private RunningLaunch {
 public:
  WaitingLaunch() : RunningLaunch(0) {}
};

}  // namespace davsim::isa
