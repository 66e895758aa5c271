#include "cli/variant.hpp"

#include <boost/json.hpp>

#include "cli/table.hpp"

namespace davsim::cli {
namespace {

namespace json = boost::json;

/// The last line of a child's output as a JSON object. Empty if the line is not JSON.
json::object parse_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  boost::system::error_code error;
  const json::value value = json::parse(text.substr(text.rfind('\n') + 1), error);
  return !error && value.is_object() ? value.get_object() : json::object();
}

/// "l2.size=96MiB,48MiB" as "l2.size=96MiB" and "l2.size=48MiB".
std::vector<std::string> alternatives(const std::string& assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos) return {assignment};  // davsim run reports the error
  const std::string name = assignment.substr(0, equals + 1);
  std::vector<std::string> all;
  std::size_t from = equals + 1;
  while (true) {
    const std::size_t comma = std::min(assignment.find(',', from), assignment.size());
    if (comma == from) throw UsageError("--set " + assignment + " has an empty value");
    all.push_back(name + assignment.substr(from, comma - from));
    if (comma == assignment.size()) return all;
    from = comma + 1;
  }
}

}  // namespace

std::string Variant::label() const {
  return set.empty() ? soc : soc + ", " + joined(set);
}

std::vector<std::string> run_arguments(std::vector<std::string> work, const Variant& variant) {
  work.insert(work.begin(), "run");
  work.push_back("--soc=" + variant.soc);
  for (const std::string& assignment : variant.set) work.push_back("--set=" + assignment);
  work.emplace_back("--json");
  return work;
}

Outcome outcome_of(const ChildResult& child) {
  Outcome outcome;
  outcome.status = child.status;
  outcome.result = parse_line(child.out);
  const json::object failure = parse_line(child.err);
  if (failure.contains("error")) outcome.error = failure.at("error").as_object();
  if (outcome.error.empty() && child.status != kDone) {
    const std::string how = child.status > 128 ? "signal " + std::to_string(child.status - 128)
                                               : "status " + std::to_string(child.status);
    outcome.error = {{"class", "internal"}, {"message", "the run ended with " + how}, {"rule", ""}};
  }
  return outcome;
}

std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& lists) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const std::string& list : lists) {
    std::vector<std::vector<std::string>> longer;
    for (const auto& start : all) {
      for (const std::string& value : alternatives(list)) {
        longer.push_back(start);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace davsim::cli
