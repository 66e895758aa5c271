#include "cli/system_operator_run.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <charconv>
#include <memory>
#include <new>
#include <optional>

#include "checker/stale_values.hpp"
#include "cli/checking.hpp"
#include "cli/errors.hpp"
#include "cli/guard.hpp"
#include "cli/options.hpp"
#include "cli/output_files.hpp"
#include "cli/system_result.hpp"
#include "cli/table.hpp"
#include "cli/work.hpp"
#include "io/safetensors.hpp"
#include "io/text_file.hpp"
#include "kernels/registry/system_operator.hpp"
#include "reference/system_reference.hpp"
#include "session/link_passes.hpp"
#include "session/ranks.hpp"
#include "traces/chrome/chrome_trace.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using operators::SystemCall;
using operators::SystemOperator;

struct SystemWork {
  const SystemOperator* op = nullptr;
  std::vector<operators::SystemCase> cases;
  const operators::SystemCase* example = nullptr;
  std::string inputs;
  bool verify = true, as_json = false;
};

const SystemOperator& system_operator_named(const std::string& name) {
  if (const SystemOperator* op = operators::find_system_operator(name)) return *op;
  std::vector<std::string> known;
  for (const SystemOperator* op : operators::all_system_operators()) {
    known.push_back(op->info().name);
  }
  throw UsageError("there is no operator of several dies called '" + name + "'; there are " +
                   joined(known) + did_you_mean(name, known));
}

SystemWork work_of_system(const po::variables_map& values, const std::string& name) {
  SystemWork work;
  work.op = &system_operator_named(name);
  work.cases = work.op->cases();
  work.inputs = text_option(values, "inputs");
  work.verify = !flag_option(values, "no-check");
  work.as_json = flag_option(values, "json");
  if (is_given(values, "case") == is_given(values, "inputs")) {
    throw UsageError("give either --case ID or --inputs FILE; `davsim describe " + name +
                     "` lists the cases and the tensors");
  }
  if (!is_given(values, "case")) return work;
  const std::string id = text_option(values, "case");
  std::vector<std::string> known;
  for (const operators::SystemCase& each : work.cases) {
    if (each.example.id == id) work.example = &each;
    known.push_back(each.example.id);
  }
  if (work.example == nullptr) {
    throw UsageError(name + " has no case '" + id + "'; its cases are: " + joined(known) +
                     did_you_mean(id, known));
  }
  return work;
}

/// "x.3": tensor x of rank 3. A name without number is that of all ranks.
struct RankedName {
  std::string name;
  std::int64_t rank = -1;
};
RankedName ranked(const std::string& text) {
  const std::size_t dot = text.rfind('.');
  std::int64_t rank = -1;
  if (dot == std::string::npos) return {text, -1};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + dot + 1, end, rank);
  if (error != std::errc() || stop != end || rank < 0) return {text, -1};
  return {text.substr(0, dot), rank};
}

SystemCall read_inputs(const SystemWork& work, sim::Device& device) {
  SystemCall call(device.dies());
  memory::GlobalMemory staging(device.soc().hbm_bytes());
  for (const auto& [text, tensor] : io::read_safetensors(work.inputs, staging)) {
    const RankedName name = ranked(text);
    if (name.rank >= static_cast<std::int64_t>(call.size())) {
      throw UsageError(work.inputs + ": tensor '" + text +
                       "' is of a rank that the system lacks; " + "ranks are 0 to " +
                       std::to_string(call.size() - 1));
    }
    for (std::uint32_t rank = 0; rank < call.size(); ++rank) {
      if (name.rank >= 0 && rank != name.rank) continue;
      // A tensor with a rank wins over one for all; names are in order, so it comes behind.
      call[rank].tensors.insert_or_assign(name.name, tensor.clone(device.memory(rank), text));
    }
  }
  return call;
}

