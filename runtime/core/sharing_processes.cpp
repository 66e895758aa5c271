#include "runtime/core/sharing_processes.hpp"

#include <algorithm>
#include <cstdio>
#include <thread>
#include <utility>

#include "runtime/core/timeout.hpp"

namespace davsim::runtime {
namespace {

using std::chrono::steady_clock;

// Choices. Between two pauses the kernel looks again some times, in which the device's clock goes
// on. The first pause is about as long as that takes the host; each later one is twice as long.
constexpr std::chrono::microseconds kFirstPause{200};
constexpr std::chrono::microseconds kLongestPause{20000};

}  // namespace

void SharingProcesses::await() {
  const auto now = steady_clock::now();
  if (now - last_ < kLongestPause) {
    pause_ = std::min(2 * pause_, kLongestPause);
  } else {
    pause_ = kFirstPause;
    since_ = now;
    told_ = false;
  }
  if (now - since_ > kQuietWait && !std::exchange(told_, true)) {
    std::fprintf(
        stderr,
        "davsim: a kernel waits for what no kernel of this process writes; other processes "
        "share memory with it by keys\n");
  }
  std::this_thread::sleep_for(pause_);
  last_ = steady_clock::now();
}

}  // namespace davsim::runtime
