#include "runtime/core/work_queue.hpp"

#include <algorithm>
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

WorkQueue::Ticket WorkQueue::push(Work work, Needs needs) {
  std::unique_lock lock(mutex_);
  // The program ends: nobody would do it.
  if (ending_ && !on_own_thread()) return done_;
  if (!on_own_thread()) {
    changed_.wait(lock, [this] { return waiting_.size() < kMost; });
  }
  waiting_.push_back({std::move(work), std::move(needs), ++pushed_});
  held_ = false;
  changed_.notify_all();
  return pushed_;
}

template <class Reached>
bool WorkQueue::wait_until(std::optional<std::chrono::milliseconds> limit, Reached reached) {
  std::unique_lock lock(mutex_);
  if (on_own_thread()) return reached();
  if (limit) return changed_.wait_for(lock, *limit, reached);
  changed_.wait(lock, reached);
  return true;
}

bool WorkQueue::wait(Ticket ticket, std::optional<std::chrono::milliseconds> limit) {
  return wait_until(limit, [&] { return is_done(ticket); });
}

bool WorkQueue::wait_through(Ticket ticket, std::optional<std::chrono::milliseconds> limit) {
  return wait_until(limit, [&] { return done_ >= ticket; });
}

void WorkQueue::wait_unless_held(Ticket ticket) {
  wait_until(std::nullopt, [&] { return done_ >= ticket || in_callback_ || held_; });
}

void WorkQueue::wait_or_held(Ticket ticket) {
  wait_until(std::nullopt, [&] { return is_done(ticket) || held_; });
}

bool WorkQueue::done(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  return is_done(ticket);
}

bool WorkQueue::is_held() const {
  const std::lock_guard lock(mutex_);
  return held_;
}

WorkQueue::Ticket WorkQueue::done_through() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

WorkQueue::Ticket WorkQueue::last() const {
  const std::lock_guard lock(mutex_);
  return pushed_;
}

void WorkQueue::look_again() {
  const std::lock_guard lock(mutex_);
  held_ = false;
  changed_.notify_all();
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

bool WorkQueue::is_in_use(const Needs& needs) const {
  if (needs.lanes.empty()) return false;
  return std::any_of(in_progress_.begin(), in_progress_.end(), [&](const Needs& other) {
    return !needs.device || !other.device || *needs.device == *other.device;
  });
}

/// The first work that waits for nothing. Behind one that waits, its lane waits too, and so do
/// works of other lanes that are to come after these.
WorkQueue::Items::iterator WorkQueue::next() {
  std::set<const void*> lanes;
  return std::find_if(waiting_.begin(), waiting_.end(), [&](const Item& item) {
    const Needs& needs = item.needs;
    const bool waits = std::any_of(needs.lanes.begin(), needs.lanes.end(),
                                   [&](const void* lane) { return lanes.contains(lane); }) ||
                       is_in_use(needs) || !is_done(needs.after) || (needs.ready && !needs.ready());
    if (waits) lanes.insert(needs.lanes.begin(), needs.lanes.end());
    return !waits;
  });
}

void WorkQueue::finish(Ticket ticket) {
  early_.insert(ticket);
  while (early_.contains(done_ + 1)) early_.erase(++done_);
}

void WorkQueue::carry_out(Items::iterator item, std::unique_lock<std::mutex>& lock) {
  Work work = std::move(item->work);
  const Ticket ticket = item->ticket;
  in_progress_.push_back(std::move(item->needs));
  waiting_.erase(item);
  working_ = true;
  lock.unlock();
  work();
  work = {};  // what it holds goes before anybody hears that it is done
  lock.lock();
  in_progress_.pop_back();
  working_ = !in_progress_.empty();
  finish(ticket);
  changed_.notify_all();
}

bool WorkQueue::do_another(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  working_ = false;
  changed_.notify_all();
  changed_.wait_for(lock, limit,
                    [this] { return visitors_ == 0 && (ending_ || next() != waiting_.end()); });
  changed_.wait(lock, [this] { return visitors_ == 0; });
  working_ = true;
  const Items::iterator item = next();
  if (item == waiting_.end()) return false;
  carry_out(item, lock);
  return true;
}

bool WorkQueue::uses_all(const std::set<std::uint32_t>& devices) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(devices.begin(), devices.end(), [this](std::uint32_t device) {
    return std::any_of(in_progress_.begin(), in_progress_.end(),
                       [&](const Needs& needs) { return needs.device == device; });
  });
}

void WorkQueue::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Items::iterator item;
    changed_.wait(lock, [&] {
      if (visitors_ > 0) return false;
      item = next();
      const bool held = item == waiting_.end() && !waiting_.empty();
      if (held != std::exchange(held_, held)) changed_.notify_all();
      return item != waiting_.end() || ending_;
    });
    if (item == waiting_.end()) return;
    carry_out(item, lock);
  }
}

}  // namespace davsim::runtime