SystemCall load_system_call(const SystemWork& work, const po::variables_map& values,
                            sim::Device& device) {
  SystemCall call;
  try {
    if (work.example != nullptr) {
      std::vector<memory::GlobalMemory*> memories;
      for (std::uint32_t die = 0; die < device.dies(); ++die) {
        memories.push_back(&device.memory(die));
      }
      call = work.op->make_case(work.example->example.id, memories);
    } else {
      call = read_inputs(work, device);
    }
  } catch (const std::bad_alloc&) {
    throw UsageError("the tensors of the call do not fit in the global memory of the dies");
  }
  for (operators::Call& part : call) {
    read_attributes(work.op->info(), text_option(values, "attrs"), list_option(values, "attr"),
                    part.attributes);
  }
  work.op->number_ranks(call);
  return call;
}

/// All tensors of a run in one map, "x.0", "x.1", ...
operators::TensorMap by_rank(const std::vector<operators::TensorMap>& ranks) {
  operators::TensorMap all;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [name, tensor] : ranks[rank]) {
      all.emplace(name + "." + std::to_string(rank), tensor);
    }
  }
  return all;
}

/// The trace of a run: what the cores of all dies and their links did.
class SystemTrace {
 public:
  SystemTrace(const std::string& path, sim::Device& device)
      : file_(path), trace_(file_.stream()), device_(device) {
    device_.communicators()->keep_link_uses();
    device_.attach(&trace_);
  }
  ~SystemTrace() { device_.attach(nullptr); }
  SystemTrace(const SystemTrace&) = delete;
  SystemTrace& operator=(const SystemTrace&) = delete;

  void finish() {
    device_.attach(nullptr);
    trace_.links(session::link_passes(device_.communicators()->link_uses()));
    trace_.finish();
    file_.commit();
  }

 private:
  io::TextFile file_;
  traces::ChromeTrace trace_;
  sim::Device& device_;
};

double last_cycle(const std::vector<observe::LaunchReport>& reports) {
  observe::Cycle last = 0;
  for (const observe::LaunchReport& report : reports) last = std::max(last, report.cycles);
  return static_cast<double>(last);
}

/// Hands the first process the results of the dies of the others.
void gather(const std::vector<operators::TensorMap>& outputs, const sim::Device& device,
            sim::RankGroup& group) {
  constexpr std::uint64_t kPiece = std::uint64_t{256} << 20;
  for (std::uint32_t die = 0; die < outputs.size(); ++die) {
    for (const auto& [name, tensor] : outputs[die]) {
      for (std::uint64_t at = 0; at < tensor.bytes(); at += kPiece) {
        auto* const start = reinterpret_cast<char*>(tensor.gm()) + at;
        const std::uint64_t bytes = std::min(kPiece, tensor.bytes() - at);
        std::vector<std::string> to(group.ranks());
        if (device.has_die(die) && group.rank() > 0) to[0].assign(start, bytes);
        const auto from = group.exchange(to, 0).from;
        if (group.rank() > 0) continue;
        for (const std::string& part : from) std::copy(part.begin(), part.end(), start);
      }
    }
  }
}

operators::SystemRunResult run_checked(const SystemOperator& op, const SystemCall& call,
                                       sim::Device& device,
                                       const std::optional<Checking>& checking) {
  try {
    return operators::run(op, call, device);
  } catch (const isa::Fault&) {
    if (checking) checking->require_none();  // the fault is one of several findings
    throw;
  }
}

