// Streams that wait: for events, notifies and values in memory.
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

void Simulator::record(const std::shared_ptr<Stream>& stream, Event& event) {
  const auto recording = std::make_shared<Recording>();
  const std::lock_guard lock(event.mutex);
  queue_on(stream, [] { return Demand{}; });
  const std::lock_guard stream_lock(stream->mutex);
  recording->captured = stream->capture;
  recording->ticket = stream->last;
  recording->at = stream->capture ? stream->capture->end_of(*stream) : stream->end;
  event.last = recording;
}

namespace {

/// A stream that waits for one that is captured is captured too, until the other one's capture
/// ends.
void follow_capture(const std::shared_ptr<Stream>& stream,
                    const std::shared_ptr<CapturedWork>& capture) {
  const std::lock_guard lock(stream->mutex);
  if (stream->capture == capture) return;
  if (stream->capture) {
    throw ApiError(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
                   "the stream is captured and the event was recorded outside of that capture");
  }
  if (!capture->goes_on()) {
    throw ApiError(ACL_ERROR_RT_EVENT_CAPTURED,
                   "the event was recorded in a capture, which has ended; record it anew");
  }
  stream->capture = capture;
  capture->join(stream);
}

}  // namespace

bool Simulator::wait_for(const std::shared_ptr<Stream>& stream, Event& event) {
  const std::lock_guard lock(event.mutex);
  if (!event.last) return false;
  follow_capture(stream, event.last->captured);
  // What is recorded was queued before, and the queue is in order.
  queue_on(
      stream, [] { return Demand{}; }, event.last.get());
  return true;
}

void Simulator::hold(const std::shared_ptr<Stream>& stream, std::function<bool()> ready,
                     std::function<MomentPtr()> passed) {
  if (keeper_of(*stream) != nullptr) {
    throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                   "no capture takes a wait for what is not captured");
  }
  await_group(*stream);
  const auto end = std::make_shared<Moment>();
  const auto held = std::make_shared<bool>(false);
  const std::lock_guard lock(stream->mutex);
  std::vector<MomentPtr> behind{stream->end, host_waited_until()};
  stream->end = end;
  const auto die = static_cast<std::uint32_t>(stream->context->device);
  stream->last = queue_.push(
      [this, held, die, passed = std::move(passed), behind = std::move(behind), end]() mutable {
        // What let it go on ended with the last work, if it was not so before.
        if (*held) behind.push_back(ending_);
        behind.push_back(passed());
        Demand at_once;
        at_once.die = die;
        timeline_->add(behind, at_once, end);
        ending_ = end;
      },
      {{stream.get()},
       0,
       [stream, held, ready = std::move(ready)] {
         const bool goes_on = stream->abandoned || ready();
         *held = *held || !goes_on;
         return goes_on;
       },
       die});
}

void Simulator::wait_for_value(const std::shared_ptr<Stream>& stream, const std::uint64_t* at,
                               std::function<bool(std::uint64_t)> holds) {
  hold(
      stream, [at, holds = std::move(holds)] { return holds(number_at(at)); },
      [this, at] {
        const auto written = value_writes_.find(at);
        return written == value_writes_.end() ? nullptr : written->second;
      });
}

void Simulator::signal(const std::shared_ptr<Stream>& stream,
                       const std::shared_ptr<Signal>& signal) {
  queue_on(stream, [this, signal] {
    signal->there = true;
    signal->at = ending_;
    return Demand{};
  });
}

void Simulator::wait_for_signal(const std::shared_ptr<Stream>& stream,
                                const std::shared_ptr<Signal>& signal) {
  hold(
      stream, [signal] { return signal->there; },
      [signal] {
        signal->there = false;
        return signal->at;
      });
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
