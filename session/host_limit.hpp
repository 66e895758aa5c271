// Ends a program whose kernel does not end: device code that loops for ever keeps the host busy,
// and the simulated clock may stand still meanwhile.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace davsim::session {

/// Watches the launches of the process from a thread of its own. A launch that takes longer ends
/// the process with status 4 and a message on standard error that says which kernel was where;
/// temporary files are removed. Time in which the whole process is stopped, as by a debugger, does
/// not count.
class HostLimit {
 public:
  /// `seconds` of wall time for each launch; 0: no limit, and no thread. `option`: what the user
  /// calls it, for the message.
  HostLimit(std::uint64_t seconds, std::string option);
  ~HostLimit();
  HostLimit(const HostLimit&) = delete;
  HostLimit& operator=(const HostLimit&) = delete;

 private:
  void watch();
  [[noreturn]] void end_process() const;

  std::uint64_t seconds_;
  std::string option_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ending_ = false;
  int process_;  ///< a child that the program forked has no such thread
  std::thread thread_;
};

}  // namespace davsim::session
