#include "traces/chrome_trace.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <stdexcept>
#include <string>

#include "traces/instr_args.hpp"
#include "traces/report.hpp"
#include "traces/trace_time.hpp"
#include "traces/vendor_names.hpp"

namespace davsim::traces {
namespace {

// Ids are integers that no two processes or threads share, because Perfetto takes thread ids to be
// unique in the trace and gives process 0 a meaning of its own.
constexpr std::uint64_t kDevicePid = 1;
constexpr std::uint64_t kLaunchTid = 1;
constexpr std::uint64_t kRowsPerPipe = 100;
constexpr std::uint64_t kTidsPerCore = 1000;
constexpr std::uint64_t kBlocksTid = kTidsPerCore - 1;  // of a core

std::uint64_t core_pid(std::uint32_t core) {
  return kDevicePid + 1 + core;
}

std::uint64_t pipe_tid(std::uint32_t core, isa::Pipe pipe, std::size_t row) {
  return core_pid(core) * kTidsPerCore + static_cast<std::uint64_t>(pipe) * kRowsPerPipe +
         std::min<std::uint64_t>(row, kRowsPerPipe - 1);
}

bool sets_flag(const isa::Instr& instr) {
  return instr.op == isa::Opcode::kSetFlag || instr.op == isa::Opcode::kCrossCoreSetFlag;
}

/// A barrier on all pipes is issued by the scalar unit.
isa::Pipe row_pipe(const isa::Instr& instr) {
  return instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
}

}  // namespace

ChromeTrace::ChromeTrace(std::ostream& stream) : stream_(stream), out_(stream) {
  out_.raw(kTraceHead);
}

ChromeTrace::~ChromeTrace() {
  try {
    finish();
  } catch (...) {  // A destructor has nobody to tell.
  }
}

void ChromeTrace::launch_begins(const LaunchDescription& launch) {
  if (!(launch.frequency_mhz > 0)) {
    throw std::invalid_argument("a trace needs the core clock, frequency_mhz is " +
                                std::to_string(launch.frequency_mhz));
  }
  const bool first = frequency_mhz_ == 0;
  frequency_mhz_ = launch.frequency_mhz;
  gm_base_ = launch.gm_base;
  queue_depth_ = launch.queue_depth;
  if (first) describe_device(launch.soc);
  for (const CoreDescription& core : launch.cores) cores_[core.id].description = core;
}

void ChromeTrace::describe_device(std::string_view soc) {
  metadata("process_name", kDevicePid, kLaunchTid, soc);
  sort_index("process_sort_index", kDevicePid, kLaunchTid, 0);
  metadata("thread_name", kDevicePid, kLaunchTid, "launches");
}

void ChromeTrace::describe_core(const CoreDescription& core) {
  const std::uint64_t pid = core_pid(core.id), tid = pid * kTidsPerCore;
  metadata("process_name", pid, tid, core.name);
  sort_index("process_sort_index", pid, tid, vendor_order(core));
}

ChromeTrace::Core& ChromeTrace::shown_core(std::uint32_t id) {
  Core& core = cores_.at(id);
  if (!core.shown) describe_core(core.description);
  core.shown = true;
  return core;
}

void ChromeTrace::block(const BlockEvent& event) {
  Core& core = shown_core(event.core);
  const std::uint64_t pid = core_pid(event.core), tid = pid * kTidsPerCore + kBlocksTid;
  if (!core.has_blocks) {
    metadata("thread_name", pid, tid, kBlocksRow);
    sort_index("thread_sort_index", pid, tid, 0);
  }
  core.has_blocks = true;
  open_event("X", "block " + std::to_string(event.block), pid, tid);
  times(event.start, event.end);
  out_.member("args");
  out_.raw("{");
  out_.member("block", event.block);
  out_.member("cycle_start", event.start);
  out_.member("cycle_issued", event.issued);
  out_.member("cycle_end", event.end);
  out_.raw("}");
  close_event();
  out_.spill();
}

void ChromeTrace::instruction(const InstrEvent& event) {
  Core& core = shown_core(event.core);
  const isa::Pipe pipe = row_pipe(*event.instr);
  const std::uint64_t pid = core_pid(event.core);
  const std::uint64_t tid = pipe_tid(event.core, pipe, choose_row(core, event, pipe));
  slice(event, pid, tid);
  if (event.flow != 0) flow(event, pid, tid);
  out_.spill();
}

std::size_t ChromeTrace::choose_row(Core& core, const InstrEvent& event, isa::Pipe pipe) {
  LaneRows& rows = core.pipes[static_cast<std::size_t>(pipe)];
  const std::size_t rows_so_far = rows.size(), row = rows.place(event.start, event.end);
  if (row == rows_so_far) {
    const std::uint64_t tid = pipe_tid(event.core, pipe, row);
    std::string name(isa::pipe_name(pipe));
    if (row > 0) name.append(".").append(std::to_string(row));
    metadata("thread_name", core_pid(event.core), tid, name);
    sort_index("thread_sort_index", core_pid(event.core), tid,
               vendor_lane(pipe).order * kRowsPerPipe + row);
  }
  return row;
}

void ChromeTrace::slice(const InstrEvent& event, std::uint64_t pid, std::uint64_t tid) {
  const isa::Instr& instr = *event.instr;
  open_event("X", instr.opcode_info().mnemonic, pid, tid);
  out_.member("cname", vendor_color(instr));
  times(event.start, event.end);
  out_.member("args");
  out_.raw("{");
  out_.member("cycle_start", event.start);
  out_.member("cycle_end", event.end);
  out_.member("cycle_dispatched", event.dispatched);
  if (event.lost > 0) {
    out_.member(std::string(cycle_class_name(event.lost_to)).append(kLostSuffix), event.lost);
  }
  if (event.held > 0) out_.member(kHeldMember, event.held);
  write_operands(out_, instr, gm_base_);
  write_params(out_, instr);
  write_code(out_, instr.where);
  out_.raw("}");
  close_event();
}

void ChromeTrace::flow(const InstrEvent& event, std::uint64_t pid, std::uint64_t tid) {
  // Both ends lie at the ends of their slices, and right behind them in the file: viewers tie an
  // arrow to the slice of its row that began last.
  const bool set = sets_flag(*event.instr);
  open_event(set ? "s" : "f", "flag", pid, tid);
  out_.member("cat", "flag");
  out_.member("id", event.flow);
  if (!set) out_.member("bp", "e");
  timestamp(event.end);
  close_event();
}

void ChromeTrace::memory_sample(const MemorySample& sample) {
  if (sample.span == 0) return;
  if (sampling_ && sample.start > sampled_until_) counter(sampled_until_, 0, 0, 0);
  // bytes / (span / MHz) us = 1e-3 GB/s
  const double rate = frequency_mhz_ / static_cast<double>(sample.span) * 1e-3;
  counter(sample.start, static_cast<double>(sample.l2_bytes) * rate,
          static_cast<double>(sample.hbm_read_bytes) * rate,
          static_cast<double>(sample.hbm_write_bytes) * rate);
  sampling_ = true;
  sampled_until_ = sample.start + sample.span;
  out_.spill();
}

void ChromeTrace::counter(Cycle at, double l2, double hbm_read, double hbm_write) {
  open_event("C", "L2 (GB/s)", kDevicePid, kLaunchTid);
  timestamp(at);
  out_.raw(",\"args\":{\"total\":");
  out_.number(l2);
  out_.raw("}");
  close_event();
  open_event("C", "HBM (GB/s)", kDevicePid, kLaunchTid);
  timestamp(at);
  out_.raw(",\"args\":{\"read\":");
  out_.number(hbm_read);
  out_.raw(",\"write\":");
  out_.number(hbm_write);
  out_.raw("}");
  close_event();
}

void ChromeTrace::end_counters() {
  if (sampling_) counter(sampled_until_, 0, 0, 0);
  sampling_ = false;
}

void ChromeTrace::launch_ends(const LaunchReport& report) {
  end_counters();
  open_event("X", report.kernel, kDevicePid, kLaunchTid);
  times(report.start, report.start + report.cycles);
  out_.member("args");
  out_.raw("{");
  out_.member("cycle_start", report.start);
  out_.member("cycle_end", report.start + report.cycles);
  out_.member("block_dim", report.block_dim);
  out_.member("queue_depth", queue_depth_);
  out_.raw("}");
  close_event();
  reports_.push_back(boost::json::serialize(report_json(report)));
  out_.spill();
}

void ChromeTrace::finish() {
  if (finished_) return;
  finished_ = true;
  end_counters();
  out_.raw("\n");
  out_.raw(kTraceReports);
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    out_.raw(i == 0 ? "\n" : ",\n");
    out_.raw_utf8(reports_[i]);
  }
  out_.raw("\n");
  out_.raw(kTraceEnd);
  out_.raw("\n");
  out_.flush();
  stream_.flush();
  if (!stream_) throw std::runtime_error("the trace could not be written as a whole");
}

