// The scalar unit's loads and stores: through the data cache to global memory, straight into the
// buffers on chip.
#include <algorithm>
#include <cstring>

#include "sim/core/timed_core.hpp"

namespace davsim::sim {

using memory::current_cycle;
using observe::CycleClass;

namespace {

/// Writes of the data cache go their way without anybody waiting for them.
class NobodyWaits : public memory::MemoryClient {
  void accepted(std::uint32_t, Cycle) override {}
  void completed(std::uint32_t, Cycle) override {}
} g_nobody_waits;

}  // namespace

void TimedCore::scalar_load(const isa::Operand& from, void* to, std::size_t bytes,
                            isa::SourceLocation where) {
  if (!accepts_work()) return;
  reach();
  require_scalar_space(from, bytes, where);
  ++scalar_instructions_;
  const bool from_register = from.space == isa::Space::kSpr;
  const isa::Opcode op = from_register ? isa::Opcode::kReadRegister : isa::Opcode::kScalarLoad;
  await_code(where, op);
  const Cycle start = scalar_time_, waited = scalar_cycles(CycleClass::kMemory);
  catch_up();
  if (from.space == isa::Space::kGm) {
    for_each_line(from.addr, bytes, [&](std::uint64_t addr, std::size_t offset, std::uint32_t n) {
      load_line(addr, where);
      data_cache_.read(addr, static_cast<std::byte*>(to) + offset, n);
    });
  } else {
    host().effects().settle();
    std::memcpy(to, memory().at(from.space, from.addr, bytes), bytes);
  }
  if (watcher() != nullptr) watcher()->scalar_loaded(from, bytes, where);
  spend(from_register ? timing_.scalar.op : timing_.scalar.load_hit, where);
  report_scalar({op, isa::Pipe::S, {}, from, {}, {}, where}, start, scalar_time_, 0,
                scalar_cycles(CycleClass::kMemory) - waited);
}

void TimedCore::scalar_store(const isa::Operand& to, const void* from, std::size_t bytes,
                             isa::SourceLocation where) {
  if (!accepts_work()) return;
  reach();
  require_scalar_space(to, bytes, where);
  ++scalar_instructions_;
  await_code(where, isa::Opcode::kScalarStore);
  const Cycle start = scalar_time_, waited = scalar_cycles(CycleClass::kMemory);
  catch_up();
  if (to.space == isa::Space::kGm) {
    for_each_line(to.addr, bytes, [&](std::uint64_t addr, std::size_t offset, std::uint32_t n) {
      load_line(addr, where);
      data_cache_.write(addr, static_cast<const std::byte*>(from) + offset, n);
    });
  } else {
    host().effects().settle();
    std::memcpy(memory().at(to.space, to.addr, bytes), from, bytes);
  }
  if (watcher() != nullptr) watcher()->scalar_stored(to, bytes, where);
  spend(timing_.scalar.store, where);
  report_scalar({isa::Opcode::kScalarStore, isa::Pipe::S, to, {}, {}, {}, where}, start,
                scalar_time_, 0, scalar_cycles(CycleClass::kMemory) - waited);
}

template <class Part>
void TimedCore::for_each_line(std::uint64_t addr, std::size_t bytes, Part part) {
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

void TimedCore::load_line(std::uint64_t addr, isa::SourceLocation where) {
  if (data_cache_.holds(addr)) return;
  const std::uint64_t line = data_cache_.line_of(addr);
  memory::MemoryRequest request{line - gm_base_, 1, data_cache_.line_bytes(),
                                data_cache_.line_bytes(), false};
  request.requester = index() * kRequestersPerCore + kDataCacheRequester;
  standing_still_ = true;
  wait_ = {CycleClass::kMemory, "a line of global memory", where};
  memory_port_.post(request, *this);
  pause(line_arrives_);
  standing_still_ = false;
  account_wait(nullptr);
  host().effects().settle_writes(line, data_cache_.line_bytes());
  data_cache_.fill(line, reinterpret_cast<const std::byte*>(line), write_back());
}

void TimedCore::completed(std::uint32_t, Cycle cycle) {
  line_arrives_.notify(memory::until(std::max(cycle, current_cycle() + 1)));
}

DataCache::WriteBack TimedCore::write_back() {
  return [this](std::uint64_t addr, const std::byte* bytes, std::uint32_t size) {
    host().effects().settle();
    std::memcpy(reinterpret_cast<void*>(addr), bytes, size);
    memory::MemoryRequest request{addr - gm_base_, 1, size, size, true};
    request.requester = index() * kRequestersPerCore + kDataCacheRequester;
    memory_port_.post(request, g_nobody_waits);
  };
}

void TimedCore::clean_and_invalidate(std::uint64_t addr, std::uint64_t bytes,
                                     isa::SourceLocation where) {
  if (!accepts_work()) return;
  reach();
  await_code(where, isa::Opcode::kDcci);
  const Cycle start = scalar_time_;
  catch_up();
  data_cache_.clean_and_invalidate(addr, bytes, write_back());
  if (watcher() != nullptr) watcher()->cache_cleaned(addr, bytes);
  ++scalar_instructions_;
  spend(timing_.scalar.issue, where);
  report_scalar({isa::Opcode::kDcci, isa::Pipe::S, {}, {}, {}, {}, where}, start, scalar_time_, 0);
}

}  // namespace davsim::sim
