// davsim run: one operator on one SoC.
#include <unistd.h>

#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "checker/checker.hpp"
#include "checker/finding_json.hpp"
#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/guard.hpp"
#include "cli/html.hpp"
#include "cli/progress.hpp"
#include "cli/result.hpp"
#include "cli/watchers.hpp"
#include "cli/work.hpp"
#include "io/pending_file.hpp"
#include "io/safetensors.hpp"
#include "traces/analysis/explanation.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;
using io::PendingFile;

/// Files the user asked for. They exist as temporary files from the start.
struct Files {
  std::unique_ptr<PendingFile> outputs, report, html, inputs, attrs;
};

Files files_of(const po::variables_map& values, std::set<std::string>& paths) {
  Files files;
  files.outputs = pending(values, "outputs", paths);
  files.report = pending(values, "report", paths);
  files.html = pending(values, "html", paths);
  files.inputs = pending(values, "save-inputs", paths);
  files.attrs = pending(values, "save-attrs", paths);
  return files;
}

std::string path_of(const std::unique_ptr<PendingFile>& file) {
  return file ? file->path() : "";
}

void save_call(const ops::Call& call, Files& files) {
  if (files.inputs) {
    io::write_safetensors(files.inputs->stream(), call.tensors);
    files.inputs->commit();
  }
  if (files.attrs) {
    files.attrs->stream() << json::serialize(call.attributes) << "\n";
    files.attrs->commit();
  }
}

/// In-place tensors as they were, outside the device: a copy there would move what is allocated
/// after it, and the cycles with it.
class Originals {
 public:
  Originals(const Work& work, const ops::Call& call, const sim::SocConfig& soc)
      : memory_(soc.hbm_bytes()), tensors_(reference::copy_in_place(*work.op, call, memory_)) {}

  const ops::TensorMap& tensors() const { return tensors_; }
  void restore(const ops::Call& call) const {
    for (const auto& [name, original] : tensors_) {
      std::copy_n(original.data(), original.bytes(), call.tensors.at(name).data());
    }
  }

 private:
  memory::GlobalMemory memory_;
  ops::TensorMap tensors_;
};

/// A checker for as long as it lives.
class Checking {
 public:
  Checking(sim::Device& device, const checker::Options& options)
      : device_(device), checker_(options) {
    device_.check(&checker_);
  }
  ~Checking() { device_.check(nullptr); }
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

  std::size_t silenced() const {
    return checker_.findings().all().size() - checker_.findings().open();
  }
  /// Throws FindingsError if there is a finding that no source line silences.
  void require_none() const {
    const checker::Findings& findings = checker_.findings();
    if (findings.open() == 0) return;
    throw FindingsError(checker::text_of(findings), checker::json_of(findings), findings.open());
  }

 private:
  sim::Device& device_;
  checker::Checker checker_;
};

/// Runs the checked call, a first time unobserved for a warm L2.
ops::RunResult simulate(const Work& work, const ops::Call& call, const Originals* originals,
                        Watchers& watchers, sim::Device& device) {
  if (work.warm) {
    ops::run(*work.op, call, device);
    originals->restore(call);
  }
  const Watchers::Attached attached(device, watchers);
  ops::RunResult result = ops::run(*work.op, call, device);
  watchers.finish();
  return result;
}

/// A case of the operator's page that is about a refusal must not get this far.
void expect_acceptance(const Work& work) {
  if (work.check && work.example != nullptr && work.example->refused) {
    throw CheckError("case " + work.example->id + " was accepted; it ought to be refused with " +
                     std::string(ops::error_class_name(*work.example->refused)));
  }
}

void write_files(Files& files, Watchers& watchers, const ops::RunResult& run,
                 const Result& result) {
  if (files.outputs) io::write_safetensors(files.outputs->stream(), run.outputs);
  if (files.report) files.report->stream() << json::serialize(report_json(result)) << "\n";
  if (files.html) write_run_page(files.html->stream(), result, watchers.timeline());
  for (PendingFile* file : {files.outputs.get(), files.report.get(), files.html.get()}) {
    if (file != nullptr) file->commit();
  }
  watchers.commit();
}

