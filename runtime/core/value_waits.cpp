// Streams that wait for a value in memory.
#include <cstring>

#include "runtime/core/api_error.hpp"
#include "runtime/core/simulator.hpp"

namespace davsim::runtime {
namespace {

std::uint64_t number_at(const std::uint64_t* at) {
  std::uint64_t number = 0;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

void Simulator::wait_for_value(const std::shared_ptr<Stream>& stream, const std::uint64_t* at,
                               std::function<bool(std::uint64_t)> holds) {
  if (keeper_of(*stream) != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no capture takes a wait for a value");
  }
  await_group(*stream);
  const auto end = std::make_shared<Moment>();
  const auto held = std::make_shared<bool>(false);
  const std::lock_guard lock(stream->mutex);
  std::vector<MomentPtr> behind{stream->end, host_waited_until()};
  stream->end = end;
  stream->last = queue_.push(
      [this, at, held, behind = std::move(behind), end]() mutable {
        // What made the value so ended with the last work, if it was not so before.
        const auto written = value_writes_.find(at);
        if (*held) behind.push_back(ending_);
        if (written != value_writes_.end()) behind.push_back(written->second);
        timeline_->add(behind, Demand{}, end);
        ending_ = end;
      },
      {{stream.get()}, 0, [stream, at, held, holds = std::move(holds)] {
         const bool goes_on = stream->abandoned || holds(number_at(at));
         *held = *held || !goes_on;
         return goes_on;
       }});
}

void Simulator::write_value(const std::shared_ptr<Stream>& stream, std::uint64_t* at,
                            std::uint64_t value) {
  queue_on(stream, [this, at, value] {
    std::memcpy(at, &value, sizeof value);
    memory_->host_wrote(at, sizeof value);
    value_writes_[at] = ending_;
    return copy_demand(Direction::kSet, sizeof value);
  });
  touched(*stream, at, nullptr);
}

void Simulator::abandon(const std::vector<std::shared_ptr<Stream>>& streams) {
  const auto settle = [&] {
    for (const auto& stream : streams) {
      WorkQueue::Ticket last = 0;
      {
        const std::lock_guard lock(stream->mutex);
        last = stream->last;
      }
      queue_.wait_or_held(last);
    }
  };
  settle();
  for (const auto& stream : streams) stream->abandoned = true;
  queue_.look_again();
  settle();
  for (const auto& stream : streams) stream->abandoned = false;
}

}  // namespace davsim::runtime
