// The tools of the command at work on a program: exports, a report, the checker.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/checker.hpp"
#include "io/pending_file.hpp"
#include "observe/counters.hpp"
#include "runtime/core/settings.hpp"
#include "session/exports.hpp"

namespace davsim::runtime {

/// Keeps sums, and the figures of the last launch: a program may launch any number of kernels.
class Tools {
 public:
  /// Makes the files that are asked for. Throws io::FileError.
  explicit Tools(const Settings& settings);

  /// Lets the tools hear what the device does from now on.
  void attach(sim::Device& device);
  bool checks() const { return checker_.has_value(); }
  /// Start and bytes of what the host wrote since the last launch.
  void host_wrote(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& writes);
  void launched(const observe::LaunchReport& report);
  /// The device went wrong: what the exports have is not a whole run.
  void failed() { failed_ = true; }
  /// Writes everything, once, and says on standard error what was found. `end_us`: simulated time
  /// at which the last launch ended. False if the checker found something or a file could not be
  /// written.
  bool finish(double end_us);

 private:
  struct KernelSums {
    std::uint64_t launches = 0;
    observe::Cycle cycles = 0, least = 0, most = 0;
    double task_us = 0;
    bool told_unordered = false;
  };

  void tell_unordered(const std::string& kernel, KernelSums& sums);
  boost::json::object report(double end_us) const;
  void write(double end_us);

  Settings settings_;
  session::Exports exports_;
  std::unique_ptr<io::PendingFile> report_file_;
  std::optional<session::Exports::Attached> attached_;
  std::optional<checker::Checker> checker_;
  sim::Device* device_ = nullptr;
  std::map<std::string, KernelSums> kernels_;
  std::uint64_t launches_ = 0;
  observe::LaunchReport last_;
  bool failed_ = false, finished_ = false;
};

}  // namespace davsim::runtime