void ChromeTrace::metadata(std::string_view kind, std::uint64_t pid, std::uint64_t tid,
                           std::string_view name) {
  open_event("M", kind, pid, tid);
  out_.member("args");
  out_.raw("{");
  out_.member("name", name);
  out_.raw("}");
  close_event();
}

void ChromeTrace::sort_index(std::string_view kind, std::uint64_t pid, std::uint64_t tid,
                             std::uint64_t index) {
  open_event("M", kind, pid, tid);
  out_.member("args");
  out_.raw("{");
  out_.member("sort_index", index);
  out_.raw("}");
  close_event();
}

void ChromeTrace::open_event(std::string_view phase, std::string_view name, std::uint64_t pid,
                             std::uint64_t tid) {
  out_.raw(first_event_ ? "\n{" : ",\n{");
  first_event_ = false;
  out_.member("ph", phase);
  out_.member("name", name);
  out_.member("pid", pid);
  out_.member("tid", tid);
}

void ChromeTrace::close_event() {
  out_.raw("}");
}

void ChromeTrace::timestamp(Cycle at) {
  out_.member("ts");
  write_microseconds(out_, picoseconds(at, frequency_mhz_));
  // Viewers cut times down to nanoseconds after reading them as floating-point numbers. Half a
  // picosecond keeps a whole nanosecond from being read as a little less; as durations have none,
  // cutting never makes a slice reach into the next.
  out_.raw("5");
}

void ChromeTrace::times(Cycle start, Cycle end) {
  timestamp(start);
  out_.member("dur");
  write_microseconds(out_, picoseconds(end, frequency_mhz_) - picoseconds(start, frequency_mhz_));
}

}  // namespace davsim::traces
