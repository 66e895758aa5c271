// What a run of an operator on several dies came to, as JSON and as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/link_report.hpp"
#include "reference/reference.hpp"

namespace davsim::cli {

struct SystemResult {
  std::string operator_name;
  std::string example;  ///< empty where the call came from files
  std::string system, soc;
  std::uint32_t ranks = 0;
  bool timed = true;            ///< false: there are results only
  double cycles = 0;            ///< of the rank that ends last
  std::vector<double> rank_us;  ///< time of each rank, from where it begins itself
  double bus_gb_per_s = 0;      ///< received by a rank, rows from the own rank included
  double tflops = 0;            ///< of a rank
  std::vector<reference::Comparison> comparisons;
  bool verified = false;
  LinkReport links;

  double time_us() const;  ///< the mean of the ranks' times
  double longest_us() const;
  bool failed() const { return verified && !reference::passed(comparisons); }
  /// "passed", "failed" or "not checked".
  std::string verdict() const;
};

/// To standard output.
void print_json(const SystemResult& result);
void print_text(const SystemResult& result);

}  // namespace davsim::cli
