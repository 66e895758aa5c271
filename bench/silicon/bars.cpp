#include "bench/silicon/bars.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <tuple>

#include "bench/silicon/quantity.hpp"

namespace davsim::silicon {
namespace {

/// The family of measurements on several dies, which has a page and bars of its own.
constexpr const char* kSeveralDies = "comm";

using Chosen = std::function<bool(const Measurement&)>;

Summary summary_of(const std::vector<Compared>& rows, const Chosen& chosen) {
  std::vector<Compared> some;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(some),
               [&](const Compared& row) { return chosen(row.measurement); });
  return summarise(some);
}

Chosen all_of(Kind kind, const std::string& quantities) {
  return [kind, quantities](const Measurement& m) {
    return m.kind == kind && quantity_class(m.quantity) == quantities;
  };
}

/// Kernels of 10 to 20 us depend most on scalar work, and a mean over all kernels hides them.
bool is_short(const Measurement& m) {
  return all_of(Kind::kOurs, "latency")(m) && m.value >= 10 && m.value <= 20;
}

void add_errors(std::vector<Bar>& bars, const std::string& what, const Summary& of, double mean,
                double percentile_90) {
  if (of.rows == 0) return;
  bars.push_back({what + ", geometric mean error", of.geometric_mean_error, mean});
  bars.push_back({what + ", 90th percentile", of.percentile_90, percentile_90});
}

/// An order of few rows says little.
void add_rank(std::vector<Bar>& bars, const std::string& what, const Summary& of,
              std::size_t enough, double limit) {
  if (of.rows > enough) bars.push_back({what, of.rank_correlation, limit, true});
}

std::vector<Bar> bars_of_one_die(const std::vector<Compared>& rows) {
  std::vector<Bar> bars;
  add_errors(bars, "rebuilt kernels, latency", summary_of(rows, all_of(Kind::kRebuild, "latency")),
             0.08, 0.18);
  if (const Summary s = summary_of(rows, all_of(Kind::kRebuild, "core time")); s.rows > 0) {
    bars.push_back(
        {"rebuilt kernels, core time, geometric mean error", s.geometric_mean_error, 0.06});
  }
  if (const Summary s = summary_of(rows, all_of(Kind::kRebuild, "pipe busy")); s.rows > 0) {
    bars.push_back({"rebuilt kernels, pipe busy times, median error", s.median_error, 0.20});
  }
  add_errors(bars, "vendor kernels, latency", summary_of(rows, all_of(Kind::kOurs, "latency")),
             0.15, 0.30);
  for (const Group& group : groups_of(rows)) {
    if (group.kind != Kind::kOurs || group.quantities != "latency") continue;
    add_rank(bars, "vendor kernels, rank correlation, " + group.family, summarise(group.rows), 20,
             0.97);
  }
  add_rank(bars, "vendor kernels, rank correlation of those measured at 10 to 20 us",
           summary_of(rows, is_short), 20, 0.85);
  return bars;
}

std::vector<Bar> bars_of_several_dies(const std::vector<Compared>& rows) {
  const Summary s = summary_of(rows, all_of(Kind::kOurs, "latency"));
  std::vector<Bar> bars;
  if (s.rows > 0) bars.push_back({"latency, median error", s.median_error, 0.15});
  add_rank(bars, "latency, rank correlation", s, 10, 0.97);
  return bars;
}

}  // namespace

std::vector<Group> groups_of(const std::vector<Compared>& rows) {
  std::map<std::tuple<std::string, Kind, std::string>, std::vector<Compared>> sorted;
  for (const Compared& row : rows) {
    const Measurement& m = row.measurement;
    if (m.kind == Kind::kOmitted) continue;
    sorted[{m.family, m.kind, quantity_class(m.quantity)}].push_back(row);
  }
  std::vector<Group> groups;
  for (auto& [key, members] : sorted) {
    groups.push_back({std::get<0>(key), std::get<2>(key), std::get<1>(key), std::move(members)});
  }
  return groups;
}

std::vector<Bar> bars_of(const std::vector<Compared>& rows) {
  const bool dies = std::any_of(rows.begin(), rows.end(), [](const Compared& row) {
    return row.measurement.family == kSeveralDies;
  });
  return dies ? bars_of_several_dies(rows) : bars_of_one_die(rows);
}

}  // namespace davsim::silicon
