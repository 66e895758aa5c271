#include "sim/core/effect_thread.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "isa/exec/accesses.hpp"
#include "isa/exec/execute.hpp"

namespace davsim::sim {
namespace {

/// What the other thread wrote comes from its caches: some hundred cycles for each line.
template <class T>
void fetch_ahead(const T& record) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&record);
  for (std::size_t line = 0; line < sizeof record; line += 64) hwy::Prefetch(bytes + line);
}

bool touches_global_memory(const isa::DecodedInstr& instr) {
  return instr.dst.space == isa::Space::kGm || instr.src0.space == isa::Space::kGm ||
         instr.src1.space == isa::Space::kGm;
}

}  // namespace

EffectThread::EffectThread() : ring_(std::make_unique<Effect[]>(kRing)) {}

EffectThread::~EffectThread() {
  end();
}

void EffectThread::add_core(std::uint32_t core, const isa::CoreMemory& memory,
                            const std::string& name) {
  if (cores_.size() <= core) {
    cores_.resize(core + 1);
    last_given_.resize(core + 1);
  }
  cores_[core].memory = &memory;
  cores_[core].name = &name;
}

// --- the simulation's thread ---------------------------------------------------------------------

void EffectThread::begin() {
  end();
  given_ = settled_ = woken_at_ = taken_ = 0;
  published_ = freed_ = global_done_ = 0;
  global_writes_.clear();
  std::fill(last_given_.begin(), last_given_.end(), kNone);
  last_global_ = kNone;
  fault_number_ = kNone;
  fault_.reset();
  ending_ = false;
  begun_ = true;
}

void EffectThread::start_thread() {
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // The host grants no further thread: the caller applies all effects when it waits for them.
  }
}

void EffectThread::give(const isa::DecodedInstr& instr, std::uint32_t core) {
  if (idle()) {
    isa::execute(instr, *cores_[core].memory);
    return;
  }
  if (fault_number_.load(std::memory_order_relaxed) != kNone) settle();
  push(instr, core);
  if (instr.dst.space == isa::Space::kGm) note_global_write(instr);
}

void EffectThread::apply_now(const isa::DecodedInstr& instr, std::uint32_t core) {
  settle();
  try {
    isa::execute(instr, *cores_[core].memory);
  } catch (isa::Fault& fault) {
    fault.core = *cores_[core].name;
    throw;
  }
}

void EffectThread::push(const isa::DecodedInstr& instr, std::uint32_t core) {
  if (given_ - freed_.load(std::memory_order_relaxed) == kRing) {
    publish();
    // Half of the room at once: going back and forth for a little of it costs more than it is
    // worth.
    help_until([this] { return has_room(); });
  }
  last_given_[core] = given_;
  Effect& effect = slot(given_++);
  effect.instr = instr;
  effect.next = kNone;
  effect.core = core;
  effect.global = touches_global_memory(instr);
  effect.happened.store(false, std::memory_order_relaxed);
  if (effect.global) {
    last_global_ = given_ - 1;
    global_unpublished_ = true;
  }
  if (given_ == kWorthAThread) start_thread();
  if (given_ % kBatch == 0) publish();
}

/// Tells the other thread only what gives it something to do, see choose().
void EffectThread::publish() {
  published_.store(given_, std::memory_order_release);
  const bool for_global_memory = std::exchange(global_unpublished_, false);
  if (!has_room() || draining_ || given_ - woken_at_ >= kWorthWaking) {
    woken_at_ = given_;
    news_.ring();
  } else if (for_global_memory) {
    news_.ring_softly();
  }
}

/// Looks which effects have happened. Returns the first one that has not.
std::uint64_t EffectThread::first_to_happen() {
  std::uint64_t first = freed_.load(std::memory_order_relaxed);
  while (first != given_ && slot(first).happened.load(std::memory_order_acquire)) ++first;
  freed_.store(first, std::memory_order_relaxed);
  return first;
}

bool EffectThread::has_happened(std::uint64_t number) {
  return number < freed_.load(std::memory_order_relaxed) ||
         slot(number).happened.load(std::memory_order_acquire);
}

bool EffectThread::global_happened(std::uint64_t number) const {
  return number < global_done_.load(std::memory_order_acquire);
}

/// True if half of the ring is free. Looks how far things are only where it seems not to be.
bool EffectThread::has_room() {
  return given_ - freed_.load(std::memory_order_relaxed) <= kRing / 2 ||
         given_ - first_to_happen() <= kRing / 2;
}

