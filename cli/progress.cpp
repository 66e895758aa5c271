#include "cli/progress.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <utility>

namespace davsim::cli {

Progress::Progress(std::string label, bool wanted) : label_(std::move(label)) {
  if (!wanted || isatty(STDERR_FILENO) == 0) return;
  // Signals are for the thread that simulates: its handlers have a stack of their own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { show(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  end_.notify_one();
  thread_.join();
}

void Progress::show() {
  using std::chrono::seconds;
  constexpr int kPatience = 3;
  std::unique_lock lock(mutex_);
  int passed = 0;
  while (!end_.wait_for(lock, seconds(1), [this] { return ended_; })) {
    if (++passed >= kPatience) std::cerr << "\r" << label_ << ": " << passed << " s" << std::flush;
  }
  if (passed >= kPatience) std::cerr << "\r\033[K" << std::flush;
}

}  // namespace davsim::cli
