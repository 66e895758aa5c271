#include "memory/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "memory/cycle.hpp"

namespace davsim::memory {
namespace {

/// Length of the bins in which bandwidth is sampled for traces, in cycles.
constexpr Cycle kSampleCycles = 1000;

using Sectors = L2Cache::Sectors;

/// Sectors [first, last) of a line.
Sectors sectors_between(std::uint32_t first, std::uint32_t last) {
  return static_cast<Sectors>(((1u << last) - 1) & ~((1u << first) - 1));
}

void add(observe::L2Counters& sum, const observe::L2Counters& more) {
  sum.read_hits += more.read_hits;
  sum.read_misses += more.read_misses;
  sum.write_hits += more.write_hits;
  sum.write_misses += more.write_misses;
}

/// One of 64 bits for a requester. Fibonacci hashing spreads requesters whose numbers are evenly
/// apart, as those of one kind are, so that the few dozen of them that may meet at a line differ.
std::uint64_t requester_bit(RequesterId requester) {
  return std::uint64_t{1} << (requester * 0x9E3779B97F4A7C15u >> 58);
}

/// How many: of four bits, looked up.
std::uint64_t sectors_in(Sectors sectors) {
  constexpr std::uint8_t kBits[L2Cache::kWholeLine + 1] = {0, 1, 1, 2, 1, 2, 2, 3,
                                                           1, 2, 2, 3, 2, 3, 3, 4};
  return kBits[sectors];
}

/// Sorts a handful, mostly one, for which std::stable_sort's buffer would cost more than the work.
template <class Entry>
void sort_by_order(std::vector<Entry>& entries) {
  for (auto at = entries.begin(); at != entries.end(); ++at) {
    const auto place =
        std::upper_bound(entries.begin(), at, *at,
                         [](const Entry& a, const Entry& b) { return a.order() < b.order(); });
    if (place != at) std::rotate(place, at, at + 1);
  }
}

}  // namespace

MemorySystem::MemorySystem(sc_core::sc_module_name name, const MemoryTiming& timing,
                           CycleClock& clock)
    : sc_module(name),
      timing_(timing),
      sector_bytes_(timing.line_bytes / L2Cache::kSectors),
      l2_(timing.l2_bytes, timing.line_bytes, timing.ways),
      l2_server_(timing.l2_bytes_per_cycle),
      hbm_server_(timing.hbm_bytes_per_cycle),
      clock_(clock) {
  port.bind(*this);
}

void MemorySystem::post(const MemoryRequest& request, MemoryClient& client) {
  posted_.push_back({request, &client});
  clock_.arbitrate_at(*this, current_cycle());
}

void MemorySystem::post_at(Cycle cycle, const MemoryRequest& request, MemoryClient& client) {
  waiting_.push({cycle, {request, &client}});
  clock_.arbitrate_at(*this, cycle);
}

void MemorySystem::drop_posts() {
  posted_.clear();
  waiting_ = {};
}

void MemorySystem::at_arbitration(std::uint32_t order, std::function<void()> action) {
  actions_.push_back({order, std::move(action)});
  clock_.arbitrate_at(*this, current_cycle());
}

void MemorySystem::arbitrate() {
  const Cycle now = current_cycle();
  serving_.swap(posted_);
  for (; !waiting_.empty() && waiting_.top().cycle <= now; waiting_.pop()) {
    serving_.push_back(waiting_.top().posted);
  }
  sort_by_order(serving_);
  for (const Posted& posted : serving_) {
    posted.client->accepted(posted.request.tag, serve(posted, now));
  }
  serving_.clear();

  running_.swap(actions_);
  sort_by_order(running_);
  for (const Action& action : running_) action.run();
  running_.clear();
  if (!waiting_.empty()) clock_.arbitrate_at(*this, waiting_.top().cycle);
}

Cycle MemorySystem::serve(const Posted& posted, Cycle now) {
  const MemoryRequest& request = posted.request;
  const Lookup found = look_up(request, schedule_of(posted, now));
  const auto time = static_cast<double>(now);
  const double l2_done = l2_server_.reserve(time, found.l2_lines * timing_.line_bytes);
  // What HBM has to do, in bytes at its best rate.
  const double hbm_work = static_cast<double>(sector_bytes_) *
                          (static_cast<double>(found.hbm_lines) +
                           static_cast<double>(found.hbm_short) * timing_.hbm_short_burst +
                           static_cast<double>(found.hbm_written) * timing_.hbm_write_back);
  const double hbm_done = hbm_work > 0 ? hbm_server_.reserve(time, hbm_work) : 0;

  count(found, request.requester);
  if (observer_ != nullptr) sample(now, found);

  double done = l2_done + (request.write ? timing_.l2_write_latency : timing_.l2_read_latency);
  // A read has to wait for its lines to come, whoever asked for them first. L2 takes a write in as
  // long as HBM is not too far behind with the dirty lines that had to make room.
  if (hbm_done > 0) {
    done = std::max(done, request.write
                              ? hbm_done - timing_.l2_write_ahead / timing_.hbm_bytes_per_cycle
                              : hbm_done + timing_.hbm_read_latency);
  }
  if (!request.write) done = std::max(done, static_cast<double>(found.ready));
  return static_cast<Cycle>(std::ceil(done));
}

void MemorySystem::count(const Lookup& found, RequesterId requester) {
  counters_.l2_bytes += found.l2 * sector_bytes_;
  counters_.hbm_read_bytes += (found.hbm_lines + found.hbm_short) * sector_bytes_;
  counters_.hbm_write_bytes += found.hbm_written * sector_bytes_;
  counters_.l2_read_hits += found.lines.read_hits;
  counters_.l2_read_misses += found.lines.read_misses;
  counters_.l2_write_hits += found.lines.write_hits;
  counters_.l2_write_misses += found.lines.write_misses;
  if (requester >= l2_counters_.size()) l2_counters_.resize(requester + 1);
  add(l2_counters_[requester], found.lines);
}

observe::L2Counters MemorySystem::l2_counters(RequesterId first, std::uint32_t count) const {
  observe::L2Counters sum;
  const auto end = std::min<std::size_t>(first + count, l2_counters_.size());
  for (std::size_t requester = first; requester < end; ++requester) {
    add(sum, l2_counters_[requester]);
  }
  return sum;
}

void MemorySystem::reset_counters() {
  counters_ = {};
  std::fill(l2_counters_.begin(), l2_counters_.end(), observe::L2Counters{});
}

MemorySystem::Schedule MemorySystem::schedule_of(const Posted& posted, Cycle now) const {
  const auto time = static_cast<double>(now);
  return {now, static_cast<Cycle>(std::max(time, l2_server_.free_at())),
          requester_bit(posted.request.requester),
          static_cast<Cycle>(std::max(time, hbm_server_.free_at()) + timing_.hbm_read_latency)};
}

inline L2Cache::Access MemorySystem::access(std::uint64_t line, Sectors sectors, Sectors partial,
                                            const MemoryRequest& request) {
  if (request.write) {
    return request.no_allocate ? l2_.write_no_allocate(line, sectors, partial)
                               : l2_.write(line, sectors, partial);
  }
  return request.no_allocate ? l2_.read_no_allocate(line, sectors) : l2_.read(line, sectors);
}

inline double MemorySystem::turns_of(L2Cache::Pending& pending, const Schedule& schedule) const {
  // Requests to one line are served one after the other: those that wait for it try again each
  // time one of them is served.
  if (pending.queued_until < schedule.now) pending.requesters = 0;
  const std::uint64_t others = pending.requesters & ~schedule.requester;
  pending.requesters |= schedule.requester;
  pending.queued_until = schedule.l2_turn;
  return others == 0 ? 1 : 1 + timing_.l2_retry * static_cast<double>(std::popcount(others));
}

inline void MemorySystem::touch_sectors(std::uint64_t line, Sectors sectors, Sectors partial,
                                        const MemoryRequest& request, const Schedule& schedule,
                                        Lookup& found) {
  const L2Cache::Access access = this->access(line, sectors, partial, request);
  if (request.write) {
    (access.hit ? found.lines.write_hits : found.lines.write_misses) += 1;
  } else {
    (access.hit ? found.lines.read_hits : found.lines.read_misses) += 1;
  }
  found.l2 += sectors_in(sectors);
  if (access.pending == nullptr) {  // nobody else can wait for a line that L2 has not
    found.l2_lines += 1;
  } else {
    found.l2_lines += turns_of(*access.pending, schedule);
    found.ready = std::max(found.ready, access.pending->ready);
    if (access.fetched != 0 && !request.no_allocate) access.pending->ready = schedule.from_hbm;
  }
  found.hbm_written += sectors_in(access.written_back);
  const bool whole_line = request.line_bursts && access.fetched == L2Cache::kWholeLine;
  (whole_line ? found.hbm_lines : found.hbm_short) += sectors_in(access.fetched);
}

MemorySystem::Lookup MemorySystem::look_up(const MemoryRequest& request, const Schedule& schedule) {
  Lookup found;
  std::uint64_t addr = request.addr;
  for (std::uint32_t row = 0; row < request.rows; ++row) {
    touch_row(addr, request, schedule, found);
    addr += static_cast<std::uint64_t>(request.row_pitch);
  }
  return found;
}

void MemorySystem::touch_row(std::uint64_t addr, const MemoryRequest& request,
                             const Schedule& schedule, Lookup& found) {
  const std::uint32_t line_bytes = timing_.line_bytes;
  std::uint64_t line = addr / line_bytes;
  auto begin = static_cast<std::uint32_t>(addr % line_bytes);
  for (std::uint32_t left = request.row_bytes; left > 0; begin = 0, ++line) {
    const std::uint32_t end = begin + std::min(left, line_bytes - begin);
    left -= end - begin;
    if (end - begin == line_bytes) {
      touch_sectors(line, L2Cache::kWholeLine, 0, request, schedule, found);
    } else {
      touch_part(line, begin, end, request, schedule, found);
    }
  }
}

void MemorySystem::touch_part(std::uint64_t line, std::uint32_t begin, std::uint32_t end,
                              const MemoryRequest& request, const Schedule& schedule,
                              Lookup& found) {
  const Sectors sectors =
      sectors_between(begin / sector_bytes_, (end + sector_bytes_ - 1) / sector_bytes_);
  const auto partial = static_cast<Sectors>(sectors & ~whole_sectors(begin, end));
  touch_sectors(line, sectors, partial, request, schedule, found);
}

MemorySystem::Sectors MemorySystem::whole_sectors(std::uint32_t begin, std::uint32_t end) const {
  const std::uint32_t first = (begin + sector_bytes_ - 1) / sector_bytes_;
  return sectors_between(first, std::max(first, end / sector_bytes_));
}

void MemorySystem::sample(Cycle now, const Lookup& found) {
  const Cycle bin = now / kSampleCycles * kSampleCycles;
  if (bin != sample_.start) flush_sample(bin);
  sample_.l2_bytes += found.l2 * sector_bytes_;
  sample_.hbm_read_bytes += (found.hbm_lines + found.hbm_short) * sector_bytes_;
  sample_.hbm_write_bytes += found.hbm_written * sector_bytes_;
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
