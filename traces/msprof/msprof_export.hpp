// Writes a run in the folder layout of the vendor's operator simulator, for MindStudio Insight and
// for scripts that read it:
//   simulator/trace.json                      all cores
//   simulator/visualize_data.bin              the same, and the hot lines beside the source
//   simulator/<core>/trace.json               one core; <core>_instr_exe.csv, <core>_code_exe.csv
//   PipeUtilization.csv, Memory.csv, ...      as the vendor's on-board profiler writes them
#pragma once

#include <map>
#include <memory>

#include "traces/msprof/msprof_bin.hpp"
#include "traces/msprof/msprof_hot_spots.hpp"
#include "traces/msprof/msprof_tables.hpp"
#include "traces/msprof/msprof_timeline.hpp"
#include "traces/observed.hpp"

namespace davsim::traces {

class MsprofExport : public Observer {
 public:
  /// `open` makes a file of the folder, which lives until finish() is over.
  explicit MsprofExport(OpenFile open) : open_(std::move(open)) {}

  /// The layout holds one launch: the first one, as the vendor's profiler takes unless it is told
  /// otherwise.
  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block(const BlockEvent& event) override;
  void launch_ends(const LaunchReport& report) override;
  /// Writes the tables and ends all files; nothing may come after it.
  void finish();
  /// Launches that it does not hold.
  std::uint64_t left_out() const { return launches_ > 1 ? launches_ - 1 : 0; }

 private:
  struct Core {
    MsprofCore numbers;
    MsprofHotSpots hot_spots;
    std::unique_ptr<MsprofCoreTimeline> timeline;  ///< of a core that runs something
  };
  Core& running_core(std::uint32_t id);
  MsprofEvent event_of(const InstrEvent& event, const Core& core);

  OpenFile open_;
  std::uint64_t launches_ = 0;
  LaunchDescription launch_;
  LaunchReport report_;
  InstrAddresses addresses_;
  std::unique_ptr<MsprofBin> bin_;
  std::unique_ptr<MsprofTimeline> timeline_;
  std::map<std::uint32_t, Core> cores_;
};

}  // namespace davsim::traces