std::string failed_tensors(const Result& result) {
  std::string names;
  for (const reference::Comparison& comparison : result.comparisons) {
    if (!comparison.passed) names += (names.empty() ? "" : ", ") + comparison.tensor;
  }
  return names;
}

struct RunOptions {
  Work work;
  std::string soc;
  bool functional = false, thorough = false, numbers = false, as_json = false, quiet = false;
  std::uint32_t threads = 2;
};

RunOptions run_options(const po::variables_map& values) {
  RunOptions options;
  options.work = work_of(values);
  options.soc = text_option(values, "soc");
  if (options.soc.empty()) options.soc = default_soc(options.work);
  options.functional = flag_option(values, "functional");
  options.numbers = flag_option(values, "check-numbers");
  options.thorough = flag_option(values, "check") || options.numbers;
  options.as_json = flag_option(values, "json");
  options.quiet = flag_option(values, "quiet");
  const std::string threads = text_option(values, "threads");
  if (!threads.empty() && threads != "1" && threads != "2") {
    throw UsageError("--threads is '" + threads + "'; it is 1 or 2");
  }
  options.threads = threads == "1" ? 1 : 2;
  std::vector<const char*> timed = Watchers::timed_options();
  timed.insert(timed.end(), {"l2", "max-cycles"});
  for (const char* option : timed) {
    if (options.functional && is_given(values, option)) {
      throw UsageError(std::string("--functional has no time: --") + option +
                       " means nothing with it");
    }
  }
  return options;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const RunOptions options = run_options(values);
  const Work& work = options.work;
  const std::string name = work.op->info().name;
  const sim::SocConfig soc = soc_config(options.soc, work.set);
  const RunGuard guard(work.host_timeout, name, options.as_json);
  std::set<std::string> paths;
  Files files = files_of(values, paths);
  Watchers watchers(values, paths);

  sim::Device device(soc, {.mode = options.functional ? sim::Mode::kFunctional : sim::Mode::kTimed,
                           .max_cycles = work.max_cycles,
                           .threads = options.threads,
                           .lines = files.report != nullptr || watchers.wants_lines()});
  ops::Call call = load_call(work, soc, device.memory());
  save_call(call, files);

  Result result;
  result.op = work.op;
  result.soc = &soc;
  result.set = work.set;
  result.warm = work.warm;
  result.outputs = path_of(files.outputs);
  result.report_file = path_of(files.report);
  result.watched = watchers.outputs();
  if (files.html) result.watched.emplace_back("html", path_of(files.html));
  if (work.example != nullptr) result.case_id = work.example->id;

  ops::RunResult left;
  std::optional<Checking> checking;
  if (options.thorough) checking.emplace(device, checker::Options{.numbers = options.numbers});
  try {
    const Progress progress("davsim: " + name + " on " + soc.name(),
                            !options.quiet && !options.as_json);
    call = ops::checked(*work.op, std::move(call), soc);
    expect_acceptance(work);
    result.warnings = work.op->warnings(call, options.thorough);
    const reference::Reference* reference =
        work.example != nullptr && work.check ? reference::find_reference(name) : nullptr;
    std::optional<Originals> originals;
    if (reference != nullptr || work.warm) originals.emplace(work, call, soc);
    left = simulate(work, call, originals ? &*originals : nullptr, watchers, device);
    result.report = left.report;
    for (std::string& text : work.op->remarks(call, left.outputs)) {
      result.warnings.push_back(std::move(text));
    }
    result.cost = work.op->cost(call);
    if (reference != nullptr) {
      result.checked = true;
      result.comparisons = reference->check(call, originals->tensors(), left.outputs);
    }
  } catch (const isa::Fault&) {
    if (checking) checking->require_none();  // the fault is one of several findings
    throw;
  }
  if (checking) result.allowed_findings = checking->silenced();

  const std::optional<json::object> explanation = watchers.explanation(result.report);
  write_files(files, watchers, left, result);
  if (!options.as_json && !options.quiet) {
    for (const std::string& text : result.warnings)
      std::cerr << "davsim: warning: " << text << "\n";
  }
  if (options.as_json) {
    json::object object = result_json(result);
    if (explanation) object["explanation"] = *explanation;
    std::cout << json::serialize(object) << "\n";
  } else if (!options.quiet) {
    std::cout << result_text(result);
    if (explanation) {
      std::cout << "\n" << traces::explanation_text(*explanation, kDefaultTop);
    }
  }
  if (checking) checking->require_none();
  if (result.failed()) {
    throw CheckError("the result differs from the reference in " + failed_tensors(result));
  }
  return kDone;
}

