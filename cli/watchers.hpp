// What watches a run besides its counters, as the command line asks for it: traces, explanations.
#pragma once

#include <boost/json/object.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "io/pending_directory.hpp"
#include "io/pending_file.hpp"
#include "io/text_file.hpp"
#include "sim/device/device.hpp"
#include "traces/background_observer.hpp"
#include "traces/chrome/chrome_trace.hpp"
#include "traces/msprof/msprof_export.hpp"
#include "traces/observers.hpp"
#include "traces/timeline/timeline.hpp"
#include "traces/vcd/vcd_export.hpp"

namespace davsim::cli {

/// The temporary file of an option that names an output file; nullptr if it is not given. Throws
/// UsageError for a file that another option names too, io::FileError.
std::unique_ptr<io::PendingFile> pending(const boost::program_options::variables_map& values,
                                         const std::string& option, std::set<std::string>& paths);

class Watchers {
 public:
  /// Options of a command that runs something.
  static void add_options(boost::program_options::options_description_easy_init add);
  /// Those that mean nothing without time.
  static const std::vector<const char*>& timed_options();

  /// Opens temporary files. `paths`: the output files of the command so far, where they lie.
  Watchers(const boost::program_options::variables_map& values, std::set<std::string>& paths);
  /// True if cycles are wanted by source line.
  bool wants_lines() const { return trace_ || recorder_ || msprof_; }

  /// Watches the launches of `device` as long as the result lives, faults included.
  class Attached {
   public:
    Attached(sim::Device& device, Watchers& watchers);
    ~Attached();
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

   private:
    sim::Device& device_;
  };

  /// After the last launch: closes documents. Throws io::FileError.
  void finish();
  /// Puts the files in their places.
  void commit();

  /// Name of the option and path of every output, as given.
  std::vector<std::pair<std::string, std::string>> outputs() const;
  /// Of the last launch; nothing unless asked for.
  std::optional<boost::json::object> explanation(const observe::LaunchReport& report) const;

  /// Of the last launch; empty unless --explain or --html is given.
  const traces::Timeline& timeline() const;

 private:
  std::unique_ptr<io::TextFile> trace_file_;
  std::unique_ptr<traces::ChromeTrace> trace_;
  std::unique_ptr<traces::BackgroundObserver> background_;  ///< what writes the trace
  std::unique_ptr<io::PendingDirectory> msprof_folder_;
  std::unique_ptr<traces::MsprofExport> msprof_;
  std::unique_ptr<io::TextFile> vcd_file_;
  std::unique_ptr<traces::VcdExport> vcd_;
  bool explain_ = false;
  std::unique_ptr<traces::TimelineRecorder> recorder_;
  traces::Observers observers_;
};

}  // namespace davsim::cli
