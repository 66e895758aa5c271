#include "traces/msprof/msprof_timeline.hpp"

#include <algorithm>

#include "traces/output/trace_time.hpp"

namespace davsim::traces {
namespace {

/// The interval in which the vendor draws an instruction: barriers and sets in their last cycle.
struct Drawn {
  Cycle begin, end;
};
Drawn drawn(const MsprofEvent& event, Cycle start) {
  const Cycle begin = event.event->start - start, end = event.event->end - start;
  const bool point = event.sets_flag() || event.event->instr->op == isa::Opcode::kPipeBarrier;
  return {point ? std::max<Cycle>(end, 1) - 1 : begin, std::max<Cycle>(end, point ? 1 : 0)};
}

/// Half a picosecond more, so that a viewer that multiplies and cuts finds the nanosecond.
void write_time(JsonOutput& out, std::uint64_t picoseconds) {
  out.member("ts");
  out.microseconds(picoseconds);
  out.raw("5");
}

void write_times(JsonOutput& out, const SliceTime& time) {
  write_time(out, time.begin);
  out.member("dur");
  out.microseconds(time.length);
}

/// Where the vendor's timelines have an instruction.
SliceTime time_of(const MsprofEvent& event, Cycle start, double mhz) {
  const Drawn at = drawn(event, start);
  const bool flag = event.sets_flag() || event.waits_for_flag();
  return flag ? flag_time(at.begin, at.end, mhz) : slice_time(at.begin, at.end, mhz);
}

void write_args(JsonOutput& out, const MsprofEvent& event) {
  out.member("args");
  out.raw("{");
  out.member("pc_addr", event.address);
  out.member("code", event.line);
  out.member("detail", event.detail);
  if (event.gm_bytes > 0) out.member("process_bytes", std::to_string(event.gm_bytes));
  out.raw("}");
}

/// A flag's set and its wait share it.
std::string flow_id(const MsprofEvent& event) {
  return std::string(event.core) + "_" + std::to_string(event.event->flow);
}

std::string flow_category(const isa::Instr& instr) {
  const auto& flag = std::get<isa::FlagParams>(instr.params);
  return std::string(vendor_lane(flag.set_pipe).name) + "To" +
         std::string(vendor_lane(flag.wait_pipe).name);
}

}  // namespace

// --- all cores -----------------------------------------------------------------------------------

MsprofTimeline::MsprofTimeline(std::ostream& out, const LaunchDescription& launch)
    : out_(out), mhz_(launch.frequency_mhz), start_(launch.start), order_(launch.cores) {
  out_.raw(R"({"schemaVersion":2,"displayTimeUnit":"ns","profilingType":"op","traceEvents":[)");
}

void MsprofTimeline::place(std::string_view core, std::string_view lane) {
  out_.member("pid", core);
  out_.member("tid", lane);
}

void MsprofTimeline::sort_index(std::string_view kind, std::string_view core, std::string_view lane,
                                std::uint64_t index) {
  out_.open("M", kind);
  place(core, lane);
  out_.raw(",\"args\":{\"sort_index\":");
  out_.integer(index);
  out_.raw("}");
  out_.close();
}

void MsprofTimeline::add_core(const CoreDescription& core) {
  sort_index("process_sort_index", core.name, "NA", order_.of(core));
  for (const VendorLane& lane : vendor_lanes()) {
    sort_index("thread_sort_index", core.name, lane.name, lane.order);
  }
}

/// The lane of the instruction; of instructions that overlap on it, the later ones are on further
/// tracks, named as in the files of single cores.
std::string MsprofTimeline::track(const MsprofEvent& event) {
  const VendorLane& lane = vendor_lane(*event.event->instr);
  const SliceTime time = time_of(event, start_, mhz_);
  LaneRows& rows = lanes_[{std::string(event.core), lane.pid}];
  const std::size_t rows_so_far = rows.size(), row = rows.place(time.begin, time.end()).row;
  std::string name(lane.name);
  if (row > 0) name += "_" + std::to_string(row + 1);
  if (row > 0 && row == rows_so_far) sort_index("thread_sort_index", event.core, name, lane.order);
  return name;
}

void MsprofTimeline::instruction(const MsprofEvent& event) {
  const std::string name = track(event);
  if (event.sets_flag() || event.waits_for_flag()) {
    flag(event, name);
  } else {
    slice(event, name);
  }
  out_.spill();
}

void MsprofTimeline::slice(const MsprofEvent& event, const std::string& track) {
  const isa::Instr& instr = *event.event->instr;
  out_.open("X", instr.opcode_info().mnemonic);
  out_.member("cname", vendor_color(instr));
  write_times(out_, time_of(event, start_, mhz_));
  place(event.core, track);
  write_args(out_, event);
  out_.close();
}

void MsprofTimeline::flag(const MsprofEvent& event, const std::string& track) {
  const isa::Instr& instr = *event.event->instr;
  const SliceTime time = time_of(event, start_, mhz_);
  const std::string id = flow_id(event);
  for (const bool begin : {true, false}) {
    out_.open(begin ? "B" : "E", instr.opcode_info().mnemonic);
    out_.member("cname", vendor_color(instr));
    write_time(out_, begin ? time.begin : time.end());
    place(event.core, track);
    out_.member("id", id);
    if (begin) write_args(out_, event);
    out_.close();
  }
  out_.open(event.sets_flag() ? "s" : "t", "flow");
  out_.member("id", id);
  out_.member("cat", flow_category(instr));
  write_time(out_, picoseconds(drawn(event, start_).end, mhz_));
  place(event.core, track);
  out_.close();
}

void MsprofTimeline::finish() {
  out_.raw("\n]}\n");
  out_.flush();
}

// --- one core ------------------------------------------------------------------------------------

MsprofCoreTimeline::MsprofCoreTimeline(std::ostream& out, double mhz, Cycle start)
    : out_(out), mhz_(mhz), start_(start) {
  out_.raw("[");
}

std::uint64_t MsprofCoreTimeline::thread(const VendorLane& lane, const SliceTime& time) {
  LaneRows& rows = lanes_[lane.pid];
  const std::size_t rows_so_far = rows.size(), row = rows.place(time.begin, time.end()).row;
  if (rows_so_far == 0) out_.name("process_name", lane.pid, 0, lane.name);
  if (row == rows_so_far) {
    out_.name("thread_name", lane.pid, row + 1,
              std::string(lane.name) + "_" + std::to_string(row + 1));
  }
  return row + 1;
}

void MsprofCoreTimeline::instruction(const MsprofEvent& event) {
  const isa::Instr& instr = *event.event->instr;
  const VendorLane& lane = vendor_lane(instr);
  const SliceTime time = time_of(event, start_, mhz_);
  const std::uint64_t tid = thread(lane, time);
  out_.open("X", instr.opcode_info().mnemonic, lane.pid, tid);
  out_.member("cname", vendor_color(instr));
  write_times(out_, time);
  write_args(out_, event);
  out_.close();
  if (event.sets_flag() || event.waits_for_flag()) {
    out_.open(event.sets_flag() ? "s" : "t", "flow", lane.pid, tid);
    out_.member("id", flow_id(event));
    out_.member("cat", flow_category(instr));
    write_time(out_, picoseconds(drawn(event, start_).end, mhz_));
    out_.close();
  }
  out_.spill();
}

void MsprofCoreTimeline::finish() {
  out_.raw("\n]\n");
  out_.flush();
}

}  // namespace davsim::traces
