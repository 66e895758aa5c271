#include "sim/system/collectives.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "isa/core/collective_steps.hpp"
#include "isa/instr/fault.hpp"
#include "sim/system/collective_levels.hpp"
#include "sim/system/communicator_context.hpp"

namespace davsim::sim {
namespace {

std::byte* pointer(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

Collectives::Collectives(const SystemConfig& system, std::string product, Fabric* fabric,
                         DieMemories& memories, EffectThread& effects, bool values)
    : StartSpread(system),
      system_(system),
      product_(std::move(product)),
      fabric_(fabric),
      memories_(memories),
      effects_(effects),
      values_(values) {
  isa::set_collective_server(this);
  if (is_dealt()) fabric_->listen([this](const std::string& bytes) { told(bytes); });
}

Collectives::~Collectives() {
  isa::set_collective_server(nullptr);
}

// --- communicators -------------------------------------------------------------------------------

const Communicator* Collectives::named(const std::string& name) const {
  const std::lock_guard lock(entries_mutex_);
  for (const auto& entry : entries_) {
    if (entry->communicator.name == name) return &entry->communicator;
  }
  return nullptr;
}

const Communicator* Collectives::at(std::uint64_t address) const {
  const std::lock_guard lock(entries_mutex_);
  for (const auto& entry : entries_) {
    const Communicator& of = entry->communicator;
    for (std::size_t rank = 0; rank < of.dies.size(); ++rank) {
      if (address == of.contexts[rank] || address - of.windows_in[rank] < 2 * of.window_bytes) {
        return &of;
      }
    }
  }
  return nullptr;
}

Collectives::Entry& Collectives::entry_of(std::uint64_t context, std::uint32_t& rank) {
  for (const auto& entry : entries_) {
    const auto& contexts = entry->communicator.contexts;
    const auto found = std::find(contexts.begin(), contexts.end(), context);
    if (found == contexts.end()) continue;
    rank = static_cast<std::uint32_t>(found - contexts.begin());
    return *entry;
  }
  throw isa::Fault(isa::FaultClass::kParameter, "the communicator of this context is destroyed");
}

const isa::CommunicatorView* Collectives::find(std::uint64_t context) {
  for (const auto& entry : entries_) {
    const auto& contexts = entry->communicator.contexts;
    const auto found = std::find(contexts.begin(), contexts.end(), context);
    if (found != contexts.end()) {
      return &entry->views[static_cast<std::size_t>(found - contexts.begin())];
    }
  }
  return nullptr;
}

// --- launches ------------------------------------------------------------------------------------

void Collectives::forget_operations(Entry& entry) {
  const std::size_t ranks = entry.communicator.dies.size();
  entry.operations.clear();
  entry.handles.assign(ranks, {});
  entry.counted.assign(ranks, 0);
  entry.earlier.assign(ranks, {});
  entry.current = 0;
  entry.running = entry.from_host = false;
  entry.last_end = 0;
  entry.result = {};
  for (const isa::CommunicatorView& view : entry.views) {
    std::memset(pointer(view.messages), 0, isa::kMessageAreaBytes);
  }
}

void Collectives::begin_launch(const std::vector<std::uint32_t>& dies) {
  for (const auto& entry : entries_) {
    const auto& of = entry->communicator.dies;
    const bool part = std::any_of(of.begin(), of.end(), [&](std::uint32_t die) {
      return std::find(dies.begin(), dies.end(), die) != dies.end();
    });
    if (part && !entry->running) forget_operations(*entry);
  }
}

void Collectives::abort() {
  under_way_ = 0;
  for (const auto& entry : entries_) forget_operations(*entry);
}

// --- rounds --------------------------------------------------------------------------------------

void Collectives::committed(Entry& entry, std::uint64_t number, std::uint32_t rank,
                            memory::Cycle at) {
  ++entry.operations[number].committed[rank];
  try_begin(entry, at);
}

void Collectives::try_begin(Entry& entry, memory::Cycle at) {
  if (entry.running || entry.current >= entry.operations.size()) return;
  const Operation& operation = entry.operations[entry.current];
  const bool committed =
      std::all_of(operation.committed.begin(), operation.committed.end(),
                  [&](std::uint32_t rounds) { return rounds > operation.begun; });
  const bool behind =
      std::all_of(operation.after.begin(), operation.after.end(),
                  [](const Earlier& other) { return other.of->current > other.number; });
  if (!committed || !behind) return;
  // Where dies are dealt to processes, a commit is known later than it was made.
  for (const Earlier& other : operation.after) {
    at = std::max(at, other.of->operations[other.number].ended);
  }
  entry.running = true;
  ++under_way_;
  if (fabric_ == nullptr) {
    begin_round(entry);
  } else {
    fabric_->call_at(
        std::max(at, entry.last_end) + fabric_->cycles(system_.collectives().message_seconds),
        kCollectiveBeginnings | entry.number << 32, [this, &entry] { begin_round(entry); });
  }
}

void Collectives::begin_round(Entry& entry) {
  Operation& operation = entry.operations[entry.current];
  const std::uint32_t round = operation.begun++;
  effects_.settle();
  const bool has_inputs = !is_dealt() || entry.from_host;
  if (values_ && has_inputs) entry.result = result_of(operation.ranks, round, {});
  if (values_ && !has_inputs) tell_inputs(entry, round);
  if (fabric_ == nullptr) return end_round(entry);
  const PlanWindows windows{entry.communicator.windows_in, entry.communicator.window_bytes,
                            ranks_of_server(entry.communicator.dies, system_.collectives().server)};
  const auto plan = std::make_shared<CollectivePlan>(
      plan_of(operation.ranks, round, system_.collectives(), windows));
  step(entry, plan, 0);
}

void Collectives::step(Entry& entry, const std::shared_ptr<CollectivePlan>& plan,
                       std::size_t number) {
  if (number == plan->steps.size()) return end_round(entry);
  make_copies(plan->steps[number], fabric_->cycles(system_.collectives().step_seconds),
              [this, &entry, plan, number] { step(entry, plan, number + 1); });
}

void Collectives::make_copies(const std::vector<PlannedCopy>& planned, memory::Cycle delay,
                              std::function<void()> then) {
  std::vector<FabricCopy> copies;
  for (const PlannedCopy& of : planned) {
    FabricCopy& copy = copies.emplace_back();
    copy.from = memories_.die_of(of.source);
    copy.to = memories_.die_of(of.destination);
    copy.source = memories_.of(copy.from).device_address(of.source);
    copy.destination = memories_.of(copy.to).device_address(of.destination);
    copy.bytes = of.bytes;
  }
  fabric_->copy(copies, delay, std::move(then));
}

void Collectives::end_round(Entry& entry) {
  Operation& operation = entry.operations[entry.current];
  effects_.settle();
  if (values_ && is_dealt() && !entry.from_host) {
    entry.result = result_of(operation.ranks, operation.over, {});
  }
  write(entry.result);
  entry.result = {};
  if (fabric_ != nullptr) entry.last_end = memory::current_cycle();
  ++operation.over;
  for (std::uint32_t rank = 0; rank < operation.handles.size(); ++rank) {
    tell_over(entry, rank, operation.handles[rank], operation.over);
  }
  if (operation.over == isa::parts_of(operation.ranks.front().what)) {
    operation.ended = memory::current_cycle();
    ++entry.current;
  }
  entry.running = false;
  --under_way_;
  try_begin(entry, entry.last_end);
  for (const auto& other : entries_) {  // what waits for this one
    if (other.get() != &entry) try_begin(*other, memory::current_cycle());
  }
}

void Collectives::write(const CollectiveResult& result) {
  result.write();
  if (watcher_ == nullptr) return;
  for (const CollectiveResult::Piece& piece : result.pieces) {
    watcher_->server_wrote(piece.to, piece.bytes.size());
  }
}

void Collectives::tell_over(Entry& entry, std::uint32_t rank, std::uint32_t handle,
                            std::uint64_t rounds) {
  if (handle == kNoHandle) return;
  const std::uint64_t word =
      entry.views[rank].messages + isa::kOverAt + handle * isa::kCounterBytes;
  std::memcpy(pointer(word), &rounds, sizeof rounds);
}

std::string Collectives::explain_waits() const {
  std::string text;
  for (const auto& entry : entries_) {
    if (entry->current >= entry->operations.size()) continue;
    const Operation& operation = entry->operations[entry->current];
    std::string missing;
    for (std::size_t rank = 0; rank < operation.committed.size(); ++rank) {
      if (operation.committed[rank] > operation.begun) continue;
      missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
    }
    for (const Earlier& other : operation.after) {
      if (!missing.empty() || other.of->current > other.number) continue;
      text += "\ncommunicator '" + entry->communicator.name + "': operation " +
              std::to_string(entry->current) + " waits for operation " +
              std::to_string(other.number) + " of communicator '" + other.of->communicator.name +
              "'";
    }
    if (missing.empty()) continue;
    text += "\ncommunicator '" + entry->communicator.name + "': operation " +
            std::to_string(entry->current) + " waits for a commit of ranks " + missing;
  }
  return text;
}

}  // namespace davsim::sim
