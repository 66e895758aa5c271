// davsim explain: where the time of a traced launch went.
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>
#include <istream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "io/file_error.hpp"
#include "io/text_file.hpp"
#include "traces/analysis/explanation.hpp"
#include "traces/chrome/trace_file.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr std::uint64_t kMaxTop = 1'000'000;

std::vector<traces::TracedLaunch> launches_in(const std::string& path) {
  const std::string rule = "a trace is a file that davsim run --trace has written";
  io::require_readable(path, rule);
  const std::unique_ptr<std::istream> file = io::open_text(path);
  if (!file) throw io::FileError(path, rule, "it cannot be read");
  try {
    std::vector<traces::TracedLaunch> launches = traces::read_trace(*file);
    if (launches.empty()) throw std::invalid_argument("there is no launch in it");
    return launches;
  } catch (const std::invalid_argument& error) {
    throw io::FileError(path, rule, error.what());
  }
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  const std::uint64_t top = number_option(values, "top", traces::kExplanationRows, kMaxTop);
  json::array explanations;
  for (const traces::TracedLaunch& launch :
       launches_in(io::readable_path(text_option(values, "TRACE")))) {
    explanations.push_back(traces::explanation_json(launch.report, launch.timeline));
  }
  if (flag_option(values, "json")) {
    std::cout << json::serialize(json::object{{"launches", std::move(explanations)}}) << "\n";
    return kDone;
  }
  for (const json::value& explanation : explanations) {
    std::cout << traces::explanation_text(explanation.as_object(), top);
    if (&explanation != &explanations.back()) std::cout << "\n";
  }
  return kDone;
}

constexpr const char* kDescription =
    R"(Reads a trace that `davsim run --trace` has written and says what the launch waited for.

The critical path is the chain of causes from the end of the launch back to its start: what the
last instruction waited for, what that waited for, and so on, through pipes, flags, the scalar
unit and other cores. Its causes and source lines are listed by the cycles they take, which add
up to those of the launch: what is on the path is worth making faster, what is not is not.
Below them are the stalls of the pipes of all cores, by source line.

`davsim run --explain` prints the same without a trace file.)";

constexpr const char* kExamples =
    R"(  davsim run matmul --case MM-1024 --trace trace.json
  davsim explain trace.json
  davsim run rope_quant_kvcache --case RQK-3 --explain
)";

Command make_command() {
  Command command;
  command.name = "explain";
  command.summary = "say where the time of a traced launch went, and why";
  command.usage = "TRACE [options]";
  command.positional = "TRACE";
  command.description = kDescription;
  command.examples = kExamples;
  command.options.add_options()("top", po::value<std::string>()->value_name("N"),
                                "entries of each list (default: 12)")(
      "json", po::bool_switch(), "print everything as one JSON object");
  command.run = run;
  return command;
}

}  // namespace

const Command& explain_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
