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

void write_times(JsonOutput& out, double mhz, Cycle begin, Cycle end) {
  out.member("ts");
  out.microseconds(picoseconds(begin, mhz));
  out.member("dur");
  out.microseconds(picoseconds(end, mhz) - picoseconds(begin, mhz));
}

void write_time(JsonOutput& out, double mhz, Cycle at) {
  out.member("ts");
  out.microseconds(picoseconds(at, mhz));
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

void MsprofTimeline::instruction(const MsprofEvent& event) {
  if (event.sets_flag() || event.waits_for_flag()) {
    flag(event);
  } else {
    slice(event);
  }
  out_.spill();
}

void MsprofTimeline::slice(const MsprofEvent& event) {
  const isa::Instr& instr = *event.event->instr;
  const Drawn at = drawn(event, start_);
  out_.open("X", instr.opcode_info().mnemonic);
  out_.member("cname", vendor_color(instr));
  write_times(out_, mhz_, at.begin, at.end);
  place(event.core, vendor_lane(instr).name);
  write_args(out_, event);
  out_.close();
}

void MsprofTimeline::flag(const MsprofEvent& event) {
  const isa::Instr& instr = *event.event->instr;
  const Drawn at = drawn(event, start_);
  const std::string id = flow_id(event);
  for (const bool begin : {true, false}) {
    out_.open(begin ? "B" : "E", instr.opcode_info().mnemonic);
    out_.member("cname", vendor_color(instr));
    write_time(out_, mhz_, begin ? at.begin : at.end);
    place(event.core, vendor_lane(instr).name);
    out_.member("id", id);
    if (begin) write_args(out_, event);
    out_.close();
  }
  out_.open(event.sets_flag() ? "s" : "t", "flow");
  out_.member("id", id);
  out_.member("cat", flow_category(instr));
  write_time(out_, mhz_, at.end);
  place(event.core, vendor_lane(instr).name);
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

std::uint64_t MsprofCoreTimeline::thread(const VendorLane& lane, Cycle begin, Cycle end) {
  LaneRows& rows = lanes_[lane.pid];
  const std::size_t rows_so_far = rows.size(), row = rows.place(begin, end);
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
  const Drawn at = drawn(event, start_);
  const std::uint64_t tid = thread(lane, at.begin, at.end);
  out_.open("X", instr.opcode_info().mnemonic, lane.pid, tid);
  out_.member("cname", vendor_color(instr));
  write_times(out_, mhz_, at.begin, at.end);
  write_args(out_, event);
  out_.close();
  if (event.sets_flag() || event.waits_for_flag()) {
    out_.open(event.sets_flag() ? "s" : "t", "flow", lane.pid, tid);
    out_.member("id", flow_id(event));
    out_.member("cat", flow_category(instr));
    write_time(out_, mhz_, at.end);
    out_.close();
  }
  out_.spill();
}

void MsprofCoreTimeline::finish() {
  out_.raw("\n]\n");
  out_.flush();
}

}  // namespace davsim::traces
