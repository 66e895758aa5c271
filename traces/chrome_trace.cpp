#include "traces/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "traces/instr_args.hpp"

namespace davsim::traces {
namespace {

// Ids are integers that no two processes or threads share, because Perfetto takes thread ids to be
// unique in the trace and gives process 0 a meaning of its own.
constexpr std::uint64_t kDevicePid = 1;
constexpr std::uint64_t kLaunchTid = 1;
constexpr std::uint64_t kRowsPerPipe = 100;
constexpr std::uint64_t kTidsPerCore = 1000;

std::uint64_t core_pid(std::uint32_t core) {
  return kDevicePid + 1 + core;
}

std::uint64_t pipe_tid(std::uint32_t core, isa::Pipe pipe, std::size_t row) {
  return core_pid(core) * kTidsPerCore + static_cast<std::uint64_t>(pipe) * kRowsPerPipe +
         std::min<std::uint64_t>(row, kRowsPerPipe - 1);
}

/// Order of the pipes from top to bottom, as in the vendor's viewer.
std::uint64_t pipe_order(isa::Pipe pipe) {
  switch (pipe) {
    case isa::Pipe::S:
      return 1;
    case isa::Pipe::MTE1:
      return 3;
    case isa::Pipe::M:
      return 4;
    case isa::Pipe::FIX:
      return 5;
    case isa::Pipe::MTE2:
      return 6;
    case isa::Pipe::V:
      return 7;
    case isa::Pipe::MTE3:
      return 8;
    case isa::Pipe::ALL:
      break;
  }
  return 11;
}

/// Names of Chrome's colours, as the vendor's traces use them.
std::string_view color(const isa::Instr& instr) {
  switch (instr.op) {
    case isa::Opcode::kSetFlag:
    case isa::Opcode::kCrossCoreSetFlag:
      return "black";
    case isa::Opcode::kWaitFlag:
    case isa::Opcode::kCrossCoreWaitFlag:
      return "yellow";
    case isa::Opcode::kPipeBarrier:
      return "good";
    default:
      break;
  }
  switch (instr.pipe) {
    case isa::Pipe::S:
      return "startup";
    case isa::Pipe::V:
      return "cq_build_failed";
    case isa::Pipe::M:
      return "background_memory_dump";
    case isa::Pipe::MTE1:
      return "thread_state_running";
    case isa::Pipe::MTE2:
      return "thread_state_iowait";
    case isa::Pipe::MTE3:
      return "rail_response";
    case isa::Pipe::FIX:
      return "thread_state_unknown";
    case isa::Pipe::ALL:
      break;
  }
  return "good";
}

bool sets_flag(const isa::Instr& instr) {
  return instr.op == isa::Opcode::kSetFlag || instr.op == isa::Opcode::kCrossCoreSetFlag;
}

/// N of "coreN.veccore1": cores of one AI core belong together.
std::uint64_t ai_core_of(const CoreDescription& core) {
  std::uint64_t number = 0;
  for (const char c : core.name.substr(std::min<std::size_t>(4, core.name.size()))) {
    if (c < '0' || c > '9') break;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

/// A barrier on all pipes is issued by the scalar unit.
isa::Pipe row_pipe(const isa::Instr& instr) {
  return instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
}

}  // namespace

ChromeTrace::ChromeTrace(std::ostream& stream) : stream_(stream), out_(stream) {
  out_.raw("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
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
  // The cube core above its vector cores.
  const bool vector = core.type == isa::CoreType::AIV;
  const auto place = ai_core_of(core) * 3 + 1 + (vector ? 1 + core.name.ends_with("1") : 0);
  sort_index("process_sort_index", pid, tid, place);
}

void ChromeTrace::instruction(const InstrEvent& event) {
  Core& core = cores_.at(event.core);
  if (!core.shown) describe_core(core.description);
  core.shown = true;
  const isa::Pipe pipe = row_pipe(*event.instr);
  const std::uint64_t pid = core_pid(event.core);
  const std::uint64_t tid = pipe_tid(event.core, pipe, choose_row(core, event, pipe));
  slice(event, pid, tid);
  if (event.flow != 0) flow(event, pid, tid);
  out_.spill();
}

std::size_t ChromeTrace::choose_row(Core& core, const InstrEvent& event, isa::Pipe pipe) {
  std::vector<Cycle>& rows = core.pipes[static_cast<std::size_t>(pipe)].busy_until;
  const auto free = std::find_if(rows.begin(), rows.end(),
                                 [&](Cycle busy_until) { return busy_until <= event.start; });
  const auto row = static_cast<std::size_t>(free - rows.begin());
  if (free == rows.end()) {
    rows.push_back(0);
    const std::uint64_t tid = pipe_tid(event.core, pipe, row);
    std::string name(isa::pipe_name(pipe));
    if (row > 0) name.append(".").append(std::to_string(row));
    metadata("thread_name", core_pid(event.core), tid, name);
    sort_index("thread_sort_index", core_pid(event.core), tid,
               pipe_order(pipe) * kRowsPerPipe + row);
  }
  rows[row] = event.end;
  return row;
}

void ChromeTrace::slice(const InstrEvent& event, std::uint64_t pid, std::uint64_t tid) {
  const isa::Instr& instr = *event.instr;
  open_event("X", instr.opcode_info().mnemonic, pid, tid);
  out_.member("cname", color(instr));
  times(event.start, event.end);
  out_.member("args");
  out_.raw("{");
  out_.member("cycle_start", event.start);
  out_.member("cycle_end", event.end);
  out_.member("cycle_dispatched", event.dispatched);
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
  out_.raw("}");
  close_event();
  out_.spill();
}

void ChromeTrace::finish() {
  if (finished_) return;
  finished_ = true;
  end_counters();
  out_.raw("\n]}\n");
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

std::uint64_t ChromeTrace::picoseconds(Cycle at) const {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(at) * (1e6 / frequency_mhz_)));
}

void ChromeTrace::microseconds(std::uint64_t ps) {
  out_.integer(ps / 1000000);
  const std::string fraction = std::to_string(ps % 1000000);
  out_.raw(".");
  out_.raw(std::string_view("000000").substr(fraction.size()));
  out_.raw(fraction);
}

void ChromeTrace::timestamp(Cycle at) {
  out_.member("ts");
  microseconds(picoseconds(at));
  // Viewers cut times down to nanoseconds after reading them as floating-point numbers. Half a
  // picosecond keeps a whole nanosecond from being read as a little less; as durations have none,
  // cutting never makes a slice reach into the next.
  out_.raw("5");
}

void ChromeTrace::times(Cycle start, Cycle end) {
  timestamp(start);
  out_.member("dur");
  microseconds(picoseconds(end) - picoseconds(start));
}

}  // namespace davsim::traces