void EffectThread::note_global_write(const isa::DecodedInstr& instr) {
  const std::uint64_t done = global_done_.load(std::memory_order_acquire);
  while (!global_writes_.empty() && global_writes_.front().number < done) {
    global_writes_.pop_front();
  }
  auto [begin, end] = isa::gm_footprint(instr).range();
  if (begin == end) end = ~std::uint64_t{0};  // says nothing of where: anywhere
  global_writes_.push_back({given_ - 1, begin, end});
}

/// Works with the other thread until `done()`.
template <class Done>
void EffectThread::help_until(Done done) {
  for (;;) {
    const std::uint64_t rings = news_.rings();
    if (done()) return;
    if (carry_on()) {
      news_.ring_softly();
    } else {
      news_.wait(rings);
    }
  }
}

void EffectThread::settle() {
  if (idle() || settled_ == given_) return;
  settled_ = given_;
  draining_ = true;
  publish();
  help_until([this] { return first_to_happen() == given_; });
  draining_ = false;
  const std::lock_guard lock(mutex_);
  if (fault_) throw isa::Fault(*fault_);
}

void EffectThread::settle_core(std::uint32_t core) {
  if (idle()) return;
  const std::uint64_t last = last_given_[core];
  if (last != kNone && !has_happened(last)) {
    awaited_ = core;
    publish();
    help_until([&] { return has_happened(last); });
    awaited_ = kNoCore;
  }
  if (fault_number_.load(std::memory_order_relaxed) != kNone) settle();
}

void EffectThread::settle_seen_by(std::uint32_t core) {
  if (idle()) return;
  if (last_global_ != kNone && !global_happened(last_global_)) {
    publish();
    help_until([this] { return global_happened(last_global_); });
  }
  settle_core(core);
}

void EffectThread::settle_writes(std::uint64_t addr, std::uint64_t bytes) {
  const auto last = std::find_if(
      global_writes_.rbegin(), global_writes_.rend(),
      [&](const GlobalWrite& write) { return write.begin < addr + bytes && addr < write.end; });
  if (last == global_writes_.rend()) return;
  publish();
  help_until([&] { return global_happened(last->number); });
  if (fault_number_.load(std::memory_order_relaxed) != kNone) settle();
}

std::optional<isa::Fault> EffectThread::end() {
  if (idle()) return {};
  try {
    settle();
  } catch (const isa::Fault&) {
    // Handed over below.
  }
  begun_ = false;
  if (thread_.joinable()) {
    ending_ = true;
    news_.ring();
    thread_.join();
  }
  return std::exchange(fault_, std::nullopt);
}

// --- both threads --------------------------------------------------------------------------------

void EffectThread::work() {
  for (;;) {
    const std::uint64_t rings = news_.rings();
    if (carry_on()) {
      news_.ring();
      continue;
    }
    if (ending_) return;
    news_.wait(rings);
  }
}

/// Carries on with one core; false if there is nothing to do at present.
bool EffectThread::carry_on() {
  std::unique_lock lock(mutex_);
  take_published();
  std::optional<Job> job = choose();
  if (!job) return false;
  lock.unlock();
  run(*job);
  lock.lock();
  finish(*job);
  return true;
}

void EffectThread::run(Job& job) {
  for (std::uint64_t number = job.first, next = kNone;; number = next) {
    Effect& effect = slot(number);
    if (number != job.last) {
      next = effect.next;
      fetch_ahead(slot(next));
    }
    if (effect.global && number != job.turn) {
      job.stopped_at = number;
      return;
    }
    happen(number, effect);
    job.ended = number;
    if (number == job.last || number == job.turn) return;
    // From here on the place may be used again: `next` has been read.
    effect.happened.store(true, std::memory_order_release);
  }
}

/// Nothing happens behind a fault. What comes before it still may, and may be the first fault.
void EffectThread::happen(std::uint64_t number, const Effect& effect) {
  if (number > fault_number_.load(std::memory_order_relaxed)) return;
  const CoreEffects& core = cores_[effect.core];
  try {
    isa::execute(effect.instr, *core.memory);
  } catch (isa::Fault& fault) {
    fault.core = *core.name;
    fail(number, std::move(fault));
  } catch (const std::exception& error) {
    isa::Fault fault(isa::FaultClass::kLimit, error.what(), effect.instr.where);
    fault.core = *core.name;
    fail(number, std::move(fault));
  }
}

