#include "sim/effect_thread.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <exception>
#include <system_error>
#include <utility>

#include "isa/exec/execute.hpp"

namespace davsim::sim {
namespace {

/// Looks at a counter before the thread that waits for it sleeps: some microseconds.
constexpr int kLooks = 300;

/// Waits until `counter` is no longer `old`. Work comes every few microseconds, which is less than
/// falling asleep and being woken costs.
void wait_while(const std::atomic<std::uint64_t>& counter, std::uint64_t old) {
  for (int i = 0; i < kLooks; ++i) {
    if (counter.load(std::memory_order_acquire) != old) return;
    hwy::Pause();
  }
  counter.wait(old, std::memory_order_acquire);
}

bool touches_global_memory(const isa::Instr& instr) {
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
  if (backlogs_.size() <= core) backlogs_.resize(core + 1);
  backlogs_[core] = {&memory, &name, kNone, kNone};
}

// --- the simulation's thread ---------------------------------------------------------------------

void EffectThread::begin() {
  end();
  given_ = seen_freed_ = 0;
  published_ = taken_ = freed_ = awaited_ = 0;
  global_writes_.clear();
  fault_number_ = kNone;
  fault_.reset();
  failed_ = false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // The host grants no further thread: effects happen at once.
  }
}

void EffectThread::give(const isa::Instr& instr, std::uint32_t core) {
  if (!thread_.joinable()) {
    isa::execute(instr, *backlogs_[core].memory);
    return;
  }
  if (failed_.load(std::memory_order_relaxed)) settle();
  push(instr, core, Kind::kInstr);
  if (instr.dst.space == isa::Space::kGm) note_global_write(instr);
}

void EffectThread::push(const isa::Instr& instr, std::uint32_t core, Kind kind) {
  if (given_ - seen_freed_ == kRing) {
    publish();
    // Half of the room at once: falling asleep for a little of it costs more than it is worth.
    seen_freed_ = await(freed_, given_ - kRing / 2);
  }
  Effect& effect = slot(given_++);
  effect.instr = instr;
  effect.next = kNone;
  effect.core = core;
  effect.kind = kind;
  effect.happened = false;
  if (given_ % kBatch == 0) publish();
}

void EffectThread::publish() {
  published_.store(given_, std::memory_order_release);
  published_.notify_one();
}

/// Waits until `counter`, of the other thread, has reached `number`; what it is then. The other
/// thread wakes this one only then: either it sees what is awaited, or this one what it stored.
std::uint64_t EffectThread::await(const std::atomic<std::uint64_t>& counter, std::uint64_t number) {
  awaited_.store(number);
  for (;;) {
    const std::uint64_t now = counter.load();
    if (now >= number) return now;
    wait_while(counter, now);
  }
}

void EffectThread::note_global_write(const isa::Instr& instr) {
  const std::uint64_t taken = taken_.load(std::memory_order_acquire);
  while (!global_writes_.empty() && global_writes_.front().number <= taken) {
    global_writes_.pop_front();
  }
  auto [begin, end] = isa::gm_footprint(instr).range();
  if (begin == end) end = ~std::uint64_t{0};  // says nothing of where: anywhere
  global_writes_.push_back({given_, begin, end});
}

void EffectThread::settle() {
  if (!thread_.joinable() || seen_freed_ == given_) return;
  push({}, 0, Kind::kSettle);
  publish();
  seen_freed_ = await(freed_, given_);
  if (fault_) throw isa::Fault(*fault_);
}

void EffectThread::settle_writes(std::uint64_t addr, std::uint64_t bytes) {
  const auto last = std::find_if(
      global_writes_.rbegin(), global_writes_.rend(),
      [&](const GlobalWrite& write) { return write.begin < addr + bytes && addr < write.end; });
  if (last == global_writes_.rend()) return;
  publish();
  await(taken_, last->number);
  if (failed_.load(std::memory_order_relaxed)) settle();
}

std::optional<isa::Fault> EffectThread::end() {
  if (!thread_.joinable()) return {};
  push({}, 0, Kind::kEnd);
  publish();
  thread_.join();
  return std::exchange(fault_, std::nullopt);
}

// --- the other thread ----------------------------------------------------------------------------

void EffectThread::work() {
  for (std::uint64_t next = 0;;) {
    const std::uint64_t end = published_.load(std::memory_order_acquire);
    if (next == end) wait_while(published_, end);
    while (next < end) {
      const bool goes_on = take(next++);
      // Told in batches, but the last one always.
      if (next % kBatch == 0 || next == end) tell(next);
      if (!goes_on) return;
    }
  }
}

/// False if this was the last one.
bool EffectThread::take(std::uint64_t number) {
  Effect& effect = slot(number);
  if (effect.kind != Kind::kInstr) {
    for (std::uint32_t core = 0; core < backlogs_.size(); ++core) catch_up(core);
    effect.happened = true;
    return effect.kind != Kind::kEnd;
  }
  Backlog& backlog = backlogs_[effect.core];
  (backlog.first == kNone ? backlog.first : slot(backlog.last).next) = number;
  backlog.last = number;
  if (touches_global_memory(effect.instr)) catch_up(effect.core);
  return true;
}

/// All that `core` has put off happens.
void EffectThread::catch_up(std::uint32_t core) {
  Backlog& backlog = backlogs_[core];
  for (std::uint64_t number = backlog.first; number != kNone; number = slot(number).next) {
    Effect& effect = slot(number);
    happen(number, effect);
    effect.happened = true;
  }
  backlog.first = backlog.last = kNone;
}

/// Nothing happens behind a fault. What comes before it still may, and may be the first fault.
void EffectThread::happen(std::uint64_t number, const Effect& effect) {
  if (number > fault_number_) return;
  try {
    isa::execute(effect.instr, *backlogs_[effect.core].memory);
  } catch (isa::Fault& fault) {
    fault.core = *backlogs_[effect.core].name;
    fail(number, std::move(fault));
  } catch (const std::exception& error) {
    isa::Fault fault(isa::FaultClass::kLimit, error.what(), effect.instr.where);
    fault.core = *backlogs_[effect.core].name;
    fail(number, std::move(fault));
  }
}

void EffectThread::fail(std::uint64_t number, isa::Fault fault) {
  fault_number_ = number;
  fault_ = std::move(fault);
  failed_.store(true, std::memory_order_relaxed);
}

/// Tells the simulation's thread how far things are, and makes room for it.
void EffectThread::tell(std::uint64_t taken) {
  std::uint64_t freed = freed_.load(std::memory_order_relaxed);
  for (;;) {
    while (freed < taken && slot(freed).happened) ++freed;
    if (taken - freed <= kRing / 2) break;
    catch_up(slot(freed).core);  // it has been waiting for long
  }
  taken_.store(taken);
  freed_.store(freed);
  const std::uint64_t awaited = awaited_.load();
  if (taken >= awaited) taken_.notify_one();
  if (freed >= awaited) freed_.notify_one();
}

}  // namespace davsim::sim
