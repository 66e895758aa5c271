#include "runtime/core/work_queue.hpp"

#include <exception>

namespace davsim::runtime {

void WorkQueue::start(const Work& first) {
  std::exception_ptr failure;
  bool started = false;
  thread_ = std::thread([&] {
    try {
      first();
    } catch (...) {
      failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      started = true;
      ending_ = failure != nullptr;
      changed_.notify_all();
    }
    run();
  });
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return started; });
  if (!failure) return;
  lock.unlock();
  thread_.join();
  thread_ = {};
  std::rethrow_exception(failure);
}

void WorkQueue::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
  thread_ = {};
}

WorkQueue::Ticket WorkQueue::push(Work work) {
  std::unique_lock lock(mutex_);
  // The program ends: nobody would do it.
  if (ending_ && !on_own_thread()) return done_;
  if (!on_own_thread()) {
    changed_.wait(lock, [this] { return waiting_.size() < kMost; });
  }
  waiting_.push_back(std::move(work));
  const Ticket ticket = ++pushed_;
  changed_.notify_all();
  return ticket;
}

bool WorkQueue::wait(Ticket ticket, std::optional<std::chrono::milliseconds> limit) {
  std::unique_lock lock(mutex_);
  const auto reached = [&] { return done_ >= ticket; };
  if (on_own_thread()) return reached();
  if (limit) return changed_.wait_for(lock, *limit, reached);
  changed_.wait(lock, reached);
  return true;
}

void WorkQueue::wait_unless_in_callback(Ticket ticket) {
  std::unique_lock lock(mutex_);
  if (on_own_thread()) return;
  changed_.wait(lock, [&] { return done_ >= ticket || in_callback_; });
}

bool WorkQueue::done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return done_ >= ticket;
}

WorkQueue::Ticket WorkQueue::last() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

void WorkQueue::aside(const Work& f) {
  std::unique_lock lock(mutex_);
  working_ = false;
  in_callback_ = true;
  changed_.notify_all();
  lock.unlock();
  f();
  lock.lock();
  in_callback_ = false;
  changed_.wait(lock, [this] { return visitors_ == 0; });
  working_ = true;
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return visitors_ == 0 && (!waiting_.empty() || ending_); });
    if (waiting_.empty()) return;
    Work work = std::move(waiting_.front());
    waiting_.pop_front();
    working_ = true;
    lock.unlock();
    work();
    work = {};  // what it holds goes before anybody hears that it is done
    lock.lock();
    working_ = false;
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace davsim::runtime
