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
#include "traces/json_output.hpp"
#include "traces/lane_rows.hpp"
#include "traces/observer.hpp"

namespace davsim::traces {

/// The first line of a trace; the line in front of the launches' reports; the last line. What is
/// between them is an event or a report a line. traces/trace_file.hpp reads it back.
inline constexpr std::string_view kTraceHead = R"({"displayTimeUnit":"ns","traceEvents":[)";
inline constexpr std::string_view kTraceReports = R"(],"davsim_reports":[)";
inline constexpr std::string_view kTraceEnd = "]}";
/// Row of a core's blocks, beside those of its pipes.
inline constexpr std::string_view kBlocksRow = "blocks";
/// Args of a slice: cycles lost to a class, "memory_cycles"; cycles held by the unit flag.
inline constexpr std::string_view kLostSuffix = "_cycles";
inline constexpr const char* kHeldMember = "unit_flag_cycles";

/// One process a core, one thread a pipe, one slice an instruction; arrows from flags' sets to
/// their waits; counters of L2 and HBM bandwidth. Needs memory for a buffer, not for the trace.
///
/// Times are microseconds with picosecond digits: cycle = round(ts x frequency in MHz). Every
/// slice has the cycles themselves in its args as well.
class ChromeTrace : public Observer {
 public:
  explicit ChromeTrace(std::ostream& stream);  ///< not owned; must outlive the trace
  /// Finishes the trace if that was not done; errors of the stream are then lost.
  ~ChromeTrace() override;
  ChromeTrace(const ChromeTrace&) = delete;
  ChromeTrace& operator=(const ChromeTrace&) = delete;

  /// May be called for one launch after the other. Throws std::invalid_argument if the clock is 0.
  void launch_begins(const LaunchDescription& launch) override;
  void instruction(const InstrEvent& event) override;
  void block(const BlockEvent& event) override;
  void memory_sample(const MemorySample& sample) override;
  void launch_ends(const LaunchReport& report) override;

  /// Closes the JSON document; nothing may be traced after it. Throws std::runtime_error if the
  /// stream took not everything (disk full).
  void finish();

 private:
  struct Core {
    CoreDescription description;
    bool shown = false;  ///< cores that run nothing would only fill the screen
    bool has_blocks = false;
    std::array<LaneRows, isa::kPipeCount> pipes;
  };

  void describe_device(std::string_view soc);
  void describe_core(const CoreDescription& core);
  /// The core's process, described if it is new.
  Core& shown_core(std::uint32_t id);
  std::size_t choose_row(Core& core, const InstrEvent& event, isa::Pipe pipe);
  void slice(const InstrEvent& event, std::uint64_t pid, std::uint64_t tid);
  void flow(const InstrEvent& event, std::uint64_t pid, std::uint64_t tid);
  void metadata(std::string_view kind, std::uint64_t pid, std::uint64_t tid, std::string_view name);
  void sort_index(std::string_view kind, std::uint64_t pid, std::uint64_t tid, std::uint64_t index);
  void counter(Cycle at, double l2, double hbm_read, double hbm_write);
  void end_counters();

  void open_event(std::string_view phase, std::string_view name, std::uint64_t pid,
                  std::uint64_t tid);
  void close_event();
  void times(Cycle start, Cycle end);
  void timestamp(Cycle at);

  std::ostream& stream_;
  JsonOutput out_;
  double frequency_mhz_ = 0;
  std::uint64_t gm_base_ = 0;
  std::uint32_t queue_depth_ = 0;
  std::map<std::uint32_t, Core> cores_;  ///< by id
  Cycle sampled_until_ = 0;              ///< end of the last memory sample
  bool sampling_ = false;
  bool first_event_ = true;
  std::vector<std::string> reports_;  ///< of the launches, as JSON
  bool finished_ = false;
};

}  // namespace davsim::traces
