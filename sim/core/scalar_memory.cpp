// The scalar unit's loads and stores. Those of global memory go through the data cache, those of
// on-chip buffers do not.
#include <algorithm>
#include <cstring>

#include "memory/remote_values.hpp"
#include "sim/core/scalar_unit.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

namespace {

/// The client of write-backs of the data cache. Nothing waits for their completion.
class NobodyWaits : public memory::MemoryClient {
  void accepted(std::uint32_t, Cycle) override {}
  void completed(std::uint32_t, Cycle) override {}
} g_nobody_waits;

}  // namespace

void ScalarUnit::load(const isa::Operand& from, void* to, std::size_t bytes,
                      isa::SourceLocation where) {
  reach();
  ++instructions_;
  const bool from_register = from.space == isa::Space::kSpr;
  const isa::Opcode op = from_register ? isa::Opcode::kReadRegister : isa::Opcode::kScalarLoad;
  const ScalarCost cost = costs_.next(isa::ScalarForm::kScalarAccess);
  await_code(where, op, cost);
  const bool from_ub = from.space == isa::Space::kUb && costs_.counted();
  if (!from_ub) await_loads(where);
  if (from_ub && ub_free_ > time_) spend(ub_free_ - time_, where);
  const Cycle start = time_, waited = cycles_of(CycleClass::kMemory);
  if (from.space == isa::Space::kGm) {
    // load_line() catches up where the data cache has to ask. A checker hears of accesses to what
    // cores share in the order of time.
    catch_up_unless(core_.watcher() == nullptr);
    for_each_line(from.addr, bytes, [&](std::uint64_t addr, std::size_t offset, std::uint32_t n) {
      load_line(addr, where);
      data_cache_.read(addr, static_cast<std::byte*>(to) + offset, n);
    });
  } else {
    catch_up_unless(pipes_.all_idle());  // nobody else changes the core's buffers
    core_.machine().effects.settle_core(core_.index());
    std::memcpy(to, core_.memory().at(from.space, from.addr, bytes), bytes);
    core_.machine().polls.decided(core_.index(), where);
  }
  if (core_.watcher() != nullptr) core_.watcher()->scalar_loaded(from, bytes, where);
  if (from_ub) {
    // The unit goes on, and waits where the value is needed.
    spend(timing_.issue + cost.call, where);
    loaded_ = std::max(loaded_, time_ + timing_.ub_load);
  } else {
    spend((from_register ? timing_.op : timing_.load_hit) + cost.call, where);
  }
  report({{op, isa::Pipe::S, {}, from, {}, {}, where}, {}}, start, time_, 0,
         cycles_of(CycleClass::kMemory) - waited);
}

void ScalarUnit::store(const isa::Operand& to, const void* from, std::size_t bytes,
                       isa::SourceLocation where) {
  reach();
  ++instructions_;
  const ScalarCost cost = costs_.next(isa::ScalarForm::kScalarAccess);
  await_code(where, isa::Opcode::kScalarStore, cost);
  await_loads(where);
  const Cycle start = time_, waited = cycles_of(CycleClass::kMemory);
  if (to.space == isa::Space::kGm) {
    catch_up_unless(core_.watcher() == nullptr);  // as in load()
    for_each_line(to.addr, bytes, [&](std::uint64_t addr, std::size_t offset, std::uint32_t n) {
      load_line(addr, where);
      data_cache_.write(addr, static_cast<const std::byte*>(from) + offset, n);
    });
  } else {
    catch_up_unless(pipes_.all_idle());  // nobody else changes the core's buffers
    core_.machine().effects.settle_core(core_.index());
    std::memcpy(core_.memory().at(to.space, to.addr, bytes), from, bytes);
  }
  if (core_.watcher() != nullptr) core_.watcher()->scalar_stored(to, bytes, where);
  if (to.space == isa::Space::kUb && costs_.counted()) {
    spend(timing_.issue + cost.call, where);
    ub_free_ = time_ + timing_.ub_store;
  } else {
    spend(timing_.store + cost.call, where);
  }
  report({{isa::Opcode::kScalarStore, isa::Pipe::S, to, {}, {}, {}, where}, {}}, start, time_, 0,
         cycles_of(CycleClass::kMemory) - waited);
}

/// The instruction of the access is counted with the kernel's other work.
std::byte* ScalarUnit::access(const isa::PointerAccess& access) {
  const bool cached = pointer_line() != 0, watched = core_.watcher() != nullptr;
  auto* place = reinterpret_cast<std::byte*>(access.addr);
  if (!cached && !watched) {
    isa::ignore_pointers();
    return place;
  }
  reach();
  if (cached) {
    await_loads(access.where);
    spend(costs_.own_work(), access.where);
  }
  catch_up_unless(!watched);  // as in load()
  if (cached) {
    const Cycle start = time_, waited = cycles_of(CycleClass::kMemory);
    load_line(access.addr, access.where);
    if (time_ != start) report_access(access, start, cycles_of(CycleClass::kMemory) - waited);
    place = data_cache_.access(access.addr, access.bytes, access.stores, !watched);
  }
  core_.tell_accessed(access);
  return place;
}

