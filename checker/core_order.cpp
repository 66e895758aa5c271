#include "checker/core_order.hpp"

namespace davsim::checker {
namespace {

constexpr std::uint32_t place(isa::Pipe pipe) {
  return static_cast<std::uint32_t>(pipe);
}

}  // namespace

CoreOrder::CoreOrder(std::uint32_t core) {
  clocks_.fill(Clock(core));
}

void CoreOrder::begin_block() {
  drained();
  for (Clock& clock : clocks_) clock = clock_of(isa::Pipe::S);
  for (auto& from : flags_) {
    for (auto& to : from) {
      for (auto& flag : to) flag.clear();
    }
  }
  forget_sets();
  for (auto& clocks : arrived_) clocks.clear();
  for (Queue& queue : queues_) queue = {};
}

void CoreOrder::dispatch(isa::Pipe pipe) {
  Queue& queue = queues_[place(pipe)];
  ++queue.dispatched;
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
  while (!queue.news.empty() && queue.news.front().number <= queue.started) {
    clock_of(pipe).join(*queue.news.front().clock);
    queue.news.pop_front();
  }
}

void CoreOrder::accessed(std::uint32_t at, Stamp stamp) {
  last_[at] = stamp;
  if (at != kScalarLoads) return;
  ++version_;
  snapshot_ = nullptr;
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
  flags_[place(flag.set_pipe)][place(flag.wait_pipe)][flag.id].push_back(published(flag.set_pipe));
}

void CoreOrder::wait_flag(const isa::FlagParams& flag) {
  auto& sets = flags_[place(flag.set_pipe)][place(flag.wait_pipe)][flag.id];
  if (sets.empty()) return;  // set before anybody watched
  learn(flag.wait_pipe, sets.front());
  sets.pop_front();
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
  cross_sets_[flag.mode][flag.id].push_back({published(pipe), where});
}

void CoreOrder::forget_sets() {
  for (auto& mode : cross_sets_) {
    for (auto& sets : mode) sets.clear();
  }
}

Clock CoreOrder::raise(const isa::CrossCoreFlagParams& flag) {
  auto& sets = cross_sets_[flag.mode][flag.id];
  if (sets.empty()) return {};  // set before anybody watched
  Clock clock = std::move(sets.front().clock);
  sets.pop_front();
  return clock;
}

void CoreOrder::arrive(std::uint8_t id, const Clock& clock) {
  arrived_[id].push_back(clock);
}

void CoreOrder::wait_cross(std::uint8_t id, isa::Pipe pipe) {
  if (arrived_[id].empty()) return;
  learn(pipe, arrived_[id].front());
  arrived_[id].pop_front();
}

}  // namespace davsim::checker
