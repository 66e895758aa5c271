// The result of a run.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <utility>
#include <vector>

#include "kernels/registry/operator.hpp"
#include "reference/reference.hpp"

namespace davsim::cli {

struct Result {
  const operators::Operator* op = nullptr;
  const sim::SocConfig* soc = nullptr;
  std::vector<std::string> set;  ///< parameters of the SoC that were replaced, "NAME=VALUE"
  std::string case_id;           ///< empty: inputs from a file
  operators::Cost cost;
  observe::LaunchReport report;
  bool warm = false;
  std::vector<std::string> warnings;  ///< of the operator, about the call and its results
  bool verified = false;              ///< compared with the reference
  std::vector<reference::Comparison> comparisons;  ///< if verified
  std::size_t allowed_findings = 0;                ///< of --check, silenced by source lines
  std::string outputs, report_file;                ///< files; empty: not asked for
  /// The outputs of exporters: option and path.
  std::vector<std::pair<std::string, std::string>> exported;

  bool failed() const { return verified && !reference::passed(comparisons); }
  /// "passed", "failed" or "not checked".
  std::string verdict() const;
  /// "matmul MM-1024": the operator and its case.
  std::string title() const;
};

/// An object for each tensor that was compared with a reference.
boost::json::array comparisons_json(const std::vector<reference::Comparison>& comparisons);
/// For standard output: the operator's figures, without those of each core.
boost::json::object result_json(const Result& result);
/// For a report file: everything the launch counted, and the operator's figures.
boost::json::object report_json(const Result& result);
std::string result_text(const Result& result);

}  // namespace davsim::cli
