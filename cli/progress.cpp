#include "cli/progress.hpp"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <iostream>
#include <utility>

namespace davsim::cli {

Progress::Progress(std::string label, bool wanted) : label_(std::move(label)) {
  if (!wanted || isatty(STDERR_FILENO) == 0) return;
  // The thread that simulates takes the signals, because its handlers have a stack of their own.
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

ProgressBar::ProgressBar(std::string label, std::size_t total, bool wanted)
    : label_(std::move(label)),
      total_(total),
      wanted_(wanted && total > 0),
      terminal_(isatty(STDERR_FILENO) != 0) {
  if (wanted_ && terminal_) draw();
}

ProgressBar::~ProgressBar() {
  if (wanted_ && terminal_) std::cerr << "\r\033[K" << std::flush;
}

void ProgressBar::step(bool failed) {
  constexpr std::size_t kTenths = 10;
  const std::size_t before = done_ * kTenths / total_;
  ++done_;
  failed_ += failed;
  if (wanted_ && (terminal_ || done_ * kTenths / total_ != before)) draw();
}

void ProgressBar::draw() const {
  std::cerr << (terminal_ ? "\r\033[K" + line() : line() + "\n") << std::flush;
}

std::string ProgressBar::line() const {
  constexpr std::size_t kWidth = 30;
  const std::size_t filled = done_ * kWidth / total_;
  std::string text = label_ + " [" + std::string(filled, '#') + std::string(kWidth - filled, '.') +
                     "] " + std::to_string(done_) + "/" + std::to_string(total_);
  if (failed_ > 0) text += ", " + std::to_string(failed_) + " failed";
  if (done_ == 0 || done_ == total_) return text;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  const auto left = static_cast<std::uint64_t>(passed.count() / static_cast<double>(done_) *
                                               static_cast<double>(total_ - done_));
  const std::string seconds = std::to_string(left % 60);
  return text + ", " + std::to_string(left / 60) + ":" + (left % 60 < 10 ? "0" : "") + seconds +
         " left";
}

}  // namespace davsim::cli
