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
    batch_ = Batch();
  } else {
    batch_ = std::move(used_.back());
    used_.pop_back();
  }
  lock.unlock();
  changed_.notify_all();
}

void BackgroundObserver::finish() {
  if (batch_.count > 0 || !batch_.others.empty()) hand_over();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && !busy_; });
  if (error_) std::rethrow_exception(error_);
}

void BackgroundObserver::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Batch batch = std::move(waiting_.front());
    waiting_.pop_front();
    busy_ = true;
    const bool failed = error_ != nullptr;
    lock.unlock();
    changed_.notify_all();
    std::exception_ptr error;
    try {
      if (!failed) show(batch);
    } catch (...) {
      error = std::current_exception();
    }
    batch.count = 0;
    batch.others.clear();
    lock.lock();
    if (error) error_ = error;
    used_.push_back(std::move(batch));
    busy_ = false;
    changed_.notify_all();
  }
}

void BackgroundObserver::show(Batch& batch) {
  struct Show {
    Observer& inner;
    void operator()(const LaunchDescription& launch) const { inner.launch_begins(launch); }
    void operator()(const BlockBegin& block) const { inner.block_begins(block); }
    void operator()(const BlockEvent& event) const { inner.block(event); }
    void operator()(const MemorySample& sample) const { inner.memory_sample(sample); }
    void operator()(const LaunchReport& report) const { inner.launch_ends(report); }
  };
  std::uint32_t shown = 0;
  const auto show_until = [&](std::uint32_t end) {
    for (; shown < end; ++shown) {
      Instruction& entry = batch.instructions[shown];
      entry.event.instr = &entry.instr;
      inner_.instruction(entry.event);
    }
  };
  for (const Other& other : batch.others) {
    show_until(other.behind);
    std::visit(Show{inner_}, other.what);
  }
  show_until(batch.count);
}

}  // namespace davsim::traces
