// The two timelines of the vendor's operator simulator: one file of all cores, whose processes and
// threads are named by texts, and a file for each core, whose processes are its pipes.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "traces/observed.hpp"
#include "traces/output/trace_output.hpp"
#include "traces/output/trace_time.hpp"
#include "traces/output/vendor_names.hpp"
#include "traces/timeline/lane_rows.hpp"

namespace davsim::traces {

/// An instruction as both files show it.
struct MsprofEvent {
  const InstrEvent* event = nullptr;
  std::string_view core;      ///< "core3.veccore1"
  std::string address, line;  ///< of the instruction, of its source line
  std::string detail;
  std::uint64_t gm_bytes = 0;  ///< moved from or to global memory

  bool sets_flag() const { return event->instr->op == isa::Opcode::kSetFlag; }
  bool waits_for_flag() const { return event->instr->op == isa::Opcode::kWaitFlag; }
};

/// simulator/trace.json
class MsprofTimeline {
 public:
  /// Cycles are shown from the start of the launch on. `out` must outlive the timeline.
  MsprofTimeline(std::ostream& out, const LaunchDescription& launch);
  void add_core(const CoreDescription& core);
  void instruction(const MsprofEvent& event);
  void finish();

 private:
  void place(std::string_view core, std::string_view lane);
  std::string track(const MsprofEvent& event);
  void slice(const MsprofEvent& event, const std::string& track);
  void flag(const MsprofEvent& event, const std::string& track);
  void sort_index(std::string_view kind, std::string_view core, std::string_view lane,
                  std::uint64_t index);

  TraceOutput out_;
  double mhz_;
  Cycle start_;
  VendorOrder order_;
  std::map<std::pair<std::string, std::uint64_t>, LaneRows> lanes_;  ///< by core and lane
};

/// simulator/<core>/trace.json
class MsprofCoreTimeline {
 public:
  MsprofCoreTimeline(std::ostream& out, double mhz, Cycle start);
  void instruction(const MsprofEvent& event);
  void finish();

 private:
  std::uint64_t thread(const VendorLane& lane, const SliceTime& time);

  TraceOutput out_;
  double mhz_;
  Cycle start_;
  std::map<std::uint64_t, LaneRows> lanes_;  ///< by process
};

}  // namespace davsim::traces
