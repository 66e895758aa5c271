// Shows on a terminal that a long run makes progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>

namespace davsim::cli {

/// Shows `label` and the elapsed seconds on standard error, from the third second on, if that is a
/// terminal and `wanted`. Removes the line at the end.
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

/// A progress bar on standard error for work of many parts. On a terminal it is drawn again after
/// each part. Else a line is printed for each tenth. It estimates the remaining time from the parts
/// so far.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::size_t total, bool wanted);
  /// Removes the bar.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Another part has ended. `failed` says whether it failed.
  void step(bool failed);

 private:
  std::string line() const;
  void draw() const;

  std::string label_;
  std::size_t total_, done_ = 0, failed_ = 0;
  bool wanted_, terminal_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace davsim::cli
