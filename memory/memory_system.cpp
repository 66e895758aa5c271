#include "memory/memory_system.hpp"

#include <algorithm>
#include <cmath>

#include "memory/cycle.hpp"

namespace davsim::memory {
namespace {

/// Length of the bins in which bandwidth is sampled for traces, in cycles.
constexpr Cycle kSampleCycles = 1000;

std::uint64_t granules(std::uint64_t addr, std::uint64_t bytes, std::uint64_t granule) {
  return ((addr + bytes + granule - 1) / granule - addr / granule) * granule;
}

}  // namespace

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryTiming& timing)
    : sc_module(name),
      timing_(timing),
      l2_(timing.l2_bytes, timing.line_bytes, timing.ways),
      l2_server_(timing.l2_bytes_per_cycle),
      hbm_server_(timing.hbm_bytes_per_cycle) {
  SC_HAS_PROCESS(MemorySystem);
  port.bind(*this);
  SC_METHOD(arbitrate);
  sensitive << arbitration_;
  dont_initialize();
}

void MemorySystem::post(const MemoryRequest& request, std::uint32_t order, MemoryClient& client) {
  posted_.push_back({request, order, &client});
  wake();
}

void MemorySystem::at_arbitration(std::uint32_t order, std::function<void()> action) {
  actions_.push_back({order, std::move(action)});
  wake();
}

void MemorySystem::wake() {
  if (pending_) return;
  pending_ = true;
  arbitration_.notify(until_arbitration());
}

void MemorySystem::arbitrate() {
  pending_ = false;
  const Cycle now = current_cycle();
  const auto by_order = [](const auto& a, const auto& b) { return a.order < b.order; };
  serving_.swap(posted_);
  std::stable_sort(serving_.begin(), serving_.end(), by_order);
  for (const Posted& posted : serving_) posted.client->served(serve(posted.request, now));
  serving_.clear();

  running_.swap(actions_);
  std::stable_sort(running_.begin(), running_.end(), by_order);
  for (const Action& action : running_) action.run();
  running_.clear();
}

Cycle MemorySystem::serve(const MemoryRequest& request, Cycle now) {
  const Lookup found = look_up(request);
  const double l2_done = l2_server_.reserve(static_cast<double>(now), found.bytes);
  const std::uint64_t hbm_read = found.hbm_read_lines * timing_.line_bytes;
  const std::uint64_t hbm_write = found.hbm_write_lines * timing_.line_bytes;
  double hbm_done = 0;
  if (hbm_read + hbm_write > 0) {
    hbm_done = hbm_server_.reserve(static_cast<double>(now), hbm_read + hbm_write);
  }

  counters_.l2_bytes += found.bytes;
  counters_.hbm_read_bytes += hbm_read;
  counters_.hbm_write_bytes += hbm_write;
  if (observer_ != nullptr) sample(now, found);

  double done = l2_done + (request.write ? timing_.l2_write_latency : timing_.l2_read_latency);
  // L2 takes a write in as soon as it has a line for it, and lines are free as fast as HBM takes
  // the dirty ones; a read has to wait for its lines to come.
  if (hbm_done > 0)
    done = std::max(done, hbm_done + (request.write ? 0 : timing_.hbm_read_latency));
  return static_cast<Cycle>(std::ceil(done));
}

MemorySystem::Lookup MemorySystem::look_up(const MemoryRequest& request) {
  Lookup found;
  std::uint64_t addr = request.addr;
  for (std::uint32_t row = 0; row < request.rows; ++row) {
    touch_row(addr, request, found);
    addr += static_cast<std::uint64_t>(request.row_pitch);
  }
  return found;
}

void MemorySystem::touch_row(std::uint64_t addr, const MemoryRequest& request, Lookup& found) {
  if (request.row_bytes == 0) return;
  const std::uint64_t line_bytes = timing_.line_bytes;
  const std::uint64_t end = addr + request.row_bytes;
  found.bytes += granules(addr, request.row_bytes, timing_.granule_bytes);
  for (std::uint64_t line = addr / line_bytes; line * line_bytes < end; ++line) {
    const L2Cache::Access access = l2_.access(line, request.write);
    found.hbm_write_lines += access.writes_back;
    if (request.write) {
      (access.hit ? counters_.l2_write_hits : counters_.l2_write_misses) += 1;
      // A line that is written as a whole need not be fetched.
      const bool whole = addr <= line * line_bytes && (line + 1) * line_bytes <= end;
      found.hbm_read_lines += !access.hit && !whole;
    } else {
      (access.hit ? counters_.l2_read_hits : counters_.l2_read_misses) += 1;
      found.hbm_read_lines += !access.hit;
    }
  }
}

void MemorySystem::sample(Cycle now, const Lookup& found) {
  const Cycle bin = now / kSampleCycles * kSampleCycles;
  if (bin != sample_.start) flush_sample(bin);
  sample_.l2_bytes += found.bytes;
  sample_.hbm_read_bytes += found.hbm_read_lines * timing_.line_bytes;
  sample_.hbm_write_bytes += found.hbm_write_lines * timing_.line_bytes;
}

void MemorySystem::flush_sample(Cycle now) {
  if (observer_ != nullptr && sample_.l2_bytes > 0) {
    sample_.span = kSampleCycles;
    observer_->memory_sample(sample_);
  }
  sample_ = {};
  sample_.start = now / kSampleCycles * kSampleCycles;
}

}  // namespace davsim::memory