void EffectThread::fail(std::uint64_t number, isa::Fault fault) {
  const std::lock_guard lock(mutex_);
  if (number > fault_number_) return;
  fault_number_ = number;
  fault_ = std::move(fault);
}

// --- whoever holds the mutex ---------------------------------------------------------------------

/// Gives effects to their cores, as many as it takes to see what can be done now.
void EffectThread::take_published() {
  const std::uint64_t end = published_.load(std::memory_order_acquire);
  const bool all = draining_ || awaited_ != kNoCore;
  while (taken_ != end && (all || turns_.size() < 2 * kTurnsAhead)) {
    hwy::Prefetch(&slot(taken_ + kBatch / 2));
    append(taken_++);
  }
  note_turn();
}

void EffectThread::append(std::uint64_t number) {
  const Effect& effect = slot(number);
  CoreEffects& core = cores_[effect.core];
  if (core.last == kNone) {
    core.first = number;
    core.place = static_cast<std::uint32_t>(waiting_.size());
    waiting_.push_back(effect.core);
  } else {
    slot(core.last).next = number;
  }
  core.last = number;
  if (effect.global) turns_.push_back({number, effect.core});
}

void EffectThread::no_longer_waits(std::uint32_t core) {
  const std::uint32_t place = cores_[core].place;
  waiting_[place] = waiting_.back();
  cores_[waiting_[place]].place = place;
  waiting_.pop_back();
}

std::optional<EffectThread::Job> EffectThread::choose() {
  if (const auto job = choose_awaited()) return job;
  if (const auto job = choose_in_turn()) return job;
  // What a core does on its chip alone is put off as long as there is room.
  const bool crowded = taken_ - freed_.load(std::memory_order_relaxed) > kRing / 2;
  return draining_ || crowded ? choose_oldest() : std::nullopt;
}

/// The core that the caller waits for, up to what has to await its turn.
std::optional<EffectThread::Job> EffectThread::choose_awaited() {
  const std::uint32_t core = awaited_;
  if (core == kNoCore || cores_[core].busy || cores_[core].first == kNone) return {};
  if (slot(cores_[core].first).global) return {};
  return begin_job(core, kNone);
}

/// The core whose turn it is; where another thread has that one, a core whose turn comes soon.
std::optional<EffectThread::Job> EffectThread::choose_in_turn() {
  ++round_;
  const std::size_t ahead = std::min(turns_.size(), kTurnsAhead);
  for (std::size_t i = 0; i < ahead; ++i) {
    const Turn& turn = turns_[i];
    CoreEffects& core = cores_[turn.core];
    if (std::exchange(core.looked_at, round_) == round_ || core.busy) continue;
    if (i == 0) return begin_job(turn.core, turn.number);
    if (!slot(core.first).global) return begin_job(turn.core, kNone);
  }
  return {};
}

std::optional<EffectThread::Job> EffectThread::choose_oldest() {
  std::uint32_t oldest = 0;
  std::uint64_t first = kNone;
  for (const std::uint32_t i : waiting_) {
    const CoreEffects& core = cores_[i];
    if (core.busy || core.first >= first || slot(core.first).global) continue;
    oldest = i;
    first = core.first;
  }
  if (first == kNone) return {};
  return begin_job(oldest, kNone);
}

EffectThread::Job EffectThread::begin_job(std::uint32_t core, std::uint64_t turn) {
  cores_[core].busy = true;
  return {core, cores_[core].first, cores_[core].last, turn};
}

void EffectThread::finish(const Job& job) {
  CoreEffects& core = cores_[job.core];
  core.busy = false;
  if (job.stopped_at != kNone) {
    core.first = job.stopped_at;
  } else {
    Effect& ended = slot(job.ended);
    core.first = ended.next;
    if (core.first == kNone) {
      core.last = kNone;
      no_longer_waits(job.core);
    }
    // Only now: the place may be used again at once.
    ended.happened.store(true, std::memory_order_release);
  }
  if (job.turn != kNone) turns_.pop_front();
  note_turn();
}

void EffectThread::note_turn() {
  global_done_.store(turns_.empty() ? taken_ : turns_.front().number, std::memory_order_release);
}

}  // namespace davsim::sim
