#include "session/host_limit.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <utility>

#include "io/temporaries.hpp"
#include "isa/core/running_launch.hpp"
#include "session/crash_report.hpp"

namespace davsim::session {
namespace {

constexpr std::chrono::seconds kTick(1);

/// What stand_still() has seen, in the thread of the kernels.
std::atomic<const CrashPlace*> g_place{nullptr};

/// Within a kernel the thread goes no further, so that what it has told stays true.
extern "C" void stand_still(int) {
  const CrashPlace place;
  if (!place.in_kernel()) return;
  g_place = &place;
  for (;;) pause();
}

/// Kernels come and go while a launch runs; one that loops is soon met. Their thread looks itself,
/// because nobody else may read what it writes. It may hold any lock when it stands still: nothing
/// can be allocated from here on. Null if it was never met in a kernel.
const CrashPlace* place_of_kernel() {
  constexpr int kLooks = 2000;
  handle_signal(SIGURG, stand_still);
  for (int look = 0; look < kLooks && g_place == nullptr; ++look) {
    pthread_kill(isa::g_launch_thread, SIGURG);
    usleep(500);
  }
  return g_place;
}

}  // namespace

HostLimit::HostLimit(std::uint64_t seconds, std::string option)
    : seconds_(seconds), option_(std::move(option)), process_(getpid()) {
  if (seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

HostLimit::~HostLimit() {
  if (!thread_.joinable()) return;
  if (getpid() != process_) {
    thread_.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void HostLimit::watch() {
  std::uint64_t launch = 0, ticks = 0;
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, kTick, [this] { return ending_; })) {
    const std::uint64_t now = isa::g_running_launch;
    ticks = now != 0 && now == launch ? ticks + 1 : 0;
    launch = now;
    if (ticks >= seconds_) end_process();
  }
}

void HostLimit::end_process() const {
  const std::string message = "davsim: the launch is not over after " + std::to_string(seconds_) +
                              " s of wall time; either device code loops for ever, or " + option_ +
                              " is too short for it (0: no limit)\n";
  const CrashPlace* place = place_of_kernel();
  io::temporaries::remove_all();
  write_error(message);
  if (place != nullptr) write_error(place->text());
  _exit(kKernelFailed);
}

}  // namespace davsim::session
