#include "traces/analysis/scalar_bound.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>

#include "traces/analysis/stall_report.hpp"
#include "traces/source_line.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;
using isa::CoreType;
using isa::Pipe;

constexpr double kBound = 0.5;
constexpr std::size_t kMostLines = 3;

/// What the cores of one type did.
struct Work {
  Cycle active = 0;  ///< of the scalar units
  std::array<Cycle, isa::kPipeCount> in_flight{};
};

Work work_of(const LaunchReport& report, CoreType type) {
  Work work;
  for (const CoreCounters& core : report.cores) {
    if (core.type != type) continue;
    const PipeCounters& scalar = core.pipes[static_cast<std::size_t>(Pipe::S)];
    for (std::size_t i = 0; i < kCycleClassCount; ++i) {
      const auto cycle_class = static_cast<CycleClass>(i);
      if (cycle_class == CycleClass::kLaunch || cycle_class == CycleClass::kDone) continue;
      work.active += scalar.cycles[i];
    }
    for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
      const bool is_scalar = static_cast<Pipe>(i) == Pipe::S;
      work.in_flight[i] += is_scalar ? core.pipes[i].busy() : core.pipes[i].in_flight;
    }
  }
  return work;
}

std::vector<ScalarBound::Line> lines_of(const LaunchReport& report, CoreType type, Cycle busy) {
  std::vector<ScalarBound::Line> lines;
  for (const StallRow& row : stall_rows(report)) {
    if (row.type != type || row.pipe != Pipe::S || row.line.cycle_class != CycleClass::kBusy ||
        row.line.where.line() == 0 || lines.size() == kMostLines) {
      continue;
    }
    lines.push_back({source_line(row.line.where),
                     static_cast<double>(row.line.cycles) / static_cast<double>(busy)});
  }
  return lines;
}

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

}  // namespace

std::optional<ScalarBound> scalar_bound(const LaunchReport& report) {
  std::optional<ScalarBound> found;
  for (const CoreType type : {CoreType::AIC, CoreType::AIV}) {
    const Work work = work_of(report, type);
    const Cycle busy = work.in_flight[static_cast<std::size_t>(Pipe::S)];
    if (busy == 0 || busy < *std::max_element(work.in_flight.begin(), work.in_flight.end())) {
      continue;
    }
    const double share = static_cast<double>(busy) / static_cast<double>(work.active);
    if (share < kBound || (found && found->share >= share)) continue;
    found = ScalarBound{type, share, lines_of(report, type, busy)};
  }
  return found;
}

std::string scalar_bound_text(const ScalarBound& bound) {
  std::string text = "scalar bound: the scalar units of " +
                     std::string(isa::core_type_name(bound.type)) + " cores work for " +
                     percent(bound.share) + " of their time, longer than any pipe";
  const char* separator = "; most at ";
  for (const ScalarBound::Line& line : bound.lines) {
    text += separator + line.code.substr(line.code.find_last_of('/') + 1) + " (" +
            percent(line.share) + ")";
    separator = ", ";
  }
  return text + "\n";
}

json::value scalar_bound_json(const std::optional<ScalarBound>& bound) {
  if (!bound) return nullptr;
  const std::string_view type = isa::core_type_name(bound->type);
  json::array lines;
  for (const ScalarBound::Line& line : bound->lines) {
    lines.push_back({{"code", line.code}, {"share", line.share}});
  }
  return {{"type", json::string_view(type.data(), type.size())},
          {"share", bound->share},
          {"lines", std::move(lines)}};
}

std::optional<ScalarBound> scalar_bound_of(const json::value& value) {
  if (!value.is_object()) return std::nullopt;
  ScalarBound bound;
  const json::string& type = value.at("type").as_string();
  if (std::string_view(type.data(), type.size()) == isa::core_type_name(CoreType::AIC)) {
    bound.type = CoreType::AIC;
  }
  bound.share = value.at("share").to_number<double>();
  for (const json::value& line : value.at("lines").as_array()) {
    bound.lines.push_back(
        {std::string(line.at("code").as_string()), line.at("share").to_number<double>()});
  }
  return bound;
}

}  // namespace davsim::traces
