// Ends the process in order where a run cannot be ended from inside: a kernel that loops for ever
// in native code, one that crashes there, or a user who has seen enough.
#pragma once

#include <string>

namespace davsim::cli {

/// While one lives: SIGALRM after `seconds` of wall time (0: never) and native crashes end the
/// process with status 4 and a message; SIGINT and SIGTERM end it as usual. Temporary files are
/// removed in every case. At most one at a time.
class RunGuard {
 public:
  RunGuard(unsigned seconds, const std::string& operator_name, bool json);
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;
};

}  // namespace davsim::cli
