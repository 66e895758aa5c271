// davsim run: one operator on one SoC.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>
#include <optional>

#include "checker/stale_values.hpp"
#include "cli/checking.hpp"
#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/exports.hpp"
#include "cli/guard.hpp"
#include "cli/output_files.hpp"
#include "cli/progress.hpp"
#include "cli/result.hpp"
#include "cli/roofline.hpp"
#include "cli/run_files.hpp"
#include "cli/work.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

/// Copies of the in-place tensors before the run. They are outside the device's memory. A copy in
/// the device's memory would change the addresses of later allocations, and with them the cycles.
class Originals {
 public:
  Originals(const Work& work, const operators::Call& call, const sim::SocConfig& soc)
      : memory_(soc.hbm_bytes()), tensors_(reference::copy_in_place(*work.op, call, memory_)) {}

  const operators::TensorMap& tensors() const { return tensors_; }
  void restore(const operators::Call& call) const {
    for (const auto& [name, original] : tensors_) {
      std::copy_n(original.data(), original.bytes(), call.tensors.at(name).data());
    }
  }

 private:
  memory::GlobalMemory memory_;
  operators::TensorMap tensors_;
};

struct RunOptions {
  Work work;
  std::string soc;
  bool functional = false, check = false, check_numbers = false, as_json = false, quiet = false;
  bool output_taken = false;  ///< standard output is one of the files
  std::uint32_t threads = 2;
};

void refuse_timed_options(const po::variables_map& values) {
  std::vector<std::string> timed = Exports::options();
  timed.insert(timed.end(), {"l2", "max-cycles"});
  for (const std::string& option : timed) {
    if (!is_given(values, option)) continue;
    throw UsageError("--functional has no time: --" + option + " means nothing with it");
  }
}

void refuse_options_about_values(const po::variables_map& values) {
  for (const std::string option : {"functional", "check", "check-numbers", "outputs"}) {
    if (!is_given(values, option)) continue;
    throw UsageError("--times-only computes no values: --" + option + " means nothing with it");
  }
}

std::vector<std::string> output_options() {
  std::vector<std::string> options = RunFiles::output_options();
  for (std::string& option : Exports::output_options()) options.push_back(std::move(option));
  return options;
}

RunOptions run_options(const po::variables_map& values) {
  RunOptions options;
  options.work = work_of(values);
  options.soc = values.count("soc") > 0 ? text_option(values, "soc") : default_soc(options.work);
  options.functional = flag_option(values, "functional");
  options.check_numbers = flag_option(values, "check-numbers");
  options.check = flag_option(values, "check") || options.check_numbers;
  options.as_json = flag_option(values, "json");
  options.quiet = flag_option(values, "quiet");
  const std::string threads = text_option(values, "threads");
  if (!threads.empty() && threads != "1" && threads != "2") {
    throw UsageError("--threads is '" + threads + "'; it is 1 or 2");
  }
  options.threads = threads == "1" ? 1 : 2;
  options.output_taken = writes_standard_output(values, output_options());
  if (options.output_taken && options.as_json) {
    throw UsageError("--json prints on standard output, where a file is written as well");
  }
  if (options.functional) refuse_timed_options(values);
  if (options.work.times_only) refuse_options_about_values(values);
  return options;
}

/// Throws WrongResultError for a case about a refusal, because the operator accepted the call.
void expect_acceptance(const Work& work) {
  if (work.verify && work.example != nullptr && work.example->refused) {
    throw WrongResultError("case " + work.example->id +
                           " was accepted; it ought to be refused with " +
                           std::string(operators::error_class_name(*work.example->refused)));
  }
}

/// Runs a call that the operator accepts, a first time unobserved for a warm L2.
operators::RunResult simulate(const Work& work, const operators::Call& call,
                              const Originals* originals, Exports& exports, sim::Device& device) {
  if (work.warm) {
    operators::run(*work.op, call, device);
    originals->restore(call);
  }
  const Exports::Attached attached(device, exports);
  return operators::run(*work.op, call, device);
}

