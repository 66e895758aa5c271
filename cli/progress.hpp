// Shows on a terminal that a long run makes progress.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
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

/// A bar for work of many parts, on standard error: drawn anew after each part if that is a
/// terminal, else a line for each tenth. Says when the rest will be done, going by the parts so
/// far.
class ProgressBar {
 public:
  ProgressBar(std::string label, std::size_t total, bool wanted);
  /// Takes the bar away.
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// One more part is done; `failed`: it did not come through.
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
