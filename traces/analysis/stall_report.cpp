#include "traces/analysis/stall_report.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "traces/observed.hpp"
#include "traces/source_line.hpp"

namespace davsim::traces {
namespace {

namespace json = boost::json;

/// What makes two lines of two cores the same row.
using RowKey = std::tuple<isa::CoreType, isa::Pipe, CycleClass, isa::Pipe, std::string_view,
                          std::uint32_t, std::string_view, std::uint32_t>;

RowKey key_of(isa::CoreType type, isa::Pipe pipe, const LineCycles& line) {
  return {type,
          pipe,
          line.cycle_class,
          line.from,
          line.where.file_name(),
          line.where.line(),
          line.set_at.file_name(),
          line.set_at.line()};
}

json::object row_json(const StallRow& row) {
  const auto text = [](std::string_view view) { return json::string(view.data(), view.size()); };
  json::object object = {{"type", text(isa::core_type_name(row.type))},
                         {"pipe", text(isa::pipe_name(row.pipe))},
                         {"class", text(cycle_class_name(row.line.cycle_class))}};
  if (row.line.from != isa::Pipe::ALL) object["from"] = text(isa::pipe_name(row.line.from));
  if (row.line.where.line() != 0) object["code"] = source_line(row.line.where);
  if (row.line.set_at.line() != 0) object["set_at"] = source_line(row.line.set_at);
  object["times"] = row.line.times;
  object["cycles"] = row.line.cycles;
  return object;
}

}  // namespace

std::vector<StallRow> stall_rows(const LaunchReport& report) {
  // Cores of a type run the same lines, so most are the same by name of file as a pointer.
  std::map<std::pair<isa::CoreType, isa::Pipe>, CauseTable> tables;
  for (const CoreCounters& core : report.cores) {
    for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
      CauseTable& table = tables[{core.type, static_cast<isa::Pipe>(i)}];
      for (const LineCycles& line : core.pipes[i].lines) {
        table.add({line.cycle_class, line.from, line.where, line.set_at}, line.times, line.cycles);
      }
    }
  }
  std::map<RowKey, StallRow> sums;
  for (const auto& [place, table] : tables) {
    const auto& [type, pipe] = place;
    for (const LineCycles& line : table.lines()) {
      const auto [row, added] =
          sums.try_emplace(key_of(type, pipe, line), StallRow{type, pipe, line});
      if (added) continue;
      row->second.line.times += line.times;
      row->second.line.cycles += line.cycles;
    }
  }
  std::vector<StallRow> rows;
  for (const auto& [key, row] : sums) rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), [](const StallRow& a, const StallRow& b) {
    return a.line.cycles > b.line.cycles;
  });
  return rows;
}

json::array stall_rows_json(const LaunchReport& report) {
  json::array rows;
  for (const StallRow& row : stall_rows(report)) rows.push_back(row_json(row));
  return rows;
}

}  // namespace davsim::traces
