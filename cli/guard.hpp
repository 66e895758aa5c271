// Ends the process in order where a run cannot be ended from inside: a kernel that loops for ever
// in native code, one that crashes there, or a user who has seen enough.
#pragma once

#include <string>

namespace davsim::cli {

/// While one lives: SIGALRM after `seconds` of wall time (0: never) and native crashes end the
/// process with status 4 and a message, without temporary files. At most one at a time.
class RunGuard {
 public:
  RunGuard(unsigned seconds, const std::string& operator_name, bool json);
  ~RunGuard();
  RunGuard(const RunGuard&) = delete;
  RunGuard& operator=(const RunGuard&) = delete;
};

/// From now on Ctrl-C and the other signals that end a program remove temporary files first. What
/// the caller ignores, as nohup does, stays ignored.
void clean_up_when_interrupted();

}  // namespace davsim::cli
