// A line on a terminal that shows that a long run is still going on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace davsim::cli {

/// Shows `label` and the seconds since it was made, from the third second on, on standard error if
/// that is a terminal and `wanted`; takes the line away at the end.
class Progress {
 public:
  Progress(std::string label, bool wanted);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show();

  std::string label_;
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread thread_;
};

}  // namespace davsim::cli
