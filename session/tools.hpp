// The tools of the command at work on a program: exports, a report, the checker, the limit of the
// host's time.
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
#include "session/exports.hpp"
#include "session/host_limit.hpp"
#include "session/settings.hpp"

namespace davsim::session {

/// Keeps sums, and the figures of the last launch: a program may launch any number of kernels.
class Tools {
 public:
  /// Makes the files that are asked for. Throws io::FileError.
  explicit Tools(const Settings& settings);
  ~Tools();

  /// How the tools come to know the reports of launches.
  enum class Told : std::uint8_t {
    kByCaller,  ///< who launches calls launched()
    kByDevice,  ///< they listen to the device, where something wants to know
  };
  /// Lets the tools hear what the device does from now on.
  void attach(sim::Device& device, Told told);
  bool checks() const { return checker_.has_value(); }
  /// Start and bytes of what the host wrote since the last launch.
  void host_wrote(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& writes);
  void launched(const observe::LaunchReport& report);
  /// The device went wrong: what the exports have is not a whole run.
  void failed() { failed_ = true; }
  enum class Outcome : std::uint8_t {
    kRight,
    kFound,      ///< the checker found something
    kNotWritten  ///< a file could not be written
  };
  /// Writes everything, once, and says on standard error what was found. `end_us`: simulated time
  /// at which the last launch ended; where nobody keeps a clock, the times of all launches.
  Outcome finish(std::optional<double> end_us = std::nullopt);

 private:
  struct KernelSums {
    std::uint64_t launches = 0;
    observe::Cycle cycles = 0, least = 0, most = 0;
    double task_us = 0;
    bool told_suspicion = false;
  };

  class Listener;

  void tell_suspicion(const std::string& kernel, KernelSums& sums);
  boost::json::object report(double end_us) const;
  void write(double end_us);

  Settings settings_;
  Exports exports_;
  std::unique_ptr<io::PendingFile> report_file_;
  std::unique_ptr<Listener> listener_;
  std::optional<Exports::Attached> attached_;
  std::optional<checker::Checker> checker_;
  sim::Device* device_ = nullptr;
  std::map<std::string, KernelSums> kernels_;
  std::uint64_t launches_ = 0;
  observe::LaunchReport last_;
  double sum_us_ = 0;
  bool failed_ = false, finished_ = false;
  HostLimit limit_;
};

}  // namespace davsim::session