Command make_command() {
  Command command;
  command.name = "run";
  command.summary = "run an operator on a simulated SoC";
  command.usage = "OPERATOR (--case ID | --inputs FILE | --tensor NAME=TYPE[SIZES] ...) [options]";
  command.positional = "OPERATOR";
  command.description =
      "Runs one operator on one simulated SoC: checks the call, runs the kernel on the tensors, "
      "and\n"
      "says how long it took and where the time went. Times are simulated: core time from the "
      "launch\n"
      "to the end of the last core, task time with the overhead of a launch.\n"
      "\n"
      "The work is either an example case of the operator (--case), whose result is compared with "
      "a\n"
      "reference computation, or your own tensors (--inputs, or made up: --tensor) and attributes\n"
      "(--attrs, --attr).\n"
      "Tensors that the operator updates in place (caches) are inputs and appear in --outputs as "
      "well.\n"
      "\n"
      "Exit status:\n"
      "   0  done\n"
      "   1  the run ended, but the result of the case differs from the reference (files are "
      "written)\n"
      "   2  wrong usage: unknown option, operator, SoC or case, unreadable or malformed file\n"
      "   3  the operator refused the call; the message names the rule; nothing is written\n"
      "   4  the kernel went wrong: fault, deadlock, crash, --max-cycles or --host-timeout "
      "reached;\n"
      "      nothing is written. Or --check found something; files are written if the run ended\n"
      "  70  an error in davsim itself\n"
      "An output file appears whole at the end of the run or not at all; only --save-inputs and\n"
      "--save-attrs are written before, because a refused call is worth keeping.";
  command.examples =
      "  davsim run rope_quant_kvcache --case RQK-3\n"
      "  davsim run rope_quant_kvcache --case RQK-3 --soc Ascend910B1 --l2 warm --trace "
      "trace.json\n"
      "  davsim run rope_quant_kvcache --case RQK-2 --save-inputs in.safetensors --save-attrs "
      "a.json\n"
      "  davsim run rope_quant_kvcache --inputs in.safetensors --attrs a.json --outputs "
      "out.safetensors\n"
      "  davsim run matmul --tensor a=float16[256,512] --tensor b=float16[512,256]\n";
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  po::options_description& options = command.options;
  options.add_options()(
      "soc", text("SOC"),
      "SoC to run on (`davsim list`), or a description file of your own (path or *.ini). Default: "
      "the one the case is about, or else Ascend910B3");
  add_work_options(options.add_options());
  Watchers::add_options(options.add_options());
  options.add_options()("outputs", text("FILE"),
                        "write outputs and updated in-place tensors to a safetensors file")(
      "report", text("FILE"),
      "write everything that was counted as JSON: cycles, busy and stall cycles of each core and "
      "pipe, bytes by path, L2 and HBM, roofline")(
      "save-inputs", text("FILE"), "write the tensors of the call, as they are before the run")(
      "save-attrs", text("FILE"), "write the attributes of the call as given, as JSON")(
      "check", po::bool_switch(),
      "look for what a device would punish silently: races, reads of bytes that nobody wrote, "
      "accesses outside a tensor, misuse of queues and flags (docs/checker.md); also warn of what "
      "is legal but likely a mistake, such as tokens that are written to one row of a cache")(
      "check-numbers", po::bool_switch(),
      "--check, and report the first instruction that makes NaN or infinity, and casts that "
      "saturate")("functional", po::bool_switch(),
                  "compute the results only, without time: much faster, no cycles, no trace")(
      "threads", text("1|2"),
      "2, the default: one thread keeps the time and one computes the results; 1: both in one, for "
      "many runs side by side. Results and cycles are the same")(
      "json", po::bool_switch(),
      "print the result as one JSON object on standard output, errors as one on standard error")(
      "quiet", po::bool_switch(), "print errors only");
  command.run = run;
  return command;
}

}  // namespace

const Command& run_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
