// One run of several: the same work on another SoC or with other parameters. Each run is a process
// of its own.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/errors.hpp"

namespace davsim::cli {

struct Variant {
  std::string soc;
  std::vector<std::string> set;  ///< "NAME=VALUE", as --set takes them

  /// "Ascend910B3, l2.size=96MiB"
  std::string label() const;
};

/// The outcome of a run: a result or an error. A wrong result has both.
struct Outcome {
  int status = kDone;
  boost::json::object result;  ///< the output of `davsim run --json`, if any
  boost::json::object error;   ///< class, message, rule, if any
};

/// The arguments of `davsim run` for a variant; `work` as work_arguments() gives it.
std::vector<std::string> run_arguments(std::vector<std::string> work, const Variant& variant);
Outcome outcome_of(const ChildResult& child);

/// Every choice of one value from each list: `lists` {"a=1,2", "b=3"} to {a=1, b=3}, {a=2, b=3}.
/// Throws UsageError for an empty value.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& lists);

}  // namespace davsim::cli
