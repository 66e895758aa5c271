// The launches of the process, for profilers that work by calls.
#pragma once

#include <array>
#include <atomic>
#include <boost/json/array.hpp>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "isa/instr/opcode.hpp"
#include "observe/counters.hpp"
#include "runtime/core/timeline.hpp"

namespace davsim::runtime {

/// Where a launch was queued.
struct LaunchPlace {
  std::int32_t device = 0, stream = 0;
};

class LaunchLog {
 public:
  /// Forgets what there is, and keeps launches from now on.
  void begin();
  /// Keeps no more.
  void end() { on_ = false; }
  bool on() const { return on_; }
  /// The host has queued a launch; add() comes later, in the same order.
  void queued() {
    if (on_) ++queued_;
  }
  /// Since begin().
  std::uint64_t queued_launches() const { return queued_; }
  /// The cores of one type.
  struct Cores {
    std::uint64_t count = 0;
    std::uint64_t cycles = 0;  ///< of their blocks, summed over the cores
    std::array<std::uint64_t, isa::kPipeCount> in_flight{};
  };
  /// What is kept of a launch's report.
  struct Launch {
    std::string kernel;
    std::uint32_t blocks = 0;
    double frequency_mhz = 0;
    Cores cube, vector;
  };
  static Launch launch_of(const observe::LaunchReport& report);
  /// Keeps it, if launches are kept. `end` passes with the launch on the device's clock.
  void add(const LaunchPlace& place, Launch launch, MomentPtr end);
  /// Objects with the members that davsim/launch_log.h lists, in the order of the launches.
  boost::json::array launches(Timeline& timeline) const;

 private:
  struct Entry {
    LaunchPlace place;
    Launch launch;
    MomentPtr end;
  };
  static boost::json::object cores_json(const Cores& cores);

  std::atomic<bool> on_ = false;
  std::atomic<std::uint64_t> queued_ = 0;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
};

}  // namespace davsim::runtime
