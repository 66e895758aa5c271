// Benchmarks of the simulator itself and of its timing. Each runs in a process of its own (a
// SystemC simulation lives once a process) and returns one JSON object: what was measured, what it
// is compared to in the same run, and whether the project's bar holds.
#pragma once

#include <algorithm>
#include <boost/json/object.hpp>
#include <chrono>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace davsim::bench {

struct Benchmark {
  std::string name;
  std::string what;  ///< one line for `--list`
  std::function<boost::json::object()> run;
};

/// Registers a benchmark during static initialisation.
struct BenchmarkRegistrar {
  BenchmarkRegistrar(std::string name, std::string what, std::function<boost::json::object()> run);
};
const std::vector<Benchmark>& benchmarks();

/// What `work` returns in a process of its own: a process has one simulated device. Throws
/// std::runtime_error with its message if it throws, or if the process dies.
boost::json::object in_child(const std::function<boost::json::object()>& work);

/// Wall time of `work` in seconds.
template <class Work>
double seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Time of the processor that `work` takes in all threads, in seconds. It does not count what else
/// runs on the machine.
template <class Work>
double cpu_seconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

/// The best of five times of `work` in seconds: what it takes when nobody else wants the machine.
template <class Work>
double best_seconds(Work work) {
  constexpr int kRuns = 5;
  double best = seconds(work);
  for (int i = 1; i < kRuns; ++i) best = std::min(best, seconds(work));
  return best;
}

/// Largest resident memory of this process so far, in MB.
double peak_memory_mb();

}  // namespace davsim::bench
