#include "runtime/core/queued_launches.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/core/timeout.hpp"

namespace davsim::runtime {
namespace {

// Choices. The host queues launches much faster than that. A kernel that only seems to wait costs
// as much wall time as the sum.
constexpr std::chrono::milliseconds kShortWait{20}, kMostShortWaits{1000};

}  // namespace

QueuedLaunches::QueuedLaunches(WorkQueue& queue, const DeviceMemory& memory,
                               std::chrono::seconds limit, std::function<bool()> broken)
    : queue_(queue), memory_(memory), limit_(limit), broken_(std::move(broken)) {}

bool QueuedLaunches::begin_one(Patience patience) {
  if (broken_()) return false;
  if (patience == Patience::kLong) return await_telling();
  const bool all_launched = queue_.uses_all(memory_.reached_devices());
  const bool over = short_waits_ >= kMostShortWaits;
  return await(all_launched || over ? std::chrono::milliseconds(0) : kShortWait);
}

bool QueuedLaunches::await(std::chrono::milliseconds limit) {
  const bool came = queue_.do_another(limit);
  short_waits_ = came ? std::chrono::milliseconds(0) : short_waits_ + limit;
  return came;
}

bool QueuedLaunches::await_telling() {
  const std::chrono::milliseconds quiet = std::min<std::chrono::milliseconds>(kQuietWait, limit_);
  if (await(quiet)) return true;
  std::fprintf(stderr,
               "davsim: a kernel waits for what no running kernel writes; it goes on when a kernel "
               "of another device is launched\n");
  return await(limit_ - quiet);
}

}  // namespace davsim::runtime
