// Writes a launch as a value change dump, for GTKWave and other waveform viewers: what class of
// time every pipe spends, how many instructions wait in its queue and how many it has in flight.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "traces/observed.hpp"
#include "traces/timeline/pipe_states.hpp"

namespace davsim::traces {

/// Keeps all changes until the end: instructions are reported when they end, but a dump is in the
/// order of time. A change takes 16 bytes; an instruction has some six changes.
class VcdExport : public Observer {
 public:
  explicit VcdExport(std::ostream& out) : out_(out) {}  ///< not owned
  VcdExport(const VcdExport&) = delete;
  VcdExport& operator=(const VcdExport&) = delete;

  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block_begins(const BlockBegin& event) override;
  void block(const BlockEvent& event) override;
  void launch_ends(const LaunchReport& report) override;
  /// Writes the dump of all launches so far; nothing may come after it.
  void finish();

  /// The names of the states, as GTKWave translates values: "0 busy", a state a line.
  static void write_states(std::ostream& out);
  /// A save file of GTKWave: the states of all pipes, in the vendor's order of pipes, translated by
  /// the file `states`. To be called after finish().
  void write_view(std::ostream& out, const std::string& states) const;

 private:
  enum Signal : std::uint32_t { kState, kQueue, kInFlight };
  static constexpr std::uint32_t kSignals = 3;

  struct Change {
    Cycle at;
    std::uint32_t signal;
    std::int32_t value;  ///< kState: a CycleClass; else the difference
  };
  struct PipeTrack {
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
  /// The pipe has this class from `begin` on.
  void state(std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class, Cycle begin);
  std::string scope_of(std::uint32_t core) const;
  void header();
  void declare(std::uint32_t signal, std::uint32_t width, const char* name);
  void changes();

  std::ostream& out_;
  PipeStates states_{[this](std::uint32_t core, isa::Pipe pipe, CycleClass cycle_class, Cycle begin,
                            Cycle) { state(core, pipe, cycle_class, begin); }};
  std::vector<Core> cores_;  ///< by id
  std::vector<Change> changes_;
  std::string soc_, kernel_;
  double mhz_ = 0;
  Cycle begin_ = 0, end_ = 0;
};

}  // namespace davsim::traces