SystemResult result_of_run(const SystemWork& work, const sim::SystemConfig& system,
                           const SystemCall& call, const operators::SystemRunResult& run,
                           sim::Device& device) {
  SystemResult result;
  result.operator_name = work.op->info().name;
  if (work.example != nullptr) result.example = work.example->example.id;
  result.system = system.name();
  result.soc = device.soc().name();
  result.ranks = device.dies();
  for (const observe::LaunchReport& report : run.reports) {
    result.rank_us.push_back(report.time_us());
  }
  result.timed = run.reports.front().timed;
  if (result.timed) {
    result.cycles = last_cycle(run.reports);
    result.links = link_report(device, result.cycles);
    result.bus_gb_per_s = work.op->received_bytes(call, device.soc()) / result.time_us() / 1e3;
    result.tflops = work.op->cube_flops(call) / result.time_us() / 1e6;
  }
  const auto* reference = reference::find_system_reference(work.op->info().name);
  if (work.example == nullptr || !work.verify || reference == nullptr) return result;
  result.verified = true;
  result.comparisons = reference->compare_results(call, run.outputs, device.soc().product());
  return result;
}

bool is_checked(const po::variables_map& values) {
  return flag_option(values, "check") || flag_option(values, "check-numbers");
}

/// Refuses what cannot run before anything is made, and leaves the dies of the case in the system.
void require_possible(const po::variables_map& values, const SystemWork& work,
                      sim::SystemConfig& system) {
  const std::string& name = work.op->info().name;
  if (flag_option(values, "times-only")) {
    if (work.op->needs_values()) {
      throw UsageError("--times-only: the kernels of " + name +
                       " poll flags in memory, which only runs with values write");
    }
    if (is_checked(values)) {
      throw UsageError("--times-only: the checker needs a run that computes values");
    }
  }
  if (flag_option(values, "functional")) {
    for (const std::string option : {"times-only", "trace", "max-cycles"}) {
      if (!is_given(values, option)) continue;
      throw UsageError("--functional has no time: --" + option + " means nothing with it");
    }
  }
  if (work.example != nullptr) {
    if (system.dies() < work.example->ranks) {
      throw UsageError("case " + work.example->example.id + " has " +
                       std::to_string(work.example->ranks) + " ranks, " + system.name() + " has " +
                       std::to_string(system.dies()) + " dies");
    }
    system.use_dies(work.example->ranks);
  }
  if (system.dies() < 2) throw UsageError(name + " needs at least 2 dies");
  require_distinct_outputs(values, {"outputs", "save-inputs", "save-attrs", "trace"}, {"SYSTEM"});
}

/// The files that a process writes besides the trace. One that does not print writes none.
class SystemFiles {
 public:
  SystemFiles(const po::variables_map& values, bool prints)
      : outputs_(prints ? pending_file(values, "outputs") : nullptr),
        inputs_(prints ? pending_file(values, "save-inputs") : nullptr),
        attributes_(prints ? pending_file(values, "save-attrs") : nullptr) {}

  void write_call(const SystemCall& call) {
    if (inputs_) {
      std::vector<operators::TensorMap> tensors;
      for (const operators::Call& part : call) tensors.push_back(part.tensors);
      io::write_safetensors(inputs_->stream(), by_rank(tensors));
      inputs_->commit();
    }
    if (attributes_) {
      attributes_->stream() << json::serialize(call.front().attributes) << "\n";
      attributes_->commit();
    }
  }
  void write_outputs(const std::vector<operators::TensorMap>& outputs) {
    if (!outputs_) return;
    io::write_safetensors(outputs_->stream(), by_rank(outputs));
    outputs_->commit();
  }

 private:
  std::unique_ptr<io::PendingFile> outputs_, inputs_, attributes_;
};

/// The call as its operator accepts it.
SystemCall accepted(const SystemWork& work, SystemCall call, const sim::SocConfig& soc) {
  call = operators::validated(*work.op, std::move(call), soc);
  if (work.example != nullptr && work.verify && work.example->example.refused) {
    throw WrongResultError(
        "case " + work.example->example.id + " was accepted; it ought to be refused with " +
        std::string(operators::error_class_name(*work.example->example.refused)));
  }
  return call;
}

}  // namespace

