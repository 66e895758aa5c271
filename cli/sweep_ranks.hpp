// A sweep whose runs are dealt to the processes of an MPI job. MPI starts them and tells the
// workers where the manager is; then they talk over TCP, whose connections end with a process. So
// the manager hears of a worker that is lost, and the job goes on without it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/child.hpp"
#include "cli/sweep_spec.hpp"

namespace davsim::cli {

/// A run as it is dealt.
struct DealtRun {
  std::vector<std::string> arguments;
  std::string work;  ///< runs of the same operator and shapes take about as long
  double size = 0;   ///< where nothing is known about its work: larger ones may take longer
};
DealtRun dealt_run(const SweepRun& run, std::vector<std::string> arguments);

/// The order of the runs: those whose time is not known, larger ones first, so that it becomes
/// known; then the longest first. Runs that were lost come before all others.
class LongestFirst {
 public:
  explicit LongestFirst(const std::vector<DealtRun>& runs);
  /// The next run to be dealt; nothing if all are.
  std::optional<std::size_t> next();
  void measured(std::size_t run, double seconds);
  void again(std::size_t run);

 private:
  const std::vector<DealtRun>& runs_;
  std::vector<std::size_t> waiting_, again_;
  std::map<std::string, double> seconds_;  ///< by work; negative: a run of it is under way
};

/// The manager: rank 0. Leaves the ranks of MPI. Calls `ended` for each run, in the order in which
/// they end. A run whose worker is lost, or that the host's kernel killed, goes to another worker;
/// after the second time it has failed. Throws std::runtime_error if no worker is left.
void deal_runs(const std::vector<DealtRun>& runs, const OnChild& ended);
/// A worker: any other rank. Leaves the ranks of MPI. Does what the manager asks for until that
/// says that all is done; throws std::runtime_error if the manager is lost.
void work_for_manager();

}  // namespace davsim::cli
