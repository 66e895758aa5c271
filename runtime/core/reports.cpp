#include "runtime/core/reports.hpp"

#include <pthread.h>

namespace davsim::runtime {
namespace {

thread_local std::uint32_t t_callbacks = 0;

}  // namespace

InCallback::InCallback() {
  ++t_callbacks;
}

InCallback::~InCallback() {
  --t_callbacks;
}

bool InCallback::active() {
  return t_callbacks > 0;
}

void Reports::post(ThreadId thread, std::function<void()> callback, bool blocking) {
  const auto report = std::make_shared<Report>(Report{std::move(callback)});
  std::unique_lock lock(mutex_);
  waiting_[thread].push_back(report);
  changed_.notify_all();
  if (blocking) changed_.wait(lock, [&] { return report->done; });
}

bool Reports::process(std::optional<std::chrono::milliseconds> limit) {
  const auto me = static_cast<ThreadId>(pthread_self());
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return !waiting_[me].empty(); };
  if (limit) {
    if (!changed_.wait_for(lock, *limit, ready)) return false;
  } else {
    changed_.wait(lock, ready);
  }
  while (ready()) {
    const std::shared_ptr<Report> report = waiting_[me].front();
    waiting_[me].pop_front();
    lock.unlock();
    {
      const InCallback here;
      report->callback();
    }
    lock.lock();
    report->done = true;
    changed_.notify_all();
  }
  return true;
}

void Reports::drop(ThreadId thread) {
  const std::lock_guard lock(mutex_);
  for (const auto& report : waiting_[thread]) report->done = true;
  waiting_.erase(thread);
  changed_.notify_all();
}

}  // namespace davsim::runtime
