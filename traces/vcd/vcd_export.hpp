// Writes a launch as a value change dump, for GTKWave and other waveform viewers: what class of
// time every pipe spends, how many instructions wait in its queue and how many it has in flight.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "traces/observed.hpp"

namespace davsim::traces {

/// Keeps all changes until the end: instructions are reported when they end, but a dump is in the
/// order of time. A change takes 16 bytes; an instruction has some six changes.
class VcdExport : public Observer {
 public:
  explicit VcdExport(std::ostream& out) : out_(out) {}  ///< not owned

  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block_begins(const BlockBegin& event) override;
  void block(const BlockEvent& event) override;
  void launch_ends(const LaunchReport& report) override;
  /// Writes the dump of all launches so far; nothing may come after it.
  void finish();

 private:
  enum Signal : std::uint32_t { kState, kQueue, kInFlight };
  static constexpr std::uint32_t kSignals = 3;

  struct Change {
    Cycle at;
    std::uint32_t signal;
    std::int32_t value;  ///< kState: a CycleClass; else the difference
  };
  struct PipeTrack {
    Cycle until = 0;  ///< the time before has its class
    std::uint32_t last = kNothing;
    bool used = false;
  };
  struct Core {
    CoreDescription description;
    std::array<PipeTrack, isa::kPipeCount> pipes;
    bool used = false;
  };
  static constexpr std::uint32_t kNothing = ~0u;

  std::uint32_t signal(std::uint32_t core, std::size_t pipe, Signal signal) const {
    return (core * static_cast<std::uint32_t>(isa::kPipeCount) + static_cast<std::uint32_t>(pipe)) *
               kSignals +
           signal;
  }
  /// Gives the time up to `end` to this class, unless it has a class already.
  void fill(std::uint32_t core, std::size_t pipe, CycleClass cycle_class, Cycle end);
  void fill_work(std::uint32_t core, std::size_t pipe, const InstrEvent& event);
  void fill_all(std::uint32_t core, CycleClass cycle_class, Cycle end);
  void header();
  void declare(std::uint32_t signal, std::uint32_t width, const char* name);
  void changes();

  std::ostream& out_;
  std::vector<Core> cores_;  ///< by id
  std::vector<Change> changes_;
  std::string soc_, kernel_;
  double mhz_ = 0;
  Cycle begin_ = 0, end_ = 0;
};

}  // namespace davsim::traces