Result new_result(const RunOptions& options, const sim::SocConfig& soc, const RunFiles& files,
                  const Exports& exports) {
  const Work& work = options.work;
  Result result;
  result.op = work.op;
  result.soc = &soc;
  result.set = work.set;
  result.warm = work.warm;
  result.outputs = files.outputs_path();
  result.report_file = files.report_path();
  result.exported = exports.outputs();
  if (work.example != nullptr) result.case_id = work.example->id;
  return result;
}

/// Runs the call, returns its tensors, and completes `result`.
operators::TensorMap run_call(const RunOptions& options, operators::Call& call, Exports& exports,
                              sim::Device& device, Result& result) {
  const Work& work = options.work;
  const std::string& name = work.op->info().name;
  const sim::SocConfig& soc = *result.soc;
  const Progress progress("davsim: " + name + " on " + soc.name(),
                          !options.quiet && !options.as_json);
  call = operators::validated(*work.op, std::move(call), soc);
  expect_acceptance(work);
  result.warnings = work.op->warnings(call, options.check);
  const reference::Reference* reference =
      work.example != nullptr && work.verify ? reference::find_reference(name) : nullptr;
  std::optional<Originals> originals;
  if (reference != nullptr || work.warm) originals.emplace(work, call, soc);
  operators::RunResult left =
      simulate(work, call, originals ? &*originals : nullptr, exports, device);
  result.report = left.report;
  if (!work.times_only) {
    for (std::string& text : work.op->remarks(call, left.outputs)) {
      result.warnings.push_back(std::move(text));
    }
  }
  result.cost = work.op->cost(call);
  if (reference != nullptr) {
    result.verified = true;
    result.comparisons = reference->compare_results(call, originals->tensors(), left.outputs);
  }
  return std::move(left.outputs);
}

void write_files(RunFiles& files, Exports& exports, const operators::TensorMap& outputs,
                 const Result& result) {
  traces::FinishedRun run;
  if (files.wants_report() || !exports.empty()) {
    run = {result.title(), report_json(result), peaks_json(*result.soc)};
  }
  exports.finish(run);
  files.write(outputs, run.report);
  files.commit();
  exports.commit();
}

void print(const RunOptions& options, const Exports& exports, const Result& result) {
  if (options.as_json) {
    json::object object = result_json(result);
    for (traces::PrintedResult& printed : exports.printed()) {
      object[printed.member] = std::move(printed.json);
    }
    std::cout << json::serialize(object) << "\n";
    return;
  }
  if (options.quiet) return;
  for (const std::string& text : result.warnings) std::cerr << "davsim: warning: " << text << "\n";
  std::ostream& out = options.output_taken ? std::cerr : std::cout;
  out << result_text(result);
  if (!options.check && result.report.timed) {
    out << "--check looks for accesses that nothing orders\n";
  }
  for (const traces::PrintedResult& printed : exports.printed()) out << "\n" << printed.text;
}

std::string failed_tensors(const Result& result) {
  std::string names;
  for (const reference::Comparison& comparison : result.comparisons) {
    if (!comparison.passed) names += (names.empty() ? "" : ", ") + comparison.tensor;
  }
  return names;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const RunOptions options = run_options(values);
  const Work& work = options.work;
  const sim::SocConfig soc = soc_config(options.soc, work.set);
  const RunGuard guard(work.host_timeout, work.op->info().name, {.json = options.as_json});
  require_distinct_outputs(values, output_options());
  RunFiles files(values);
  Exports exports(values);

  checker::StaleValues stale;
  sim::Device device(soc, {.mode = options.functional ? sim::Mode::kFunctional : sim::Mode::kTimed,
                           .max_cycles = work.max_cycles,
                           .values = !work.times_only,
                           .threads = options.threads,
                           .lines = files.wants_report() || exports.needs_lines()});
  operators::Call call = load_call(work, soc, device.memory());
  files.save_call(call);

  Result result = new_result(options, soc, files, exports);
  std::optional<Checking> checking;
  if (options.check)
    checking.emplace(device, checker::Options{.numbers = options.check_numbers,
                                              .functional = options.functional});
  if (work.times_only) device.check(&stale);
  operators::TensorMap outputs;
  try {
    outputs = run_call(options, call, exports, device, result);
  } catch (const isa::Fault&) {
    if (checking) checking->require_none();  // the fault is one of several findings
    throw;
  }
  if (checking) result.allowed_findings = checking->silenced();
  // A result may be wrong without anybody saying so; one line is enough to look further.
  if (const std::string found = device.suspicion(); !checking && !found.empty()) {
    std::cerr << "davsim: warning: " << found << "; --check tells more\n";
  }

  write_files(files, exports, outputs, result);
  print(options, exports, result);
  if (checking) checking->require_none(result.verdict());
  if (result.failed()) {
    throw WrongResultError("the result differs from the reference in " + failed_tensors(result));
  }
  return kDone;
}

