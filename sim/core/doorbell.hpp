// A bell that one thread rings and others wait for. Work between threads comes every few
// microseconds, so a thread that waits looks for a while before it sleeps.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace davsim::sim {

/// Ringing asks the operating system for nothing while nobody sleeps. std::atomic::notify_all does
/// so in libstdc++ 12 whenever somebody waits, asleep or not.
class Doorbell {
 public:
  /// How often it has rung.
  std::uint64_t rings() const { return rings_.load(std::memory_order_acquire); }
  void ring();
  /// Waits until it has rung more than `rings` times.
  void wait(std::uint64_t rings);

 private:
  // Both threads write the counter; the line holds nothing else that they look at.
  alignas(64) std::atomic<std::uint64_t> rings_ = 0;
  alignas(64) std::atomic<std::uint32_t> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable rung_;
};

}  // namespace davsim::sim
