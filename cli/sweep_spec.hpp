// The description of a sweep and the grid of runs it stands for; docs/sweep.md describes the file.
#pragma once

#include <string>
#include <vector>

#include "cli/variant.hpp"

namespace davsim::cli {

struct SweepRun {
  std::string operator_name, case_id;  ///< case_id: empty where the shapes are given by sizes
  std::string sizes;                   ///< "m=256 k=512", or empty
  std::string attrs;                   ///< JSON, or empty
  std::string l2;                      ///< "cold" or "warm"
  std::vector<std::string> tensors;    ///< as --tensor takes them
  Variant variant;
  std::vector<std::string> values;  ///< of the parameters, in their order

  /// The cells of the first columns of the table. No two runs of a grid have equal ones.
  std::vector<std::string> key() const;
};

struct SweepSpec {
  std::vector<std::string> parameters;  ///< names, each a column
  std::vector<SweepRun> runs;
  bool verify = false;                   ///< compare results of cases with their references
  bool times_only = false;               ///< compute no values
  std::string max_cycles, host_timeout;  ///< empty: not given

  std::vector<std::string> key_columns() const;
  /// What a row depends on, as 16 hexadecimal digits: the version, all values of the SoC, and the
  /// arguments of the run. Rows with other digits have to be made again.
  std::string fingerprint(const SweepRun& run) const;
  /// The arguments of `davsim run` for one of the runs.
  std::vector<std::string> arguments(const SweepRun& run) const;
};

/// Reads a description. Throws UsageError naming file and member: "spec.json: operators[1].cases:
/// matmul has no case 'MM-99'"; io::FileError if it cannot be read or is no JSON.
SweepSpec read_sweep_spec(const std::string& path);

}  // namespace davsim::cli
