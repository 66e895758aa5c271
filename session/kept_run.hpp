// A run whose events stay in memory, so that exports of it can be made when it has ended.
#pragma once

#include <cstddef>
#include <vector>

#include "session/exports.hpp"
#include "session/named_memories.hpp"
#include "sim/device/device.hpp"
#include "traces/exporter.hpp"
#include "traces/kept_events.hpp"
#include "traces/observers.hpp"

namespace davsim::session {

class KeptRun {
 public:
  /// Forgets the run before and listens to `device` as long as this object lives.
  class Attached {
   public:
    Attached(sim::Device& device, KeptRun& run);
    ~Attached();
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    sim::Device& device_;
    NamedMemories memories_;
    traces::Observers observers_;
  };

  void clear();
  /// False: the run had too many instructions to be kept.
  bool complete() const { return events_.complete(); }
  std::size_t most_instructions() const { return events_.most(); }
  /// Lets exports that were attached to nothing see the run as if they had been there.
  void show_to(Exports& exports);

 private:
  traces::KeptEvents events_;
  std::vector<traces::NamedMemory> seen_;
};

}  // namespace davsim::session
