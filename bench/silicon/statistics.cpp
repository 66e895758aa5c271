#include "bench/silicon/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace davsim::silicon {
namespace {

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<double> rank(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j) rank[order[j]] = (double(i) + double(end) - 1) / 2;
    i = end;
  }
  return rank;
}

}  // namespace

double Compared::relative_error() const {
  constexpr double kShort = 10, kSlack = 2;  // us
  const bool is_time = measurement.quantity == "latency_us" ||
                       measurement.quantity.starts_with("core_us") ||
                       measurement.quantity == "core_max_us";
  if (is_time && measurement.value < kShort && std::abs(simulated - measurement.value) <= kSlack) {
    return 0;
  }
  return std::abs(ratio() - 1);
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2) return 0;
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

Summary summarise(const std::vector<Compared>& rows) {
  std::vector<double> errors, simulated, measured;
  double logs = 0;
  for (const Compared& row : rows) {
    if (!row.error.empty()) continue;
    errors.push_back(row.relative_error());
    logs += row.relative_error() == 0 ? 0 : std::abs(std::log(row.ratio()));
    simulated.push_back(row.simulated);
    measured.push_back(row.measurement.value);
  }
  Summary summary;
  summary.rows = errors.size();
  if (errors.empty()) return summary;
  summary.geometric_mean_error = std::exp(logs / static_cast<double>(errors.size())) - 1;
  summary.median_error = quantile(errors, 0.5);
  summary.percentile_90 = quantile(errors, 0.9);
  summary.rank_correlation = spearman(simulated, measured);
  return summary;
}

}  // namespace davsim::silicon
