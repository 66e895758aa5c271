// A shared resource that serves bytes at a fixed rate, one request after the other. It stores the
// time at which it is next free. A request reserves time by arithmetic, without events.
#pragma once

#include <algorithm>
#include <cstdint>

namespace davsim::memory {

class BandwidthServer {
 public:
  explicit BandwidthServer(double bytes_per_cycle) : cycles_per_byte_(1.0 / bytes_per_cycle) {}

  /// Cycle at which the last of `bytes` has passed if they arrive at `now`.
  double reserve(double now, double bytes) {
    free_at_ = std::max(free_at_, now) + bytes * cycles_per_byte_;
    return free_at_;
  }
  double free_at() const { return free_at_; }

 private:
  double cycles_per_byte_;
  double free_at_ = 0;
};

}  // namespace davsim::memory
