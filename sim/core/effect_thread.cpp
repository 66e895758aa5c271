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

EffectThread::~EffectThread() {
  end();
}

void EffectThread::add_core(std::uint32_t core, const isa::CoreMemory& memory,
                            const std::string& name) {
  if (cores_.size() <= core) {
    cores_.resize(core + 1);
    last_given_.resize(core + 1);
  }
  cores_[core] = {&memory, &name};
  order_.add_core(core);
}

// --- the simulation's thread ---------------------------------------------------------------------

void EffectThread::begin() {
  end();
  given_ = settled_ = 0;
  order_.begin();
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
  if (given_ - freed_.load(std::memory_order_relaxed) == kRoom) {
    publish();
    // Half of the room at once: going back and forth for a little of it costs more than it is
    // worth.
    help_until([this] { return has_room(); });
  }
  last_given_[core] = given_;
  Effect& effect = ring_.at(given_++);
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

/// Tells the other thread only what gives it something to do, see EffectOrder.
void EffectThread::publish() {
  published_.store(given_, std::memory_order_release);
  if (std::exchange(global_unpublished_, false) || !has_room() || draining_) news_.ring();
}

/// Looks which effects have happened. Returns the first one that has not.
std::uint64_t EffectThread::first_to_happen() {
  std::uint64_t first = freed_.load(std::memory_order_relaxed);
  while (first != given_ && ring_.at(first).happened.load(std::memory_order_acquire)) ++first;
  freed_.store(first, std::memory_order_relaxed);
  return first;
}

bool EffectThread::has_happened(std::uint64_t number) {
  return number < freed_.load(std::memory_order_relaxed) ||
         ring_.at(number).happened.load(std::memory_order_acquire);
}

bool EffectThread::global_happened(std::uint64_t number) const {
  return number < global_done_.load(std::memory_order_acquire);
}

/// True if half of the ring is free. Looks how far things are only where it seems not to be.
bool EffectThread::has_room() {
  return given_ - freed_.load(std::memory_order_relaxed) <= kRoom / 2 ||
         given_ - first_to_happen() <= kRoom / 2;
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
    if (!carry_on(By::kCaller)) news_.wait(rings);
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
    if (carry_on(By::kOtherThread)) continue;
    if (ending_) return;
    news_.wait(rings);
  }
}

/// Carries on with one core; false if there is nothing to do at present. The caller may wait for
/// any effect. The other thread waits for work alone, and is not woken where there is none: a
/// kernel that loads each result has the caller carry on every few instructions.
bool EffectThread::carry_on(By by) {
  std::unique_lock lock(mutex_);
  std::optional<Job> job = next_job();
  if (!job) return false;
  lock.unlock();
  run(*job);
  lock.lock();
  const bool more_to_do = finish(*job);
  lock.unlock();
  if (more_to_do || by == By::kOtherThread) news_.ring();
  return true;
}

void EffectThread::run(Job& job) {
  for (std::uint64_t number = job.first, next = kNone;; number = next) {
    Effect& effect = ring_.at(number);
    if (number != job.last) {
      next = effect.next;
      fetch_ahead(ring_.at(next));
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
  const Core& core = cores_[effect.core];
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

std::optional<EffectThread::Job> EffectThread::next_job() {
  const std::uint64_t freed = freed_.load(std::memory_order_relaxed);
  EffectOrder::Awaited awaited{draining_, awaited_};
  order_.take(published_.load(std::memory_order_acquire), awaited);
  tell_turn();
  awaited.all |= order_.taken() - freed > kRoom / 2;
  return order_.next(awaited);
}

bool EffectThread::finish(const Job& job) {
  const bool more_to_do = order_.finish(job);
  tell_turn();
  return more_to_do;
}

void EffectThread::tell_turn() {
  global_done_.store(order_.turn(), std::memory_order_release);
}

}  // namespace davsim::sim