/// Only what waited for its line is shown.
void ScalarUnit::report_access(const isa::PointerAccess& access, Cycle start, Cycle waited) {
  const isa::Opcode op = access.stores ? isa::Opcode::kScalarStore : isa::Opcode::kScalarLoad;
  const isa::Operand at{isa::Space::kGm, isa::DType::kU8, access.addr}, none;
  report({{op,
           isa::Pipe::S,
           access.stores ? at : none,
           access.stores ? none : at,
           {},
           {},
           access.where},
          {}},
         start, time_, 0, waited);
}

template <class Part>
void ScalarUnit::for_each_line(std::uint64_t addr, std::size_t bytes, Part part) {
  std::size_t offset = 0;
  while (offset < bytes) {
    const std::uint64_t here = addr + offset;
    const std::uint64_t line_end = data_cache_.line_of(here) + data_cache_.line_bytes();
    const auto n =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes - offset, line_end - here));
    part(here, offset, n);
    offset += n;
  }
}

void ScalarUnit::load_line(std::uint64_t addr, isa::SourceLocation where) {
  if (data_cache_.holds(addr)) return;
  catch_up();
  const std::uint64_t line = data_cache_.line_of(addr);
  memory::MemoryRequest request{line - core_.machine().gm_base, 1, data_cache_.line_bytes(),
                                data_cache_.line_bytes(), false};
  request.requester = data_requester_;
  request.by_scalar_unit = true;
  if (costs_.counted()) request.earlier_hit = timing_.earlier_hit;
  std::shared_ptr<memory::RemoteValues> remote;
  if (core_.machine().memory_port.is_elsewhere(request.addr)) {
    remote = std::make_shared<memory::RemoteValues>(line, request.row_bytes, nullptr);
    request.values = remote.get();
  }
  PollWatch& polls = core_.machine().polls;
  polls.decided(core_.index(), where);
  if (polls.repeats(core_.index(), line)) core_.looks_in_vain();
  stalled_ = true;
  stall_reason_ = {CycleClass::kMemory, isa::Pipe::ALL, "a line of global memory", where};
  core_.machine().memory_port.post(request, *this);
  core_.pause(line_arrives_);
  stalled_ = false;
  account_stall(nullptr);
  if (remote != nullptr) return data_cache_.fill(line, remote->bytes(), write_back());
  core_.machine().effects.settle_writes(line, data_cache_.line_bytes());
  data_cache_.fill(line, reinterpret_cast<const std::byte*>(line), write_back());
}

void ScalarUnit::completed(std::uint32_t, Cycle cycle) {
  line_arrives_.notify(memory::until(std::max(cycle, current_cycle() + 1)));
}

DataCache::WriteBack ScalarUnit::write_back() {
  return [this](std::uint64_t addr, const std::byte* bytes, std::uint32_t size) {
    const SharedMachine& machine = core_.machine();
    machine.polls.something_happened();
    memory::MemoryRequest request{addr - machine.gm_base, 1, size, size, true};
    request.requester = data_requester_;
    std::shared_ptr<memory::RemoteValues> remote;
    if (machine.memory_port.is_elsewhere(request.addr)) {
      remote = std::make_shared<memory::RemoteValues>(addr, size, bytes);
      request.values = remote.get();
    } else {
      machine.effects.settle();
      std::memcpy(reinterpret_cast<void*>(addr), bytes, size);
    }
    machine.memory_port.post(request, g_nobody_waits);
  };
}

/// The kernel may now read what it has dropped through a pointer.
void ScalarUnit::settle_dropped(std::uint64_t addr, std::uint64_t bytes) {
  EffectThread& effects = core_.machine().effects;
  if (bytes == 0) return effects.settle_seen_by(core_.index());
  const std::uint64_t first = data_cache_.line_of(addr),
                      last = data_cache_.line_of(addr + bytes - 1);
  effects.settle_writes(first, last + data_cache_.line_bytes() - first);
}

void ScalarUnit::clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                      isa::SourceLocation where) {
  reach();
  await_code(where, isa::Opcode::kDcci, costs_.next(isa::ScalarForm::kRegister));
  const Cycle start = time_;
  catch_up();
  data_cache_.clean_and_invalidate(addr, bytes, write_back());
  settle_dropped(addr, bytes);
  if (core_.watcher() != nullptr) core_.watcher()->cache_cleaned(addr, bytes, where);
  if (core_.machine().polls.repeats_dropping(core_.index(), data_cache_.line_of(addr), where)) {
    core_.looks_in_vain();
  }
  ++instructions_;
  spend(timing_.issue, where);
  report({{isa::Opcode::kDcci, isa::Pipe::S, {}, {}, {}, {}, where}, {}}, start, time_, 0);
}

}  // namespace davsim::sim
