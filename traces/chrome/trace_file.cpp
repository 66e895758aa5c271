#include "traces/chrome/trace_file.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "traces/chrome/chrome_trace.hpp"
#include "traces/chrome/json_elements.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

std::string_view text(const json::value& value) {
  return value.as_string();
}

std::optional<isa::Pipe> pipe_named(std::string_view name) {
  for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
    if (isa::pipe_name(static_cast<isa::Pipe>(i)) == name) return static_cast<isa::Pipe>(i);
  }
  return std::nullopt;
}

Cycle cycles(const json::object& args, const char* key) {
  const json::value* value = args.if_contains(key);
  return value == nullptr ? 0 : value->to_number<Cycle>();
}

/// A core as its process is described: its name and place, without events.
TimelineCore core_in(const json::object& args) {
  TimelineCore core;
  core.name = text(args.at("name"));
  const bool cube = text(args.at(kTypeMember)) == isa::core_type_name(isa::CoreType::AIC);
  core.type = cube ? isa::CoreType::AIC : isa::CoreType::AIV;
  core.ai_core = args.at(kAiCoreMember).to_number<std::uint32_t>();
  core.sub_block = args.at(kSubBlockMember).to_number<std::uint32_t>();
  return core;
}

EventKind kind_named(std::string_view mnemonic) {
  for (std::size_t i = 0; i < isa::kOpcodeCount; ++i) {
    if (isa::kOpcodeInfo[i].mnemonic == mnemonic) return kind_of(static_cast<isa::Opcode>(i));
  }
  return EventKind::kWork;
}

/// The bytes of global memory of an instruction, as `write_operands` and `write_params` put them.
void read_global(const json::object& args, TimelineEvent& event) {
  constexpr std::string_view kGlobal = "GM+0x";
  for (const bool write : {true, false}) {
    const json::value* operand = args.if_contains(write ? "dst" : "src0");
    if (operand == nullptr || !text(*operand).starts_with(kGlobal)) continue;
    const std::string digits(text(*operand).substr(kGlobal.size()));
    const std::uint64_t from = std::stoull(digits, nullptr, 16);
    if (!args.contains("burst_bytes")) return set_global(event, from, write, 1, 0, kGlobalWord);
    return set_global(event, from, write, cycles(args, "bursts"),
                      args.at(write ? "dst_pitch" : "src_pitch").to_number<std::int64_t>(),
                      cycles(args, "burst_bytes"));
  }
}

class Refusal : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

class TraceReader {
 public:
  std::vector<TracedLaunch> read(std::istream& stream);

 private:
  /// What a thread of the trace stands for.
  struct Row {
    std::size_t core = 0;
    std::optional<isa::Pipe> pipe;  ///< none: the core's blocks
  };

  void read_lines(std::istream& stream);
  void read_document(std::istream& stream, const std::string& first_line);
  void line(std::string_view text);
  void element(std::string_view text);
  void report(json::value value);
  void event(const json::object& event);
  void metadata(const json::object& event);
  void slice(const json::object& event);
  void instruction(const json::object& event, const Row& row);
  void block(const json::object& args, const Row& row);
  void launch(const json::object& args);
  void begin_launch();
  [[noreturn]] void fail(const std::string& what) const {
    throw Refusal("line " + std::to_string(line_number_) + ": " + what);
  }

  std::vector<TracedLaunch> launches_;
  Timeline timeline_;  ///< of the launch that is being read
  std::optional<TextTable> texts_;
  std::map<std::uint64_t, std::size_t> core_of_;  ///< by process id
  std::map<std::uint64_t, Row> rows_;             ///< by thread id
  std::vector<TimelineCore> cores_;               ///< without events
  std::map<std::string, EventKind, std::less<>> kinds_;
  TimelineEvent* last_ = nullptr;  ///< the arrow behind a slice belongs to it
  std::vector<json::object> reports_;
  std::size_t line_number_ = 0;
  bool in_reports_ = false, whole_ = false;
};

std::vector<TracedLaunch> TraceReader::read(std::istream& stream) {
  begin_launch();
  try {
    read_lines(stream);
  } catch (const Refusal&) {
    throw;
  } catch (const boost::system::system_error& error) {  // of Boost.JSON: syntax, kind, missing key
    fail("not what davsim writes: " + error.code().message());
  } catch (const std::exception& error) {
    fail(std::string("not what davsim writes: ") + error.what());
  }
  if (line_number_ == 0) fail("the file is empty");
  if (!whole_) fail("the trace ends before its end");
  if (reports_.size() > launches_.size()) fail("there are more reports than launches");
  if (reports_.size() != launches_.size()) fail("the trace does not hold a report of each launch");
  for (std::size_t i = 0; i < launches_.size(); ++i) launches_[i].report = std::move(reports_[i]);
  return std::move(launches_);
}

/// A trace as davsim writes it has one event a line. Another program may have written it again.
void TraceReader::read_lines(std::istream& stream) {
  std::string text;
  while (next_line(stream, text)) {
    ++line_number_;
    if (line_number_ > 1) {
      line(text);
    } else if (text != kTraceHead) {
      return read_document(stream, text + "\n");
    }
  }
}

