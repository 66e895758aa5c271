#include "sim/core/effect_order.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <utility>

namespace davsim::sim {
namespace {

/// Effects fetched ahead of the one that is given to its core.
constexpr std::uint64_t kFetchedAhead = 8;

}  // namespace

void EffectOrder::add_core(std::uint32_t core) {
  if (cores_.size() <= core) cores_.resize(core + 1);
}

void EffectOrder::take(std::uint64_t end, const Awaited& awaited) {
  const bool all = awaited.all || awaited.core != kNoCore;
  while (taken_ != end && (all || turns_.size() < 2 * kTurnsAhead)) {
    hwy::Prefetch(&ring_.at(taken_ + kFetchedAhead));
    append(taken_++);
  }
}

void EffectOrder::append(std::uint64_t number) {
  const Effect& effect = ring_.at(number);
  CoreEffects& core = cores_[effect.core];
  if (core.last == kNone) {
    core.first = number;
    core.place = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back(effect.core);
  } else {
    ring_.at(core.last).next = number;
  }
  core.last = number;
  if (effect.global) turns_.push_back({number, effect.core});
}

void EffectOrder::no_longer_waits(std::uint32_t core) {
  const std::uint32_t place = cores_[core].place;
  waiting_[place] = waiting_.back();
  cores_[waiting_[place]].place = place;
  waiting_.pop_back();
}

std::optional<EffectOrder::Job> EffectOrder::next(const Awaited& awaited) {
  if (const auto job = next_awaited(awaited.core)) return job;
  if (const auto job = next_in_turn()) return job;
  // What a core does on its chip alone is put off as long as there is room.
  return awaited.all ? next_oldest() : std::nullopt;
}

/// The core that somebody waits for, up to what has to await its turn.
std::optional<EffectOrder::Job> EffectOrder::next_awaited(std::uint32_t core) {
  if (core == kNoCore || cores_[core].busy || cores_[core].first == kNone) return {};
  if (ring_.at(cores_[core].first).global) return {};
  return begin_job(core, kNone);
}

/// The core whose turn it is; where another thread has that one, a core whose turn comes soon.
std::optional<EffectOrder::Job> EffectOrder::next_in_turn() {
  ++round_;
  const std::size_t ahead = std::min(turns_.size(), kTurnsAhead);
  for (std::size_t i = 0; i < ahead; ++i) {
    const Turn& turn = turns_[i];
    CoreEffects& core = cores_[turn.core];
    if (std::exchange(core.looked_at, round_) == round_ || core.busy) continue;
    if (i == 0) return begin_job(turn.core, turn.number);
    if (!ring_.at(core.first).global) return begin_job(turn.core, kNone);
  }
  return {};
}

std::optional<EffectOrder::Job> EffectOrder::next_oldest() {
  std::uint32_t oldest = 0;
  std::uint64_t first = kNone;
  for (const std::uint32_t i : waiting_) {
    const CoreEffects& core = cores_[i];
    if (core.busy || core.first >= first || ring_.at(core.first).global) continue;
    oldest = i;
    first = core.first;
  }
  if (first == kNone) return {};
  return begin_job(oldest, kNone);
}

EffectOrder::Job EffectOrder::begin_job(std::uint32_t core, std::uint64_t turn) {
  cores_[core].busy = true;
  return {core, cores_[core].first, cores_[core].last, turn};
}

bool EffectOrder::finish(const Job& job) {
  CoreEffects& core = cores_[job.core];
  core.busy = false;
  if (job.stopped_at != kNone) {
    core.first = job.stopped_at;
  } else {
    Effect& ended = ring_.at(job.ended);
    core.first = ended.next;
    if (core.first == kNone) {
      core.last = kNone;
      no_longer_waits(job.core);
    }
    // Only now: the place may be used again at once.
    ended.happened.store(true, std::memory_order_release);
  }
  if (job.turn != kNone) turns_.pop_front();
  return job.turn != kNone || core.first != kNone;
}

}  // namespace davsim::sim