constexpr const char* kDescription =
    R"(Runs one operator on one simulated SoC: checks the call, runs the kernel on the tensors, and
says how long it took and where the time went. Times are simulated: core time from the launch
to the end of the last core, task time with the overhead of a launch.

The work is either an example case of the operator (--case), whose result is compared with a
reference computation, or your own tensors (--inputs, or made up: --tensor) and attributes
(--attrs, --attr).
Tensors that the operator updates in place (caches) are inputs and appear in --outputs as well.

Exit status:
   0  done
   1  the run ended, but the result of the case differs from the reference (files are written)
   2  wrong usage: unknown option, operator, SoC or case, unreadable or malformed file
   3  the operator refused the call; the message names the rule; nothing is written
   4  the kernel went wrong: fault, deadlock, crash, --max-cycles or --host-timeout reached;
      nothing is written. Or --check found something; files are written if the run ended
  70  an error in davsim itself
An output file appears whole at the end of the run or not at all; only --save-inputs and
--save-attrs are written before, because a refused call is worth keeping. "-" stands for standard
input and standard output; files may also be pipes and /dev/null.)";

constexpr const char* kExamples =
    R"(  davsim run rope_quant_kvcache --case RQK-3
  davsim run rope_quant_kvcache --case RQK-3 --soc Ascend910B1 --l2 warm --trace trace.json
  davsim run rope_quant_kvcache --case RQK-2 --save-inputs in.safetensors --save-attrs a.json
  davsim run rope_quant_kvcache --inputs in.safetensors --attrs a.json --outputs out.safetensors
  davsim run matmul --tensor a=float16[256,512] --tensor b=float16[512,256]
)";

void add_options(po::options_description& options) {
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  options.add_options()(
      "soc", text("SOC"),
      "SoC to run on (`davsim list`), or a description file of your own (path or *.ini). Default: "
      "the one the case is about, or else Ascend910B3");
  add_work_options(options.add_options());
  Exports::add_options(options.add_options());
  RunFiles::add_options(options.add_options());
  auto add = options.add_options();
  add("check", po::bool_switch(),
      "look for what a device would punish silently: races, reads of bytes that nobody wrote, "
      "accesses outside a tensor, misuse of queues and flags (docs/checker.md); also warn of what "
      "is legal but likely a mistake, such as tokens that are written to one row of a cache");
  add("check-numbers", po::bool_switch(),
      "--check, and report the first instruction that makes NaN or infinity, and casts that "
      "saturate");
  add("functional", po::bool_switch(),
      "compute the results only, without time: much faster, no cycles, no trace");
  add("threads", text("1|2"),
      "2, the default: one thread keeps the time and one computes the results; 1: both in one, for "
      "many runs side by side. Results and cycles are the same");
  add("json", po::bool_switch(),
      "print the result as one JSON object on standard output, errors as one on standard error");
  add("quiet", po::bool_switch(), "print errors only");
}

Command make_command() {
  Command command;
  command.name = "run";
  command.summary = "run an operator on a simulated SoC";
  command.usage = "OPERATOR (--case ID | --inputs FILE | --tensor NAME=TYPE[SIZES] ...) [options]";
  command.positional = "OPERATOR";
  command.description = kDescription;
  command.examples = kExamples;
  add_options(command.options);
  command.run = run;
  return command;
}

}  // namespace

const Command& run_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
