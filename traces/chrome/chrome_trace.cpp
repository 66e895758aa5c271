#include "traces/chrome/chrome_trace.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

#include "isa/instr/opcode_facts.hpp"
#include "traces/output/instr_args.hpp"
#include "traces/output/trace_time.hpp"
#include "traces/report/report.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::traces {
namespace {

// Ids are integers that no two processes or threads share, because Perfetto takes thread ids to be
// unique in the trace and gives process 0 a meaning of its own.
constexpr std::uint64_t kLaunchTid = 1;
constexpr std::uint64_t kRowsPerPipe = 100;
constexpr std::uint64_t kTidsPerCore = 1000;
constexpr std::uint64_t kBlocksTid = kTidsPerCore - 1;  // of a core

// What texts take at most, in bytes.
constexpr std::size_t kMostTimes = 96;
constexpr std::size_t kMostEvent = 512;  // without arguments of instructions

std::uint64_t core_pid(std::uint32_t core) {
  return kDevicePid + 1 + core;
}

std::uint64_t pipe_tid(std::uint32_t core, isa::Pipe pipe, std::size_t row) {
  return core_pid(core) * kTidsPerCore + static_cast<std::uint64_t>(pipe) * kRowsPerPipe +
         std::min<std::uint64_t>(row, kRowsPerPipe - 1);
}

bool sets_flag(const isa::Instr& instr) {
  return isa::facts(instr.op).sync == isa::SyncRole::kSets;
}

/// A barrier on all pipes is issued by the scalar unit.
isa::Pipe row_pipe(const isa::Instr& instr) {
  return instr.pipe == isa::Pipe::ALL ? isa::Pipe::S : instr.pipe;
}

}  // namespace

ChromeTrace::ChromeTrace(std::ostream& stream)
    : stream_(stream), out_(stream), slice_heads_(isa::kOpcodeCount * (isa::kPipeCount + 1)) {
  out_.raw(kTraceHead);
}

ChromeTrace::~ChromeTrace() {
  try {
    finish();
  } catch (...) {  // A destructor cannot report errors.
  }
}

void ChromeTrace::launch_begins(const LaunchDescription& launch) {
  several_dies_ = !launch.cores.empty() && launch.cores.front().name.starts_with("die");
  if (!(launch.frequency_mhz > 0)) {
    throw std::invalid_argument("a trace needs the core clock, frequency_mhz is " +
                                std::to_string(launch.frequency_mhz));
  }
  const bool first = frequency_mhz_ == 0;
  frequency_mhz_ = launch.frequency_mhz;
  gm_base_ = launch.gm_base;
  queue_depth_ = launch.queue_depth;
  order_ = VendorOrder(launch.cores);
  if (first) describe_device(launch.soc);
  for (const CoreDescription& core : launch.cores) {
    if (core.id >= cores_.size()) cores_.resize(core.id + 1);
    cores_[core.id].description = core;
    cores_[core.id].known = true;
  }
}

void ChromeTrace::describe_device(std::string_view soc) {
  out_.name("process_name", kDevicePid, kLaunchTid, soc);
  sort_index("process_sort_index", kDevicePid, kLaunchTid, 0);
  out_.name("thread_name", kDevicePid, kLaunchTid, "launches");
}

void ChromeTrace::describe_core(const CoreDescription& core) {
  const std::uint64_t pid = core_pid(core.id), tid = pid * kTidsPerCore;
  out_.open("M", "process_name", pid, tid);
  out_.member("args");
  out_.raw("{");
  out_.member("name", core.name);
  out_.member(kTypeMember, isa::core_type_name(core.type));
  out_.member(kAiCoreMember, core.ai_core);
  out_.member(kSubBlockMember, core.sub_block);
  out_.raw("}");
  out_.close();
  sort_index("process_sort_index", pid, tid, order_.of(core));
}

ChromeTrace::Core& ChromeTrace::shown_core(std::uint32_t id) {
  Core& core = cores_.at(id);
  if (!core.known) throw std::out_of_range("core " + std::to_string(id) + " is not described");
  if (!core.shown) describe_core(core.description);
  core.shown = true;
  return core;
}

void ChromeTrace::block(const BlockEvent& event) {
  Core& core = shown_core(event.core);
  const std::uint64_t pid = core_pid(event.core), tid = pid * kTidsPerCore + kBlocksTid;
  if (!core.has_blocks) {
    out_.name("thread_name", pid, tid, kBlocksRow);
    sort_index("thread_sort_index", pid, tid, 0);
  }
  core.has_blocks = true;
  out_.open("X", "block " + std::to_string(event.block), pid, tid);
  out_.take(times(out_.room(kMostTimes), event.start, event.end));
  out_.member("args");
  out_.raw("{");
  out_.member("block", event.block);
  out_.member("cycle_start", event.start);
  out_.member("cycle_issued", event.issued);
  out_.member("cycle_end", event.end);
  out_.raw("}");
  out_.close();
  out_.spill();
}

