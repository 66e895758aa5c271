#include "bench/silicon/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <regex>
#include <stdexcept>

#include "bench/silicon/kernel.hpp"
#include "bench/silicon/report.hpp"
#include "sim/soc/soc_config.hpp"

namespace davsim::silicon {
namespace {

/// Those whose runs took at most `quick` seconds.
std::vector<Measurement> quick_ones(const std::vector<Measurement>& measurements,
                                    const std::map<std::string, Simulated>& simulated,
                                    double quick) {
  std::vector<Measurement> chosen;
  for (const Measurement& m : measurements) {
    const auto at = simulated.find(m.run_key());
    if (at != simulated.end() && at->second.error.empty() && at->second.host_seconds <= quick) {
      chosen.push_back(m);
    }
  }
  if (chosen.empty()) throw std::invalid_argument("no measurement is quick enough");
  return chosen;
}

/// Mean |ln(simulated / measured)|, each group of measurements with equal weight. Infinite if a run
/// failed: what does not run fits nothing.
double cost_of(const std::vector<Compared>& rows) {
  const auto failed = [](const Compared& row) { return !row.error.empty(); };
  if (std::any_of(rows.begin(), rows.end(), failed)) {
    return std::numeric_limits<double>::infinity();
  }
  double sum = 0;
  const std::vector<Group> groups = groups_of(rows);
  for (const Group& group : groups) {
    sum += std::log1p(summarise(group.rows).geometric_mean_error);
  }
  return sum / static_cast<double>(groups.size());
}

double cost_with(const std::vector<Measurement>& measurements, const std::string& constant,
                 double factor, RunOptions options) {
  options.factors[constant] = factor;
  return cost_of(compared(measurements, simulate(measurements, options)));
}

/// The best factor of one constant: steps outwards from where it is, then ever smaller ones.
double best_factor(const std::vector<Measurement>& measurements, const std::string& constant,
                   const RunOptions& options, double& cost) {
  constexpr double kFirstStep = 1.25, kLastStep = 1.03;
  double best = options.factors.contains(constant) ? options.factors.at(constant) : 1;
  for (double step = kFirstStep; step > kLastStep; step = std::sqrt(step)) {
    for (const double direction : {step, 1 / step}) {
      while (true) {
        const double tried = cost_with(measurements, constant, best * direction, options);
        if (tried >= cost) break;
        cost = tried;
        best *= direction;
      }
    }
  }
  return best;
}

Sensitivity sensitivity(const std::vector<Measurement>& measurements, const std::string& constant,
                        double factor, RunOptions options) {
  options.factors[constant] = factor;
  Sensitivity moved{constant, factor,
                    groups_of(compared(measurements, simulate(measurements, options)))};
  if (!moved.refused()) {
    // SoCs differ in few constants, and in none that is rounded.
    sim::SocConfig soc = sim::SocConfig::named("Ascend910B1");
    moved.factor = scale(soc, constant, factor);
  }
  return moved;
}

void require_constants(const std::vector<std::string>& names) {
  const auto constants = sim::SocConfig::named("Ascend910B1").constants();
  for (const std::string& name : names) {
    const bool known = std::any_of(constants.begin(), constants.end(),
                                   [&](const auto& constant) { return constant.first == name; });
    if (!known) {
      throw std::invalid_argument("there is no constant '" + name +
                                  "'; docs/silicon_sensitivity.md names them");
    }
  }
}

}  // namespace

std::vector<Compared> compared(const std::vector<Measurement>& measurements,
                               const std::map<std::string, Simulated>& simulated) {
  std::vector<Compared> rows;
  for (const Measurement& m : measurements) {
    Compared& row = rows.emplace_back();
    row.measurement = m;
    if (m.kind == Kind::kOmitted) continue;
    const Simulated& result = simulated.at(m.run_key());
    row.error = result.error;
    // A row that could not run may name a kernel or sizes that do not exist.
    if (!row.error.empty()) continue;
    row.simulated = result.values.at(m.quantity);
    const Kernel& kernel = find_kernel(m.kernel);
    if (kernel.high_level) row.high_level = kernel.high_level(Params::parse(m.parameters));
  }
  return rows;
}

void fit(const std::vector<Measurement>& measurements, const std::vector<std::string>& constants,
         double quick, RunOptions options, std::ostream& out) {
  constexpr int kRounds = 2;
  require_constants(constants);
  const auto base = simulate(measurements, options);
  const std::vector<Measurement> chosen = quick_ones(measurements, base, quick);
  options.progress = false;
  double cost = cost_of(compared(chosen, base));
  out << chosen.size() << " measurements, mean error " << std::expm1(cost) << std::endl;
  for (int round = 0; round < kRounds; ++round) {
    for (const std::string& constant : constants) {
      options.factors[constant] = best_factor(chosen, constant, options, cost);
      out << constant << " x " << options.factors[constant] << ", mean error " << std::expm1(cost)
          << std::endl;
    }
  }
}

void sensitivities(const std::vector<Measurement>& measurements, const std::string& pattern,
                   double quick, RunOptions options, std::ostream& out) {
  using Pair = std::array<double, 2>;
  constexpr Pair kLess = {0.8, 0.5}, kMore = {1.2, 2};
  const auto simulated = simulate(measurements, options);
  const std::vector<Measurement> chosen = quick_ones(measurements, simulated, quick);
  options.progress = false;
  const std::regex wanted(pattern);
  std::vector<Sensitivity> moved;
  for (const auto& [name, constant] : sim::SocConfig::named("Ascend910B1").constants()) {
    if (!std::regex_search(name, wanted)) continue;
    for (const Pair& factors : {kLess, kMore}) {
      for (const double factor : factors) {
        moved.push_back(sensitivity(chosen, name, factor, options));
        std::cerr << name << " x " << factor << std::endl;
        if (!moved.back().refused()) break;
      }
    }
  }
  write_sensitivities(out, groups_of(compared(chosen, simulated)), moved);
}

}  // namespace davsim::silicon
