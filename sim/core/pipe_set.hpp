// The pipes of a core. Each pipe that the description of the core names has an instruction queue
// and a unit model.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "observe/counters.hpp"
#include "sim/core/core_environment.hpp"
#include "sim/soc/core_spec.hpp"
#include "sim/unit/pipe.hpp"
#include "sim/unit/unit_flags.hpp"
#include "sim/unit/unit_registry.hpp"

namespace davsim::sim {

class PipeSet {
 public:
  /// `first_requester` is the number of the core's first memory requester. The requester of a pipe
  /// is this number plus the number of the pipe. Throws std::invalid_argument if the unit model of
  /// a pipe does not exist or cannot stand behind this pipe.
  PipeSet(const CoreSpec& spec, const TimingTable& timing, const SharedMachine& machine,
          memory::RequesterId first_requester, PipeHost& host);

  /// nullptr if the core has no such pipe.
  Pipe* find(isa::Pipe id) const { return pipes_[static_cast<std::size_t>(id)].get(); }
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& pipe : pipes_) {
      if (pipe != nullptr) visit(*pipe);
    }
  }
  template <class Predicate>
  bool all_of(Predicate predicate) const {
    return std::all_of(pipes_.begin(), pipes_.end(), [&](const auto& pipe) {
      return pipe == nullptr || predicate(static_cast<const Pipe&>(*pipe));
    });
  }

  bool all_idle() const {
    return all_of([](const Pipe& pipe) { return pipe.idle(); });
  }
  bool nothing_in_flight() const {
    return all_of([](const Pipe& pipe) { return pipe.nothing_in_flight(); });
  }
  /// Whether the queue of the setting pipe holds a set of the flag.
  bool set_queued(const isa::FlagParams& flag) const;
  void wake_at(Cycle cycle);
  /// Frees all blocks of L0C at `now`.
  void clear_unit_flags(Cycle now);

  void begin_launch(Cycle start, bool by_line);
  void begin_block(Cycle given, Cycle start);
  void end_launch(Cycle end, observe::CoreCounters& counters);
  void abort();  ///< drops all instructions

 private:
  UnitFlags unit_flags_;
  std::array<std::unique_ptr<Pipe>, isa::kPipeCount> pipes_;
};

}  // namespace davsim::sim