void ChromeTrace::instruction(const InstrEvent& event) {
  const Slot slot = choose_slot(shown_core(event.core), event);
  slice(event, slot);
  if (event.flow != 0) flow(event, slot);
  out_.spill();
}

LaneRows::Place ChromeTrace::place_of(LaneRows& rows, const InstrEvent& event) const {
  if (kind_of(event.instr->op) == EventKind::kWork) {
    const SliceTime wanted = slice_time(event.start, event.end, frequency_mhz_);
    return rows.place(wanted.begin, wanted.end(), kShortestSlicePs);
  }
  // Arrows begin and end where flags end, so that those end where they do.
  const SliceTime wanted = flag_time(event.start, event.end, frequency_mhz_);
  LaneRows::Place place = rows.place_end(wanted.begin, wanted.end(), kShortestSlicePs);
  if (place.begin != wanted.begin && place.end % kPsPerNs == 0) ++place.end;
  return place;
}

ChromeTrace::Slot ChromeTrace::choose_slot(Core& core, const InstrEvent& event) {
  const isa::Pipe pipe = row_pipe(*event.instr);
  Lane& lane = core.pipes[static_cast<std::size_t>(pipe)];
  const LaneRows::Place place = place_of(lane.rows, event);
  if (place.row == lane.ids.size()) {
    const std::uint64_t tid = pipe_tid(event.core, pipe, place.row);
    lane.ids.emplace_back(std::to_string(core_pid(event.core)) + ",\"tid\":" + std::to_string(tid));
    describe_row(event.core, pipe, place.row, tid);
  }
  return {&lane.ids[place.row], {place.begin, place.end - place.begin}};
}

void ChromeTrace::describe_row(std::uint32_t core, isa::Pipe pipe, std::size_t row,
                               std::uint64_t tid) {
  std::string name(isa::pipe_name(pipe));
  if (row > 0) name.append(".").append(std::to_string(row));
  out_.name("thread_name", core_pid(core), tid, name);
  sort_index("thread_sort_index", core_pid(core), tid,
             vendor_lane(pipe).order * kRowsPerPipe + row);
}

const ChromeTrace::SliceHead& ChromeTrace::slice_head(const isa::Instr& instr) {
  SliceHead& head = slice_heads_[static_cast<std::size_t>(instr.op) * (isa::kPipeCount + 1) +
                                 static_cast<std::size_t>(instr.pipe)];
  if (head.size == 0) {
    std::string text = R"({"ph":"X","name":")";
    text.append(instr.opcode_info().mnemonic).append(R"(","cname":")");
    head = SliceHead(text.append(vendor_color(instr)).append(R"(","pid":)"));
  }
  return head;
}

void ChromeTrace::slice(const InstrEvent& event, const Slot& slot) {
  const isa::Instr& instr = *event.instr;
  const std::string_view line = lines_.member(instr.where);
  JsonText text = out_.event_room(kMostEvent + kMostInstrArgs + line.size());
  text.raw(slice_head(instr));
  text.raw(*slot.row);
  text = write_slice_time(text, slot.time);
  text.raw(R"(,"args":{"cycle_start":)");
  text.integer(event.start);
  text.member("cycle_end", event.end);
  text.member("cycle_dispatched", event.dispatched);
  if (event.stalled > 0) {
    text.raw(",\"");
    text.raw(cycle_class_name(event.stall_class));
    text.raw(kStallSuffix);
    text.raw("\":");
    text.integer(event.stalled);
  }
  if (event.held > 0) text.member(kHeldMember, event.held);
  text = write_operands(text, instr, gm_base_);
  text = write_params(text, instr);
  text.raw(line);
  text.raw("}}");
  out_.take(text);
}

void ChromeTrace::flow(const InstrEvent& event, const Slot& slot) {
  // Both ends of an arrow are at the ends of their slices, and directly after them in the file.
  // Viewers attach an arrow to the slice of its row that began last.
  const bool set = sets_flag(*event.instr);
  JsonText text = out_.event_room(kMostEvent);
  text.raw(R"({"ph":")");
  text.put(set ? 's' : 'f');
  text.raw(R"(","name":"flag","cat":"flag","pid":)");
  text.raw(*slot.row);
  text.member("id", event.flow);
  if (!set) text.member("bp", "e");
  text = timestamp(text, picoseconds(event.end, frequency_mhz_));
  text.put('}');
  out_.take(text);
}

void ChromeTrace::memory_sample(const MemorySample& sample) {
  if (sample.span == 0) return;
  if (!several_dies_) return write_sample(sample);
  MemorySample& sum = samples_[sample.start];
  sum.start = sample.start;
  sum.span = sample.span;
  sum.l2_bytes += sample.l2_bytes;
  sum.hbm_read_bytes += sample.hbm_read_bytes;
  sum.hbm_write_bytes += sample.hbm_write_bytes;
}

