#include "traces/analysis/explanation.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cstdio>
#include <map>
#include <string_view>
#include <tuple>

#include "traces/analysis/headline.hpp"
#include "traces/analysis/scalar_bound.hpp"
#include "traces/observed.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;
using isa::Pipe;

json::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

double share(Cycle part, Cycle whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

/// What a step of a pipe means, in words.
std::string cause_text(std::string_view pipe, std::string_view cycle_class, bool issues) {
  if (issues) return "the scalar unit issues instructions";
  const std::string name = pipe == "S" ? "the scalar unit" : std::string(pipe);
  if (cycle_class == "busy") return name + " works";
  if (cycle_class == "memory") return name + " waits for L2 or HBM";
  if (cycle_class == "bank_conflict") return name + " stalls on bank conflicts";
  if (cycle_class == "wait_flag") return name + " waits for a flag";
  if (cycle_class == "wait_cross_core") return name + " waits for another core";
  if (cycle_class == "unit_flag") return name + " waits for a block of L0C";
  if (cycle_class == "queue_empty") return name + " has nothing to do: the scalar unit is behind";
  if (cycle_class == "barrier") return name + " waits for all pipes";
  if (cycle_class == "queue_full") return name + " waits for room in a queue";
  if (cycle_class == "instruction_fetch") return name + " waits for its code";
  if (cycle_class == "launch") return "the block has not begun";
  return name + " " + std::string(cycle_class);
}

/// A path, added up in several ways.
class PathSummary {
 public:
  PathSummary(const Timeline& timeline, const std::vector<PathStep>& steps, Cycle cycles)
      : timeline_(timeline), cycles_(cycles), steps_(steps) {}

  json::object sums() const {
    return {{"steps", steps_.size()},
            {"causes", causes()},
            {"lines", lines()},
            {"hand_overs", hand_overs()},
            {"cores", cores()}};
  }

 private:
  const TimelineCore& core(const PathStep& step) const { return timeline_.cores[step.core]; }
  static bool issues(const PathStep& step) {
    return step.pipe == Pipe::S && step.name == 0 && step.cycle_class == CycleClass::kBusy;
  }

  json::object place(const PathStep& step) const {
    const std::string_view pipe = isa::pipe_name(step.pipe);
    const std::string_view cycle_class = cycle_class_name(step.cycle_class);
    return {{"type", view(isa::core_type_name(core(step).type))},
            {"pipe", view(pipe)},
            {"class", view(cycle_class)},
            {"cause", step.cycle_class == CycleClass::kWaitCrossCore
                          ? "a flag is on its way to another core"
                          : cause_text(pipe, cycle_class, issues(step))}};
  }
  void add_line(json::object& to, const PathStep& step) const {
    if (step.name != 0) to["instr"] = timeline_.texts[step.name];
    if (step.line != 0) to["code"] = timeline_.texts[step.line];
  }

  /// Sums of steps with the same key; `describe` makes the entry of a key's first step.
  template <class Key, class Describe>
  json::array sums_by(Key key, Describe describe) const {
    struct Sum {
      const PathStep* first;
      Cycle cycles = 0;
      std::uint64_t times = 0;
    };
    std::map<decltype(key(steps_.front())), Sum> found;
    for (const PathStep& step : steps_) {
      Sum& sum = found.try_emplace(key(step), Sum{&step}).first->second;
      sum.cycles += step.end - step.begin;
      ++sum.times;
    }
    json::array list;
    for (const auto& [unused, sum] : found) {
      json::object entry = describe(*sum.first);
      entry["times"] = sum.times;
      entry["cycles"] = sum.cycles;
      entry["share"] = share(sum.cycles, cycles_);
      list.push_back(std::move(entry));
    }
    // Entries of equal cycles are in the order of their texts. Indices depend on the timeline's
    // origin.
    const auto order = [](const json::value& entry) {
      return std::tuple(~entry.at("cycles").to_number<Cycle>(), json::serialize(entry));
    };
    std::sort(list.begin(), list.end(),
              [&](const json::value& a, const json::value& b) { return order(a) < order(b); });
    return list;
  }

  json::array causes() const {
    return sums_by(
        [&](const PathStep& s) {
          return std::tuple(core(s).type, s.pipe, s.cycle_class, issues(s));
        },
        [&](const PathStep& s) { return place(s); });
  }
  json::array lines() const {
    return sums_by(
        [&](const PathStep& s) {
          return std::tuple(core(s).type, s.pipe, s.cycle_class, s.name, s.line);
        },
        [&](const PathStep& s) {
          json::object entry = place(s);
          add_line(entry, s);
          return entry;
        });
  }
  json::array cores() const {
    return sums_by([](const PathStep& s) { return s.core; },
                   [&](const PathStep& s) {
                     return json::object{{"name", core(s).name}};
                   });
  }

  /// How often the path goes from one pipe to another.
  json::array hand_overs() const {
    std::map<std::tuple<std::string, std::string>, std::uint64_t> counts;
    for (std::size_t i = 1; i < steps_.size(); ++i) {
      const PathStep &from = steps_[i - 1], &to = steps_[i];
      if (from.core == to.core && from.pipe == to.pipe) continue;
      ++counts[{pipe_of(from), pipe_of(to) + (from.core == to.core ? "" : " of another core")}];
    }
    std::vector<std::pair<std::tuple<std::string, std::string>, std::uint64_t>> sorted(
        counts.begin(), counts.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    json::array list;
    for (const auto& [pipes, times] : sorted) {
      list.push_back({{"from", std::get<0>(pipes)}, {"to", std::get<1>(pipes)}, {"times", times}});
    }
    return list;
  }
  std::string pipe_of(const PathStep& step) const {
    return std::string(isa::core_type_name(core(step).type)) + " " +
           std::string(isa::pipe_name(step.pipe));
  }

 public:
  /// Steps in their order. Consecutive steps of one line are joined.
  json::array path() const {
    json::array list;
    for (std::size_t i = 0; i < steps_.size();) {
      const PathStep& first = steps_[i];
      std::size_t next = i + 1;
      const auto same = [&](const PathStep& s) {
        return std::tie(s.core, s.pipe, s.cycle_class, s.name, s.line) ==
               std::tie(first.core, first.pipe, first.cycle_class, first.name, first.line);
      };
      while (next < steps_.size() && same(steps_[next])) ++next;
      json::object entry = place(first);
      entry["core"] = core(first).name;
      add_line(entry, first);
      entry["begin"] = first.begin - timeline_.start;
      entry["cycles"] = steps_[next - 1].end - first.begin;
      list.push_back(std::move(entry));
      i = next;
    }
    return list;
  }

 private:
  const Timeline& timeline_;
  Cycle cycles_;
  const std::vector<PathStep>& steps_;
};

/// Lines of the report for which `take` is true, with their share of the cores' time.
template <class Take>
json::array lines_of(const json::object& report, Take take) {
  const double cycles = report.at("cycles").to_number<double>();
  json::array list;
  for (const json::value& line : report.at("lines").as_array()) {
    if (!take(line)) continue;
    const double cores =
        report.at("totals").at(line.at("type").as_string()).at("cores").to_number<double>();
    json::object entry = line.as_object();
    entry["cause"] = cause_text(std::string_view(line.at("pipe").as_string()),
                                std::string_view(line.at("class").as_string()), false);
    const double whole = cycles * cores;
    entry["share"] = whole > 0 ? line.at("cycles").to_number<double>() / whole : 0;
    list.push_back(std::move(entry));
  }
  return list;
}

/// Lines that are stalls.
json::array stalls(const json::object& report) {
  return lines_of(report, [](const json::value& l) { return l.at("class").as_string() != "busy"; });
}
/// Lines that the scalar unit works on: the kernel's own code and the issue of its instructions.
json::array scalar_work(const json::object& report) {
  return lines_of(report, [](const json::value& line) {
    return line.at("pipe").as_string() == "S" && line.at("class").as_string() == "busy";
  });
}

// --- text ----------------------------------------------------------------------------------------

std::string text_of(const json::object& entry, const char* key) {
  const json::value* value = entry.if_contains(key);
  return value == nullptr ? "" : std::string(value->as_string());
}

std::string cut(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// "  61.2 %    11800  ": what every row begins with.
std::string numbers(const json::object& entry) {
  char text[64];
  std::snprintf(text, sizeof text, "%7.1f %% %10llu  ", 100 * entry.at("share").to_number<double>(),
                entry.at("cycles").to_number<unsigned long long>());
  return text;
}

/// At least one space follows, so that a long text does not run into the next column.
std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

/// The name of a cycle class, in a column that the longest name fits.
std::string class_column(const json::object& entry) {
  static const std::size_t width = [] {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < kCycleClassCount; ++i) {
      const auto name = cycle_class_name(static_cast<CycleClass>(i));
      longest = std::max(longest, name.size());
    }
    return longest + 2;
  }();
  return padded(text_of(entry, "class"), width);
}

/// Rows of the `top` entries of a list.
template <class Row>
std::string rows(const json::array& list, std::size_t top, Row row) {
  std::string text;
  for (std::size_t i = 0; i < std::min(top, list.size()); ++i) {
    text += row(list[i].as_object()) + "\n";
  }
  if (list.size() > top)
    text += "          ... and " + std::to_string(list.size() - top) + " more\n";
  return text;
}

std::string line_row(const json::object& entry) {
  std::string text = numbers(entry) + text_of(entry, "type") + " " +
                     padded(text_of(entry, "pipe"), 5) + class_column(entry);
  const std::string instr = text_of(entry, "instr"), line = text_of(entry, "code");
  const std::string nameless = text_of(entry, "class") == "launch" ? "(not begun)" : "(issue)";
  text += padded(instr.empty() ? nameless : instr, 26) + (line.empty() ? "?" : cut(line));
  return text;
}

std::string stall_row(const json::object& entry) {
  std::string text = numbers(entry) + text_of(entry, "type") + " " +
                     padded(text_of(entry, "cause"), 50) + cut(text_of(entry, "code"));
  if (!text_of(entry, "from").empty()) text += ", of " + text_of(entry, "from");
  if (!text_of(entry, "set_at").empty()) text += ", set at " + cut(text_of(entry, "set_at"));
  return text;
}

std::string path_row(const json::object& entry) {
  char text[64];
  std::snprintf(text, sizeof text, "%10llu +%-8llu ",
                entry.at("begin").to_number<unsigned long long>(),
                entry.at("cycles").to_number<unsigned long long>());
  return text + padded(text_of(entry, "core"), 18) + padded(text_of(entry, "pipe"), 5) +
         class_column(entry) + padded(text_of(entry, "instr"), 26) + cut(text_of(entry, "code"));
}

/// The path from both ends.
std::string path_text(const json::array& path, std::size_t top) {
  std::string text;
  const std::size_t half = top / 2 + 1;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 2 * half && i == half) {
      text += "          ... " + std::to_string(path.size() - 2 * half) + " more ...\n";
      i = path.size() - half;
    }
    text += path_row(path[i].as_object()) + "\n";
  }
  return text;
}

}  // namespace

