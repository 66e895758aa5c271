// Ends the process cleanly when the run cannot end by itself: a kernel loops for ever in native
// code or crashes there, or the user interrupts the run.
#pragma once

#include <string>

#include "session/crash_report.hpp"

namespace davsim::cli {

/// While a guard exists, a native crash and the end of `seconds` of wall time (0: no limit) end the
/// process with status 4 and a message that says where the kernel was. Temporary files are removed.
/// There is at most one guard at a time.
class RunGuard {
 public:
  /// Where the message goes, in which form, and what the user calls the limit of `seconds`.
  struct Message {
    bool json = false;
    int to = session::kStandardError;
    std::string limit = "--host-timeout";
  };
  RunGuard(unsigned seconds, const std::string& operator_name, const Message& message);
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;
};

using session::clean_up_when_interrupted;

}  // namespace davsim::cli
