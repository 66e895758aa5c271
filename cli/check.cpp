// davsim check: `davsim run --check` over many cases.
#include <algorithm>
#include <boost/json.hpp>
#include <boost/program_options.hpp>
#include <iostream>
#include <set>

#include "cli/commands.hpp"
#include "cli/errors.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "cli/variant.hpp"
#include "cli/work.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;
namespace po = boost::program_options;

constexpr const char* kAll = "all";

/// A case and its outcome.
struct Checked {
  std::string operator_name, id;
  Outcome outcome;

  std::size_t findings() const {
    const json::value* list = outcome.error.if_contains("findings");
    return list == nullptr ? 0 : open(list->as_array());
  }
  static std::size_t open(const json::array& list) {
    return static_cast<std::size_t>(std::count_if(
        list.begin(), list.end(),
        [](const json::value& finding) { return finding.as_object().at("allowed").is_null(); }));
  }
  std::string text() const {
    if (outcome.status == kDone) return "clean";
    if (findings() > 0) return std::to_string(findings()) + " findings";
    return std::string(outcome.error.at("message").as_string());
  }
  /// Of the comparison with the reference.
  std::string verdict() const {
    if (outcome.status == kWrongResult) return "failed";
    for (const json::object* from : {&outcome.result, &outcome.error}) {
      if (const json::value* said = from->if_contains("check")) {
        return std::string(said->as_string());
      }
    }
    return "not checked";
  }
  std::string allowed() const {
    const json::value* count = outcome.result.if_contains("allowed_findings");
    return count == nullptr ? "-" : std::to_string(count->to_number<std::uint64_t>());
  }
};

std::vector<const operators::Operator*> operators_of(const std::string& name) {
  if (name == kAll) return operators::all_operators();
  return {&operator_named(name)};
}

/// The cases that run. A case about a refusal runs no kernel, so the checker has nothing to do.
std::vector<Checked> cases_of(const po::variables_map& values) {
  const std::vector<std::string> ids = list_option(values, "case");
  std::set<std::string> left(ids.begin(), ids.end());
  std::vector<Checked> cases;
  std::vector<std::string> known;
  for (const operators::Operator* op : operators_of(text_option(values, "OPERATOR"))) {
    for (const operators::ExampleCase& example : op->cases()) {
      known.push_back(example.id);
      const bool wanted = ids.empty() ? !example.refused : left.erase(example.id) > 0;
      if (wanted) cases.push_back({op->info().name, example.id, {}});
    }
  }
  if (!left.empty()) {
    const std::string hint = did_you_mean(*left.begin(), known);
    throw UsageError("no case is called '" + *left.begin() + "'" +
                     (hint.empty() ? "; `davsim describe OPERATOR` lists the cases" : hint));
  }
  if (cases.empty()) throw UsageError("there is no case to check");
  return cases;
}

std::vector<std::string> arguments_of(const Checked& one, const po::variables_map& values) {
  std::vector<std::string> arguments = {
      "run", one.operator_name, "--case=" + one.id, "--json",
      flag_option(values, "numbers") ? "--check-numbers" : "--check"};
  if (flag_option(values, "functional")) arguments.emplace_back("--functional");
  if (values.count("soc") > 0)
    arguments.insert(arguments.end(), {"--soc", text_option(values, "soc")});
  return arguments;
}

/// The table, a line as soon as its case and those before it have ended: all cases of all operators
/// take long.
class Lines {
 public:
  Lines(const std::vector<Checked>& cases, bool wanted) : cases_(cases), wanted_(wanted) {
    for (const Checked& one : cases) {
      widths_[0] = std::max(widths_[0], one.operator_name.size());
      widths_[1] = std::max(widths_[1], one.id.size());
    }
    print(kHeading);
  }
  void ended(std::size_t index) {
    ended_.insert(index);
    for (; ended_.contains(next_); ++next_) {
      const Checked& one = cases_[next_];
      print({one.operator_name, one.id, one.verdict(), one.allowed(), one.text()});
    }
  }

 private:
  void print(const std::vector<std::string>& row) const {
    if (wanted_) std::cout << table_line(row, widths_, 0) << std::endl;
  }

  static inline const std::vector<std::string> kHeading{"operator", "case", "reference", "allowed",
                                                        "outcome"};
  const std::vector<Checked>& cases_;
  bool wanted_;
  /// Of the first two columns at least the heading's, of the others that of the longest entry.
  std::vector<std::size_t> widths_{8, 4, 11, 7, 0};
  std::set<std::size_t> ended_;
  std::size_t next_ = 0;
};

void run_all(std::vector<Checked>& cases, const po::variables_map& values, unsigned jobs,
             Lines& lines) {
  std::vector<std::vector<std::string>> lists;
  for (const Checked& one : cases) lists.push_back(arguments_of(one, values));
  run_children(lists, jobs, [&](std::size_t index, const ChildResult& child) {
    cases[index].outcome = outcome_of(child);
    lines.ended(index);
  });
}

