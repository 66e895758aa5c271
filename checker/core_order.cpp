#include "checker/core_order.hpp"

#include <algorithm>
#include <optional>

namespace davsim::checker {
namespace {

constexpr std::uint32_t place(isa::Pipe pipe) {
  return static_cast<std::uint32_t>(pipe);
}

/// Removes and returns the oldest entry for which `is_it` is true, if any.
template <class Entry, class IsIt>
std::optional<Clock> take(std::vector<Entry>& entries, IsIt is_it) {
  const auto entry = std::find_if(entries.begin(), entries.end(), is_it);
  if (entry == entries.end()) return std::nullopt;  // set before the checker was attached
  Clock clock = std::move(entry->clock);
  entries.erase(entry);
  return clock;
}

}  // namespace

CoreOrder::CoreOrder(std::uint32_t core) : core_(core) {
  clocks_.fill(Clock(core));
}

void CoreOrder::begin_block(bool in_order) {
  drained();
  if (in_order) {
    for (Clock& clock : clocks_) clock = clock_of(isa::Pipe::S);
  } else {
    clocks_.fill(Clock(core_));
    last_ = {};  // barriers of the block end what the block has begun
  }
  flags_.clear();
  forget_sets();
  arrivals_.clear();
  for (Queue& queue : queues_) {
    queue.dispatched = queue.started = queue.version = 0;
    queue.news.clear();
    queue.places.clear();
  }
  course_.begin_block(place_);
}

void CoreOrder::dispatch(isa::Pipe pipe, const isa::SourceLocation& where) {
  Queue& queue = queues_[place(pipe)];
  ++queue.dispatched;
  queue.places.push_back(++place_);
  course_.step(place_, where);
  if (queue.version == version_) return;
  queue.version = version_;
  if (snapshot_ == nullptr) {
    Clock clock = clock_of(isa::Pipe::S);
    clock.set_own(kScalarLoads, last_[kScalarLoads]);
    snapshot_ = std::make_shared<const Clock>(std::move(clock));
  }
  queue.news.push_back({queue.dispatched, snapshot_});
}

void CoreOrder::start(isa::Pipe pipe) {
  Queue& queue = queues_[place(pipe)];
  ++queue.started;
  if (!queue.places.empty()) {
    trails_[place(pipe)].place = queue.places.front();
    queue.places.pop_front();
  }
  while (!queue.news.empty() && queue.news.front().number <= queue.started) {
    clock_of(pipe).join(*queue.news.front().clock);
    queue.news.pop_front();
  }
}

void CoreOrder::accessed(std::uint32_t at, Stamp stamp, const isa::SourceLocation& where) {
  last_[at] = stamp;
  Trail& trail = trails_[at];
  // The scalar unit reaches its own accesses in the order of the kernel.
  if (at == kScalarLoads || at == place(isa::Pipe::S)) {
    trail.place = ++place_;
    course_.step(place_, where);
  }
  trail.accesses[trail.next] = {stamp, trail.place};
  trail.next = (trail.next + 1) % Trail::kKept;
  if (at != kScalarLoads) return;
  ++version_;
  snapshot_ = nullptr;
}

std::uint64_t CoreOrder::position_of(std::uint32_t at, Stamp stamp) const {
  const auto& accesses = trails_[at].accesses;
  const auto found = std::find_if(accesses.begin(), accesses.end(),
                                  [stamp](const auto& entry) { return entry.first == stamp; });
  return found == accesses.end() ? 0 : found->second;
}

Clock CoreOrder::published(isa::Pipe pipe) const {
  Clock clock = clocks_[place(pipe)];
  clock.set_own(place(pipe), last_[place(pipe)]);
  if (pipe == isa::Pipe::S) clock.set_own(kScalarLoads, last_[kScalarLoads]);
  return clock;
}

void CoreOrder::learn(isa::Pipe pipe, const Clock& clock) {
  clock_of(pipe).join_from(clock);
  if (pipe != isa::Pipe::S) return;
  ++version_;
  snapshot_ = nullptr;
}

void CoreOrder::set_flag(const isa::FlagParams& flag) {
  flags_.push_back({flag, published(flag.set_pipe)});
}

void CoreOrder::wait_flag(const isa::FlagParams& flag) {
  const auto set = take(flags_, [&](const FlagSet& set) { return set.flag.same_event(flag); });
  if (set) learn(flag.wait_pipe, *set);
}

void CoreOrder::barrier(isa::Pipe pipe) {
  clock_of(pipe).set_own(place(pipe), last_[place(pipe)]);
}

void CoreOrder::drained() {
  Clock& scalar = clock_of(isa::Pipe::S);
  for (const Clock& clock : clocks_) scalar.join(clock);
  for (std::uint32_t i = 0; i < kAgentsPerCore; ++i) scalar.set_own(i, last_[i]);
  ++version_;
  snapshot_ = nullptr;
}

void CoreOrder::set_cross(const isa::CrossCoreFlagParams& flag, isa::Pipe pipe,
                          isa::SourceLocation where) {
  cross_sets_.push_back({flag, published(pipe), where});
}

Clock CoreOrder::raise(const isa::CrossCoreFlagParams& flag) {
  return take(cross_sets_,
              [&](const CrossSet& set) {
                return set.flag.mode == flag.mode && set.flag.id == flag.id;
              })
      .value_or(Clock());
}

void CoreOrder::arrive(std::uint8_t id, const Clock& clock) {
  arrivals_.push_back({id, clock});
}

void CoreOrder::wait_cross(std::uint8_t id, isa::Pipe pipe) {
  const auto clock = take(arrivals_, [id](const Arrival& arrival) { return arrival.id == id; });
  if (clock) learn(pipe, *clock);
}

}  // namespace davsim::checker
