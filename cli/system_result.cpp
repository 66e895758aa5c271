#include "cli/system_result.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <numeric>

#include "cli/result.hpp"
#include "cli/table.hpp"

namespace davsim::cli {

namespace json = boost::json;

double SystemResult::longest_us() const {
  return *std::max_element(rank_us.begin(), rank_us.end());
}

double SystemResult::time_us() const {
  return std::accumulate(rank_us.begin(), rank_us.end(), 0.0) / static_cast<double>(rank_us.size());
}

std::string SystemResult::verdict() const {
  return verified ? (failed() ? "failed" : "passed") : "not checked";
}

void print_json(const SystemResult& result) {
  json::object all = {
      {"operator", result.operator_name},
      {"case", result.example.empty() ? json::value() : json::value(result.example)},
      {"system", result.system},
      {"soc", result.soc},
      {"ranks", result.ranks},
      {"check", result.verdict()},
      {"comparisons", comparisons_json(result.comparisons)}};
  if (result.timed) {
    all["cycles"] = result.cycles;
    all["time_us"] = result.time_us();
    all["longest_time_us"] = result.longest_us();
    all["time_us_by_rank"] = json::array(result.rank_us.begin(), result.rank_us.end());
    all["bus_gb_per_s"] = result.bus_gb_per_s;
    all["tflops"] = result.tflops;
    all["links"] = result.links.json;
  }
  std::cout << json::serialize(all) << "\n";
}

void print_text(const SystemResult& result) {
  std::cout << result.operator_name;
  if (!result.example.empty()) std::cout << ", case " << result.example;
  std::cout << ", on " << result.ranks << " dies of " << result.system << "\ncheck      "
            << result.verdict() << "\n";
  std::int64_t elements = 0;
  for (const reference::Comparison& comparison : result.comparisons) {
    elements += comparison.elements;
    if (!comparison.passed) std::cout << "           " << reference::to_string(comparison) << "\n";
  }
  if (result.verified) {
    std::cout << "           " << result.comparisons.size() << " tensors, " << elements
              << " elements\n";
  }
  if (!result.timed) return;
  const auto least = *std::min_element(result.rank_us.begin(), result.rank_us.end());
  std::cout << "time       " << fixed(result.time_us(), 2) << " us, the mean of the ranks; by rank "
            << fixed(least, 2) << " to " << fixed(result.longest_us(), 2) << "\nreceived   "
            << fixed(result.bus_gb_per_s, 1) << " GB/s a rank, rows from the own rank included\n";
  if (result.tflops > 0)
    std::cout << "compute    " << fixed(result.tflops, 1) << " TFLOPS a rank\n";
  std::cout << "\n" << result.links.text;
}

}  // namespace davsim::cli
