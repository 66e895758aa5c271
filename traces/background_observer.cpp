#include "traces/background_observer.hpp"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace davsim::traces {

BackgroundObserver::BackgroundObserver(Observer& inner) : inner_(inner) {
  // Signals are for the thread that simulates: its handlers have a stack of their own.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BackgroundObserver::~BackgroundObserver() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundObserver::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting; });
  waiting_.push_back(std::move(batch_));
  if (used_.empty()) {
    batch_ = EventBatch();
  } else {
    batch_ = std::move(used_.back());
    used_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
}

void BackgroundObserver::settle() {
  if (!batch_.empty()) hand_over();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
}

void BackgroundObserver::finish() {
  settle();
  if (error_) std::rethrow_exception(error_);
}

void BackgroundObserver::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    EventBatch batch = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    const bool failed = error_ != nullptr;
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr error;
    try {
      if (!failed) batch.show_to(inner_);
    } catch (...) {
      error = std::current_exception();
    }
    batch.clear();
    lock.lock();
    if (error) error_ = error;
    used_.push_back(std::move(batch));
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace davsim::traces
