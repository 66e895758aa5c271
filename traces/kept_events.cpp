#include "traces/kept_events.hpp"

#include <utility>

namespace davsim::traces {
namespace {

/// Batches whose memory waits for the next call: calls are mostly alike and small.
constexpr std::size_t kMostSpare = 16;

}  // namespace

EventBatch& KeptEvents::last() {
  if (batches_.empty() || batches_.back().full()) {
    if (spare_.empty()) {
      batches_.emplace_back();
    } else {
      batches_.push_back(std::move(spare_.back()));
      spare_.pop_back();
    }
  }
  return batches_.back();
}

void KeptEvents::instruction(const InstrEvent& event) {
  ++instructions_;
  if (complete()) {
    last().add(event);
  } else if (!batches_.empty()) {
    batches_.clear();
  }
}

void KeptEvents::clear() {
  instructions_ = 0;
  while (!batches_.empty() && spare_.size() < kMostSpare) {
    batches_.back().clear();
    spare_.push_back(std::move(batches_.back()));
    batches_.pop_back();
  }
  batches_.clear();
}

void KeptEvents::show_to(Observer& observer) {
  for (EventBatch& batch : batches_) batch.show_to(observer);
}

}  // namespace davsim::traces
