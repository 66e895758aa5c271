// Streams a run as Chrome trace events, the JSON that Perfetto, chrome://tracing and the vendor's
// viewer open. docs/traces.md describes what is where.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "isa/instr/opcode.hpp"
#include "traces/chrome/line_texts.hpp"
#include "traces/observed.hpp"
#include "traces/output/trace_output.hpp"
#include "traces/output/trace_time.hpp"
#include "traces/output/vendor_names.hpp"
#include "traces/port_pass.hpp"
#include "traces/timeline/lane_rows.hpp"

namespace davsim::traces {

/// The first line of a trace; the line in front of the launches' reports; the last line. What is
/// between them is an event or a report a line. traces/chrome/trace_file.hpp reads it back.
inline constexpr std::string_view kTraceHead = R"({"displayTimeUnit":"ns","traceEvents":[)";
inline constexpr std::string_view kTraceReports = R"(],"davsim_reports":[)";
inline constexpr std::string_view kTraceEnd = "]}";
/// Process of the device; every other process is a core.
inline constexpr std::uint64_t kDevicePid = 1;
/// Processes of dies for their ports to the links; those of cores are before them.
inline constexpr std::uint64_t kLinksPid = std::uint64_t{1} << 24;
/// Args of the event that names a core's process, beside its name: "AIC" or "AIV", and its place.
inline constexpr char kTypeMember[] = "type";
inline constexpr char kAiCoreMember[] = "ai_core";
inline constexpr char kSubBlockMember[] = "sub_block";
/// Row of a core's blocks, beside those of its pipes.
inline constexpr std::string_view kBlocksRow = "blocks";
/// Args of a slice: cycles for which a class stalled it, "memory_cycles"; cycles held by the unit
/// flag.
inline constexpr std::string_view kStallSuffix = "_cycles";
inline constexpr char kHeldMember[] = "unit_flag_cycles";

/// One process a core, one thread a pipe, one slice an instruction; arrows from flags' sets to
/// their waits; counters of L2 and HBM bandwidth. Needs memory for a buffer, not for the trace.
///
/// Times are microseconds with picosecond digits: cycle = round(ts x frequency in MHz). A slice
/// takes at least a nanosecond, as viewers do not draw less. Of more than kMostRows instructions in
/// flight on a pipe, moves and the like are drawn from where the one before ends. Every slice has
/// its cycles in its args.
class ChromeTrace : public Observer {
 public:
  explicit ChromeTrace(std::ostream& stream);  ///< not owned; must outlive the trace
  /// Finishes the trace if finish() was not called. Errors of the stream are then not reported.
  ~ChromeTrace() override;
  ChromeTrace(const ChromeTrace&) = delete;
  ChromeTrace& operator=(const ChromeTrace&) = delete;

  /// May be called for one launch after the other. Throws std::invalid_argument if the clock is 0.
  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block(const BlockEvent& event) override;
  void memory_sample(const MemorySample& sample) override;
  void launch_ends(const LaunchReport& report) override;

  /// Adds a process for each die with a row for each of its ports. `passes` are by port.
  void links(const std::vector<PortPass>& passes);

  /// Closes the JSON document; nothing may be traced after it. Throws std::runtime_error if the
  /// stream took not everything (disk full).
  void finish();

 private:
  using SliceHead = ShortText<128>;  ///< of an instruction, up to its process
  using RowIds = ShortText<32>;      ///< process and thread: `4,"tid":4100`
  /// Two moves in flight, or a slice drawn longer than it is and the next. A core of eight pipes
  /// stays readable in a viewer.
  static constexpr std::size_t kMostRows = 2;
  struct Lane {
    LaneRows rows{kMostRows};
    std::vector<RowIds> ids;  ///< of each of these
  };
  struct Core {
    CoreDescription description;
    bool known = false;
    bool shown = false;  ///< cores that run nothing would only fill the screen
    bool has_blocks = false;
    std::array<Lane, isa::kPipeCount> pipes;
  };

  void describe_device(std::string_view soc);
  void describe_core(const CoreDescription& core);
  /// The core's process, described if it is new.
  Core& shown_core(std::uint32_t id);
  struct Slot {
    const RowIds* row = nullptr;
    SliceTime time;
  };
  /// Where the instruction is drawn.
  LaneRows::Place place_of(LaneRows& rows, const InstrEvent& event) const;
  Slot choose_slot(Core& core, const InstrEvent& event);
  void describe_row(std::uint32_t core, isa::Pipe pipe, std::size_t row, std::uint64_t tid);
  const SliceHead& slice_head(const isa::Instr& instr);
  void slice(const InstrEvent& event, const Slot& slot);
  void flow(const InstrEvent& event, const Slot& slot);
  void sort_index(std::string_view kind, std::uint64_t pid, std::uint64_t tid, std::uint64_t index);
  void write_sample(const MemorySample& sample);
  void counter(Cycle at, double l2, double hbm_read, double hbm_write);
  void end_counters();
  static JsonText timestamp(JsonText text, std::uint64_t picoseconds);
  static JsonText write_slice_time(JsonText text, const SliceTime& time);
  JsonText times(JsonText text, Cycle start, Cycle end) const;
  SliceTime link_time(const PortPass& pass, std::uint64_t free_at) const;

  std::ostream& stream_;
  TraceOutput out_;
  double frequency_mhz_ = 0;
  std::uint64_t gm_base_ = 0;
  VendorOrder order_;
  std::uint32_t queue_depth_ = 0;
  std::vector<Core> cores_;             ///< by id
  std::vector<SliceHead> slice_heads_;  ///< by opcode and pipe; empty until they are needed
  LineTexts lines_;
  /// Of a launch on several dies, whose memories tell theirs at different times: sums by start.
  std::map<Cycle, MemorySample> samples_;
  bool several_dies_ = false;
  Cycle sampled_until_ = 0;  ///< end of the last memory sample
  bool sampling_ = false;
  std::vector<std::string> reports_;  ///< of the launches, as JSON
  bool finished_ = false;
};

}  // namespace davsim::traces