std::string text_member(const json::object& object, const char* name) {
  return std::string(object.at(name).as_string());
}

std::string place_text(const json::value& value) {
  if (value.is_null()) return "";
  const json::object& place = value.as_object();
  std::string file = text_member(place, "file");
  file = file.substr(file.find_last_of('/') + 1);
  return "    " + text_member(place, "core") + " " + text_member(place, "pipe") + " " +
         text_member(place, "instruction") + " " + text_member(place, "access") + " at " + file +
         ":" + std::to_string(place.at("line").to_number<std::uint64_t>()) + "\n";
}

/// Findings of all cases. Findings of the same lines are listed once.
std::string findings_text(const std::vector<Checked>& cases) {
  std::set<std::string> told;
  std::string text;
  for (const Checked& one : cases) {
    const json::value* list = one.outcome.error.if_contains("findings");
    if (list == nullptr) continue;
    for (const json::value& value : list->as_array()) {
      const json::object& finding = value.as_object();
      if (!finding.at("allowed").is_null()) continue;
      const std::string what =
          text_member(finding, "class") + ": " + text_member(finding, "message") + "\n";
      if (!told.insert(what).second) continue;
      text += what + place_text(finding.at("first")) + place_text(finding.at("second")) +
              "    first in case " + one.id + ", " +
              std::to_string(finding.at("count").to_number<std::uint64_t>()) + " times\n";
    }
  }
  return text;
}

json::array cases_json(const std::vector<Checked>& cases) {
  json::array list;
  for (const Checked& one : cases) {
    json::object entry = {
        {"operator", one.operator_name}, {"case", one.id}, {"status", one.outcome.status}};
    if (!one.outcome.error.empty()) entry["error"] = one.outcome.error;
    entry["check"] = one.verdict();
    if (const json::value* count = one.outcome.result.if_contains("allowed_findings")) {
      entry["allowed_findings"] = *count;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void print(const std::vector<Checked>& cases, bool as_json) {
  if (as_json) {
    std::cout << json::serialize(json::object{{"cases", cases_json(cases)}}) << "\n";
    return;
  }
  std::cout << findings_text(cases);
}

/// 4 if something was found, else the status of the first case that failed, else 0.
int status_of(const std::vector<Checked>& cases) {
  int status = kDone;
  for (const Checked& one : cases) {
    if (one.findings() > 0) return kFaulted;
    if (status == kDone) status = std::min<int>(one.outcome.status, kInternal);
  }
  return status;
}

int run(const Command& command, const Arguments& arguments) {
  const po::variables_map values = parse(command, arguments);
  if (flag_option(values, "times-only")) {
    throw UsageError("--times-only: the checker needs a run that computes values");
  }
  std::vector<Checked> cases = cases_of(values);
  const bool as_json = flag_option(values, "json");
  const unsigned jobs = jobs_option(values);
  {
    Lines lines(cases, !as_json);
    const Progress progress("davsim: checking " + std::to_string(cases.size()) + " cases", as_json);
    run_all(cases, values, jobs, lines);
  }
  print(cases, as_json);
  return status_of(cases);
}

constexpr const char* kDescription =
    R"(Runs the example cases of an operator, or of all of them, with the checker of
`davsim run --check`, each in a process of its own, and says what it found: a line a case as
soon as it has ended, then every finding once. docs/checker.md explains the classes and how a
source line allows one. Results are compared with the references as `davsim run --case` does,
findings or not.

Exit status: 0 all clean, 4 something was found, else that of the first case that did not
come through (`davsim help run` lists the statuses), 1 if its result is wrong.)";

constexpr const char* kExamples =
    R"(  davsim check rope_quant_kvcache --functional
  davsim check kv_rmsnorm_rope_cache --case KVR-1 --case KVR-2 --json
)";

Command make_command() {
  Command command;
  command.name = "check";
  command.summary = "look for races and other mistakes in all cases of an operator";
  command.usage = "(OPERATOR | all) [--case ID]... [options]";
  command.positional = "OPERATOR";
  command.description = kDescription;
  command.examples = kExamples;
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  command.options.add_options()(
      "case", po::value<std::vector<std::string>>()->composing()->value_name("ID"),
      "check this case only; may be repeated")("soc", text("SOC"),
                                               "SoC to run on; default: as `davsim run`")(
      "functional", po::bool_switch(),
      "run without time: much faster; the order of pipes is another, but what is not ordered is "
      "found all the same")("numbers", po::bool_switch(),
                            "also report NaN, infinity and results beyond their type")(
      "jobs", text("N"), "processes at once; default: the host's cores")(
      "times-only", po::bool_switch(), "refused: what is checked needs values")(
      "json", po::bool_switch(), "print one JSON object with the findings of each case");
  command.run = run;
  return command;
}

}  // namespace

const Command& check_command() {
  static const Command command = make_command();
  return command;
}

}  // namespace davsim::cli