void add_system_operator_options(po::options_description_easy_init add) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  add("case", text("ID"), "an example case of OPERATOR, on the first dies of SYSTEM");
  add("inputs", text("FILE"),
      "tensors of OPERATOR from a safetensors file: 'x.3' is tensor x of rank 3, 'x' that of all");
  add("attrs", text("FILE"), "attributes from a file with one JSON object, for all ranks");
  add("attr", po::value<std::vector<std::string>>()->composing()->value_name("NAME=VALUE"),
      "set one attribute; may be repeated");
  add("outputs", text("FILE"), "write the outputs of all ranks to a safetensors file");
  add("save-inputs", text("FILE"), "write the tensors of the call");
  add("save-attrs", text("FILE"), "write the attributes of rank 0 as JSON");
  add("no-check", po::bool_switch(), "do not compare the result of a case with its reference");
  add("check", po::bool_switch(),
      "look for races and other mistakes in the kernels of all dies; status 4 if there are any");
  add("check-numbers", po::bool_switch(), "the same, and report NaN, infinity and saturation");
  add("functional", po::bool_switch(), "results only, no simulated time; in one process");
  add("max-cycles", text("N"), "stop after N simulated cycles, with status 4");
  add("host-timeout", text("SECONDS"),
      "stop after so many seconds of wall time, with status 4; 0: never. Default 600");
}

std::vector<std::string> system_operator_options() {
  return {"case",        "inputs",     "attrs",       "attr",  "outputs",
          "save-inputs", "save-attrs", "no-check",    "check", "check-numbers",
          "functional",  "max-cycles", "host-timeout"};
}

int run_system_operator(const po::variables_map& values, sim::SystemConfig system,
                        const std::string& operator_name,
                        const std::vector<std::string>& arguments) {
  SystemWork work = work_of_system(values, operator_name);
  require_possible(values, work, system);
  const bool times_only = flag_option(values, "times-only");
  work.verify = work.verify && !times_only;
  const sim::SocConfig soc = soc_config(system.soc(), list_option(values, "set"));
  const auto timeout =
      static_cast<unsigned>(number_option(values, "host-timeout", 600, 100'000'000));
  const RunGuard guard(timeout, operator_name, {.json = work.as_json});
  sim::RankGroup* group = session::rank_group();
  const bool prints = group == nullptr || group->rank() == 0;
  if (group != nullptr) session::require_alike(*group, joined(arguments, " "));
  const bool traced = is_given(values, "trace");
  const bool functional = flag_option(values, "functional");
  // One process has to see all instructions.
  const bool alone = traced || functional || is_checked(values);
  if (alone && !prints) return kDone;
  if (alone) group = nullptr;

  SystemFiles files(values, prints);
  sim::DeviceOptions options;
  options.max_cycles = number_option(values, "max-cycles", 0, ~std::uint64_t{0});
  if (functional) options.mode = sim::Mode::kFunctional;
  options.values = !times_only;
  options.lines = traced;
  options.group = group;
  checker::StaleValues stale;
  sim::Device device(soc, system, options);
  std::optional<Checking> checking;
  SystemCall call = load_system_call(work, values, device);
  files.write_call(call);
  call = accepted(work, std::move(call), soc);
  std::unique_ptr<SystemTrace> trace;
  if (traced) trace = std::make_unique<SystemTrace>(text_option(values, "trace"), device);
  if (is_checked(values)) {
    checking.emplace(device, checker::Options{.numbers = flag_option(values, "check-numbers"),
                                              .functional = functional});
  }
  if (times_only) device.check(&stale);
  const operators::SystemRunResult run = run_checked(*work.op, call, device, checking);
  if (times_only) device.check(nullptr);
  if (trace) trace->finish();
  if (group != nullptr && !times_only) gather(run.outputs, device, *group);
  const SystemResult result = result_of_run(work, system, call, run, device);
  if (!prints) return kDone;
  files.write_outputs(run.outputs);
  (work.as_json ? print_json : print_text)(result);
  if (checking) checking->require_none(result.verdict());
  if (result.failed()) throw WrongResultError("the result differs from the reference");
  return kDone;
}

}  // namespace davsim::cli
