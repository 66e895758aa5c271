// The exporters that a run is asked for. The registry in traces/exporter.hpp lists all of them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "session/named_memories.hpp"
#include "sim/device/device.hpp"
#include "traces/exporter.hpp"
#include "traces/kept_events.hpp"
#include "traces/observers.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::session {

struct ExportRequest {
  const traces::Exporter* exporter = nullptr;
  std::string path;  ///< of its output; empty if it has none
};

class Exports {
 public:
  /// Makes the temporary files and folders. Throws io::FileError.
  explicit Exports(const std::vector<ExportRequest>& requests);
  ~Exports();
  Exports(const Exports&) = delete;
  Exports& operator=(const Exports&) = delete;

  bool empty() const { return running_.empty(); }
  /// Hands everything to this one too; not owned. To be called before anything is attached.
  void add(traces::Observer& observer) { observers_.add(&observer); }
  /// Whether there is anything to attach.
  bool listens() const { return !observers_.empty(); }
  /// Whether cycles have to be counted by source line.
  bool needs_lines() const;

  /// Attaches the exports to `device`, as long as this object lives. They also observe launches
  /// that fault.
  class Attached {
   public:
    Attached(sim::Device& device, Exports& exports);
    ~Attached();
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    sim::Device& device_;
    std::unique_ptr<NamedMemories> memories_;
    traces::Observers observers_;
  };

  /// Instead of being attached: shows the events of a run that has ended, and its memories.
  void show(traces::KeptEvents& events, const std::vector<traces::NamedMemory>& memories);

  /// Ends all exports after the last launch. Adds the memories of the run. Throws io::FileError.
  void finish(traces::FinishedRun run);
  /// Puts the files in their places. Throws io::FileError.
  void commit();

  /// The option and the path, as given, of every output.
  std::vector<std::pair<std::string, std::string>> outputs() const;
  /// The results that are printed after the figures of the run.
  std::vector<traces::PrintedResult> printed() const;

 private:
  struct Running;

  std::vector<Running> running_;
  traces::TimelineRecorder recorder_;  ///< observes only if an export needs it
  traces::Observers observers_;
  std::vector<traces::NamedMemory> memories_;  ///< when the last launch began
};

}  // namespace davsim::session
