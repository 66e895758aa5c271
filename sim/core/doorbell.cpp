#include "sim/core/doorbell.hpp"

#include <hwy/cache_control.h>

namespace davsim::sim {
namespace {

/// Looks before a thread sleeps: some microseconds, less than to fall asleep and be woken takes.
constexpr int kLooks = 300;

}  // namespace

// Counter and sleepers are written and read in one order of all threads: either the ringing thread
// sees the sleeper, or the sleeper sees that it has rung.

void Doorbell::ring() {
  rings_.fetch_add(1);
  if (sleepers_.load() == 0) return;
  { const std::lock_guard lock(mutex_); }  // a thread between its last look and its sleep
  rung_.notify_all();
}

void Doorbell::wait(std::uint64_t rings) {
  for (int i = 0; i < kLooks; ++i) {
    if (this->rings() != rings) return;
    hwy::Pause();
  }
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1);
  rung_.wait(lock, [&] { return rings_.load() != rings; });
  sleepers_.fetch_sub(1);
}

}  // namespace davsim::sim