void ChromeTrace::write_sample(const MemorySample& sample) {
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
  out_.open("C", "L2 (GB/s)", kDevicePid, kLaunchTid);
  out_.take(timestamp(out_.room(kMostTimes), picoseconds(at, frequency_mhz_)));
  out_.raw(",\"args\":{\"total\":");
  out_.number(l2);
  out_.raw("}");
  out_.close();
  out_.open("C", "HBM (GB/s)", kDevicePid, kLaunchTid);
  out_.take(timestamp(out_.room(kMostTimes), picoseconds(at, frequency_mhz_)));
  out_.raw(",\"args\":{\"read\":");
  out_.number(hbm_read);
  out_.raw(",\"write\":");
  out_.number(hbm_write);
  out_.raw("}");
  out_.close();
}

void ChromeTrace::end_counters() {
  for (const auto& [start, sample] : samples_) write_sample(sample);
  samples_.clear();
  if (sampling_) counter(sampled_until_, 0, 0, 0);
  sampling_ = false;
}

void ChromeTrace::launch_ends(const LaunchReport& report) {
  end_counters();
  out_.open("X", report.kernel, kDevicePid, kLaunchTid);
  out_.take(times(out_.room(kMostTimes), report.start, report.start + report.cycles));
  out_.member("args");
  out_.raw("{");
  out_.member("cycle_start", report.start);
  out_.member("cycle_end", report.start + report.cycles);
  out_.member("block_dim", report.block_dim);
  out_.member("queue_depth", queue_depth_);
  out_.raw("}");
  out_.close();
  reports_.push_back(boost::json::serialize(report_json(report)));
  out_.spill();
}

/// A port passes one transfer after the other, in parts of a cycle. One that is drawn longer than
/// it took, because viewers draw nothing shorter, moves those behind it.
SliceTime ChromeTrace::link_time(const PortPass& pass, std::uint64_t free_at) const {
  const auto at = [this](double cycle) {
    return static_cast<std::uint64_t>(std::llround(cycle * 1e6 / frequency_mhz_));
  };
  const std::uint64_t begin = std::max(at(pass.began), free_at);
  return {begin, std::max(at(pass.ended), begin + kShortestSlicePs) - begin};
}

void ChromeTrace::links(const std::vector<PortPass>& passes) {
  constexpr std::uint64_t kFirstTid = std::uint64_t{1} << 30;
  std::uint64_t tid = kFirstTid;
  std::uint64_t free_at = 0;
  const PortPass* before = nullptr;
  for (const PortPass& pass : passes) {
    const std::uint64_t pid = kLinksPid + pass.die;
    if (before == nullptr || before->die != pass.die) {
      out_.name("process_name", pid, tid, "die" + std::to_string(pass.die) + " links");
      sort_index("process_sort_index", pid, tid, kLinksPid + pass.die);
    }
    if (before == nullptr || before->die != pass.die || before->port != pass.port) {
      out_.name("thread_name", pid, ++tid, pass.port);
      free_at = 0;
    }
    before = &pass;
    const SliceTime time = link_time(pass, free_at);
    free_at = time.end();
    out_.open("X", std::to_string(pass.bytes) + " bytes", pid, tid);
    out_.take(write_slice_time(out_.room(kMostTimes), time));
    out_.member("args");
    out_.raw("{");
    out_.member(pass.out ? "to" : "from", pass.other);
    out_.member("bytes", pass.bytes);
    out_.member("waited_cycles", static_cast<Cycle>(pass.began - pass.came));
    out_.raw("}");
    out_.close();
    out_.spill();
  }
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

void ChromeTrace::sort_index(std::string_view kind, std::uint64_t pid, std::uint64_t tid,
                             std::uint64_t index) {
  out_.open("M", kind, pid, tid);
  out_.member("args");
  out_.raw("{");
  out_.member("sort_index", index);
  out_.raw("}");
  out_.close();
}

JsonText ChromeTrace::timestamp(JsonText text, std::uint64_t picoseconds) {
  text.member("ts");
  text.microseconds(picoseconds);
  // Viewers cut times down to nanoseconds after reading them as floating-point numbers. Half a
  // picosecond keeps a whole nanosecond from being read as a little less; as durations have none,
  // cutting never makes a slice reach into the next.
  text.put('5');
  return text;
}

JsonText ChromeTrace::write_slice_time(JsonText text, const SliceTime& time) {
  text = timestamp(text, time.begin);
  text.member("dur");
  text.microseconds(time.length);
  return text;
}

JsonText ChromeTrace::times(JsonText text, Cycle start, Cycle end) const {
  return write_slice_time(text, slice_time(start, end, frequency_mhz_));
}

}  // namespace davsim::traces
