// Simulates what measurements need: a device lives once a process, so each run has a child process
// of its own; as many run at a time as the host has cores.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/silicon/factors.hpp"
#include "bench/silicon/measurement.hpp"

namespace davsim::silicon {

struct RunOptions {
  unsigned jobs = 1;  ///< child processes at a time
  /// Settings of the SoC, by the names that --set of davsim takes.
  std::map<std::string, std::string> settings;
  /// Factors on timing constants, for fits and sensitivities.
  Factors factors;
  bool progress = true;  ///< a line a run on standard error
};

struct Simulated {
  std::map<std::string, double> values;  ///< by quantity
  std::string error;                     ///< empty: it went well
  double host_seconds = 0;
};

/// Runs what `measurements` need; the result is by Measurement::run_key().
std::map<std::string, Simulated> simulate(const std::vector<Measurement>& measurements,
                                          const RunOptions& options);

}  // namespace davsim::silicon