json::object path_sums_json(const Timeline& timeline, const std::vector<PathStep>& path,
                            Cycle cycles) {
  return PathSummary(timeline, path, cycles).sums();
}

json::object explanation_json(const json::object& report, const Timeline& timeline) {
  json::object explanation;
  for (const char* key : {"soc", "kernel", "cycles"}) explanation[key] = report.at(key);
  explanation["time_us"] =
      report.at("cycles").to_number<double>() / report.at("frequency_mhz").to_number<double>();
  const std::vector<PathStep> steps = critical_path(timeline);
  const PathSummary summary(timeline, steps, report.at("cycles").to_number<Cycle>());
  json::object path = summary.sums();
  explanation["headline"] = headline_json(report, path, {});
  path["path"] = summary.path();
  explanation["critical_path"] = std::move(path);
  explanation["stalls"] = stalls(report);
  explanation["scalar_work"] = scalar_work(report);
  if (const json::value* bound = report.if_contains("scalar_bound")) {
    explanation["scalar_bound"] = *bound;
  }
  return explanation;
}

std::string explanation_text(const json::object& explanation, std::size_t top) {
  const json::object& path = explanation.at("critical_path").as_object();
  char head[64];
  std::snprintf(head, sizeof head, ": %llu cycles, %.3f us\n",
                explanation.at("cycles").to_number<unsigned long long>(),
                explanation.at("time_us").to_number<double>());
  std::string text = text_of(explanation, "kernel") + " on " + text_of(explanation, "soc") + head;

  if (const json::value* bound = explanation.if_contains("scalar_bound");
      bound != nullptr && bound->is_object()) {
    text += scalar_bound_text(*scalar_bound_of(*bound));
  }
  if (const json::value* headline = explanation.if_contains("headline")) {
    text += text_of(headline->as_object(), "path") + "\n" +
            text_of(headline->as_object(), "change") + "\n";
  }
  text += "\nWhat the launch spent its time on, along its critical path\n";
  text += rows(path.at("causes").as_array(), top, [](const json::object& entry) {
    return numbers(entry) + text_of(entry, "type") + " " + text_of(entry, "cause");
  });
  text += "\nSource lines on the path\n";
  text += rows(path.at("lines").as_array(), top, line_row);
  text += "\nThe path goes from pipe to pipe\n";
  text += rows(path.at("hand_overs").as_array(), top, [](const json::object& entry) {
    char times[32];
    std::snprintf(times, sizeof times, "%10llu x  ",
                  entry.at("times").to_number<unsigned long long>());
    return times + text_of(entry, "from") + " -> " + text_of(entry, "to");
  });
  text += "\nThe path from the launch to the end (cycle, length)\n";
  text += path_text(path.at("path").as_array(), top);
  text += "\nStalls of the pipes, on all cores (share of the cores' time)\n";
  text += rows(explanation.at("stalls").as_array(), top, stall_row);
  if (const json::value* work = explanation.if_contains("scalar_work")) {
    text += "\nWork of the scalar units by line, on all cores (share of the cores' time)\n";
    text += rows(work->as_array(), top, stall_row);
  }
  return text;
}

}  // namespace davsim::traces