void TraceReader::read_document(std::istream& stream, const std::string& first_line) {
  JsonElements elements(stream, first_line);
  if (!elements.is_object()) fail("this is no trace of davsim: it does not begin like one");
  while (elements.next()) {
    line_number_ = elements.line();
    if (elements.member() == "traceEvents") element(elements.text());
    if (elements.member() == "davsim_reports") report(json::parse(elements.text()));
  }
  line_number_ = elements.line();
  whole_ = elements.whole();
}

void TraceReader::line(std::string_view text) {
  if (whole_) fail("something follows the end of the trace");
  if (text == kTraceReports) {
    in_reports_ = true;
    return;
  }
  if (text == kTraceEnd) {
    whole_ = true;
    return;
  }
  if (text.ends_with(',')) text.remove_suffix(1);
  if (!in_reports_) return element(text);
  report(json::parse({text.data(), text.size()}));
}

void TraceReader::element(std::string_view text) {
  event(json::parse({text.data(), text.size()}).as_object());
}

void TraceReader::report(json::value value) {
  reports_.push_back(std::move(value.as_object()));
}

void TraceReader::event(const json::object& event) {
  const std::string_view phase = text(event.at("ph"));
  if (phase == "M") return metadata(event);
  if (phase == "X") return slice(event);
  if ((phase == "s" || phase == "f") && last_ != nullptr) {
    last_->flow = event.at("id").to_number<std::uint64_t>();
  }
}

void TraceReader::metadata(const json::object& event) {
  const std::string_view kind = text(event.at("name"));
  const auto pid = event.at("pid").to_number<std::uint64_t>();
  if (kind == "process_name") {
    if (pid == kDevicePid || pid >= kLinksPid) return;
    const json::object& args = event.at("args").as_object();
    if (!args.contains(kAiCoreMember)) fail("no place of the core: an older davsim wrote this");
    core_of_[pid] = cores_.size();
    cores_.push_back(core_in(args));
  } else if (kind == "thread_name" && core_of_.contains(pid)) {
    const std::string_view name = text(event.at("args").at("name"));
    const auto pipe = pipe_named(name.substr(0, name.find('.')));
    if (!pipe && name != kBlocksRow) fail("unknown row '" + std::string(name) + "'");
    rows_[event.at("tid").to_number<std::uint64_t>()] = {core_of_.at(pid), pipe};
  }
}

void TraceReader::slice(const json::object& event) {
  const json::object& args = event.at("args").as_object();
  const auto row = rows_.find(event.at("tid").to_number<std::uint64_t>());
  last_ = nullptr;
  if (event.at("pid").to_number<std::uint64_t>() >= kLinksPid) return;
  if (row == rows_.end()) return launch(args);
  if (timeline_.cores.size() < cores_.size()) timeline_.cores.resize(cores_.size());
  TimelineCore& core = timeline_.cores[row->second.core];
  if (core.name.empty()) core = cores_[row->second.core];
  if (row->second.pipe) {
    instruction(event, row->second);
  } else {
    block(args, row->second);
  }
}

void TraceReader::instruction(const json::object& event, const Row& row) {
  const json::object& args = event.at("args").as_object();
  const std::string_view name = text(event.at("name"));
  auto kind = kinds_.find(name);
  if (kind == kinds_.end()) kind = kinds_.emplace(name, kind_named(name)).first;
  TimelineEvent e;
  e.start = args.at("cycle_start").to_number<Cycle>();
  e.end = args.at("cycle_end").to_number<Cycle>();
  e.dispatched = args.at("cycle_dispatched").to_number<Cycle>();
  if (e.end < e.start) fail("an instruction ends before it starts");
  for (const CycleClass stall :
       {CycleClass::kMemory, CycleClass::kBankConflict, CycleClass::kFetch}) {
    const std::string member = std::string(cycle_class_name(stall)).append(kStallSuffix);
    if (const Cycle n = cycles(args, member.c_str()); n > 0) e.stalled = n, e.stall_class = stall;
  }
  e.held = cycles(args, kHeldMember);
  e.kind = kind->second;
  e.name = texts_->index(name);
  if (const json::value* line = args.if_contains("code")) e.line = texts_->index(text(*line));
  if (e.kind == EventKind::kWork) read_global(args, e);
  auto& events = timeline_.cores[row.core].pipes[static_cast<std::size_t>(*row.pipe)];
  events.push_back(e);
  last_ = &events.back();
}

void TraceReader::block(const json::object& args, const Row& row) {
  timeline_.cores[row.core].blocks.push_back(
      {args.at("block").to_number<std::uint32_t>(), args.at("cycle_start").to_number<Cycle>(),
       args.at("cycle_issued").to_number<Cycle>(), args.at("cycle_end").to_number<Cycle>()});
}

/// The slice of a launch follows everything that belongs to the launch.
void TraceReader::launch(const json::object& args) {
  timeline_.start = args.at("cycle_start").to_number<Cycle>();
  timeline_.end = args.at("cycle_end").to_number<Cycle>();
  timeline_.queue_depth = args.at("queue_depth").to_number<std::uint32_t>();
  launches_.push_back({std::move(timeline_), {}});
  begin_launch();
}

void TraceReader::begin_launch() {
  timeline_ = {};
  texts_.emplace(timeline_.texts);
}

}  // namespace

std::vector<TracedLaunch> read_trace(std::istream& stream) {
  return TraceReader().read(stream);
}

}  // namespace davsim::traces
