// L2 as a cache in front of a server of a fixed rate. Each access to a line takes a turn of the
// server. A line serves requests one after the other.
#include <algorithm>

#include "memory/bandwidth_server.hpp"
#include "memory/l2/l2_cache.hpp"
#include "memory/l2/l2_model.hpp"
#include "memory/l2/line_walk.hpp"

namespace davsim::memory {
namespace {

using Sectors = L2Cache::Sectors;

/// The pending requests to lines that L2 does not hold, in places that lines share: a place has the
/// line that was asked for last.
class PassingLines {
 public:
  L2Cache::Pending& at(std::uint64_t line) {
    if (places_.empty()) places_.resize(kPlaces);
    Place& place = places_[line % kPlaces];
    if (place.line != line) place = {line, {}};
    return place.pending;
  }

 private:
  /// More than the lines that have pending requests at a time, so that few of these share a place.
  static constexpr std::size_t kPlaces = 4096;
  struct Place {
    std::uint64_t line = ~std::uint64_t{0};
    L2Cache::Pending pending;
  };
  std::vector<Place> places_;  ///< made by the first such request
};

class BandwidthL2 : public L2Model {
 public:
  explicit BandwidthL2(const L2Setup& setup)
      : timing_(setup.timing),
        wants_spans_(setup.wants_spans),
        sector_bytes_(timing_.line_bytes / L2Cache::kSectors),
        server_(timing_.l2_bytes_per_cycle),
        cache_(timing_.l2_bytes, timing_.line_bytes, timing_.ways, timing_.l2_rotation) {}

  void announce(const MemoryRequest& request) const override {
    // States of two neighbouring lines share a line of the host's cache.
    const std::uint64_t step = 2 * std::uint64_t{timing_.line_bytes};
    std::uint64_t addr = request.addr;
    for (std::uint32_t row = 0; row < request.rows; ++row) {
      for (std::uint64_t at = 0; at < request.row_bytes; at += step) {
        cache_.prefetch((addr + at) / timing_.line_bytes);
      }
      addr += static_cast<std::uint64_t>(request.row_pitch);
    }
  }

  void look_up(const MemoryRequest& request, Cycle now, L2Answer& answer,
               HbmChunk& chunk) override {
    fetching_.clear();
    const auto time = static_cast<double>(now);
    Cycle served = now;  // when the last of its lines serves it
    std::uint64_t lines = 0;
    for_each_line(
        request, timing_.line_bytes, [&](std::uint64_t line, Sectors sectors, Sectors partial) {
          ++lines;
          L2Cache::Pending& pending = touch(line, sectors, partial, request, now, answer, chunk);
          served = std::max(served, serve(pending, request, now));
        });
    const double passed = server_.reserve(time, static_cast<double>(lines * timing_.line_bytes));
    answer.done = std::max(passed, static_cast<double>(served)) +
                  (request.write ? timing_.l2_write_latency : timing_.l2_read_latency);
  }

  void fetching(std::uint64_t ready) override {
    for (L2Cache::Pending* line : fetching_) line->ready = ready;
  }

  void flush() override { cache_.flush(); }

 private:
  /// Accesses sectors of a line, those in `partial` in part.
  L2Cache::Pending& touch(std::uint64_t line, Sectors sectors, Sectors partial,
                          const MemoryRequest& request, Cycle now, L2Answer& answer,
                          HbmChunk& chunk) {
    const L2Cache::Access access = this->access(line, sectors, partial, request);
    if (request.write) {
      (access.hit ? answer.lines.write_hits : answer.lines.write_misses) += 1;
    } else {
      (access.hit ? answer.lines.read_hits : answer.lines.read_misses) += 1;
    }
    answer.bytes += sectors_in(sectors) * sector_bytes_;
    if ((access.fetched | access.written_back) != 0) ask_hbm(line, access, request, chunk);
    if (access.pending == nullptr) return passing_.at(line);
    wait_for(access.pending->ready, now, answer);
    if (access.fetched != 0 && !request.no_allocate) fetching_.push_back(access.pending);
    return *access.pending;
  }

  L2Cache::Access access(std::uint64_t line, Sectors sectors, Sectors partial,
                         const MemoryRequest& request) {
    if (request.write) {
      return request.no_allocate ? cache_.write_no_allocate(line, sectors, partial)
                                 : cache_.write(line, sectors, partial);
    }
    return request.no_allocate ? cache_.read_no_allocate(line, sectors)
                               : cache_.read(line, sectors);
  }

  void ask_hbm(std::uint64_t line, const L2Cache::Access& access, const MemoryRequest& request,
               HbmChunk& chunk) const {
    chunk.written_bytes += sectors_in(access.written_back) * sector_bytes_;
    const bool whole_line = request.line_bursts && access.fetched == L2Cache::kWholeLine;
    (whole_line ? chunk.line_bytes : chunk.short_bytes) +=
        sectors_in(access.fetched) * sector_bytes_;
    if (!wants_spans_) return;
    for_each_run(line, access.fetched, timing_.line_bytes,
                 [&](std::uint64_t addr, std::uint32_t bytes) { chunk.add(addr, bytes, false); });
    for_each_run(access.left, access.written_back, timing_.line_bytes,
                 [&](std::uint64_t addr, std::uint32_t bytes) { chunk.add(addr, bytes, true); });
  }

  static void wait_for(std::uint64_t ready, Cycle now, L2Answer& answer) {
    if (ready <= now) return;
    if ((ready & kUnknownReady) != 0) {
      answer.awaits.push_back(ready & ~kUnknownReady);
    } else {
      answer.ready = std::max(answer.ready, ready);
    }
  }

  /// When a line serves a request of cycle `now`. It serves the requests of DMA engines one after
  /// the other. Each row of a request that touches the line is one. What the scalar unit or its
  /// code needs does not wait.
  Cycle serve(L2Cache::Pending& line, const MemoryRequest& request, Cycle now) const {
    if (request.by_scalar_unit) return now;
    const Cycle served = std::max(now, line.free_at);
    line.free_at = served + timing_.l2_line_service;
    return served;
  }

  const MemoryTiming& timing_;
  bool wants_spans_;
  std::uint32_t sector_bytes_;
  BandwidthServer server_;
  L2Cache cache_;
  PassingLines passing_;
  /// The lines that the last look_up() fetches. All dies take the same list, which so stays in the
  /// host's caches.
  inline static std::vector<L2Cache::Pending*> fetching_;
};

const L2Registry kBandwidthL2(
    {"bandwidth", "a cache in front of a fixed rate, fitted to measured streams",
     [](const L2Setup& setup) { return std::make_unique<BandwidthL2>(setup); }});

}  // namespace
}  // namespace davsim::memory
