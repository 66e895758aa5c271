// L2 as a cache in front of a server of a fixed rate. Each access to a line takes a turn of the
// server. Pending requests to one line delay each other.
#include <algorithm>
#include <bit>

#include "memory/bandwidth_server.hpp"
#include "memory/l2/l2_cache.hpp"
#include "memory/l2/l2_model.hpp"
#include "memory/l2/line_walk.hpp"

namespace davsim::memory {
namespace {

using Sectors = L2Cache::Sectors;

/// One of 64 bits for a requester. Requesters of one kind have numbers at equal distances.
/// Fibonacci hashing gives different bits to the few dozen of them that may meet at a line.
std::uint64_t requester_bit(RequesterId requester) {
  return std::uint64_t{1} << (requester * 0x9E3779B97F4A7C15u >> 58);
}

/// The pending requests to lines that L2 does not hold: each place has the line of its last
/// request.
class PassingLines {
 public:
  L2Cache::Pending& at(std::uint64_t line) {
    if (places_.empty()) places_.resize(kPlaces);
    Place& place = places_[line % kPlaces];
    if (place.line != line) place = {line, {}};
    return place.pending;
  }

 private:
  /// More lines than requests can be pending at a time to, so that few of those share a place.
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
        cache_(timing_.l2_bytes, timing_.line_bytes, timing_.ways, timing_.l2_rotation),
        server_(timing_.l2_bytes_per_cycle) {}

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
    const Turn turn{now, static_cast<Cycle>(std::max(time, server_.free_at())),
                    requester_bit(request.requester)};
    double accesses = 0;
    for_each_line(request, timing_.line_bytes,
                  [&](std::uint64_t line, Sectors sectors, Sectors partial) {
                    accesses += touch(line, sectors, partial, request, turn, answer, chunk);
                  });
    answer.done = server_.reserve(time, accesses * timing_.line_bytes) +
                  (request.write ? timing_.l2_write_latency : timing_.l2_read_latency);
  }

  void fetching(std::uint64_t ready) override {
    for (L2Cache::Pending* line : fetching_) line->ready = ready;
  }

  void flush() override { cache_.flush(); }

 private:
  /// The cycle at which L2 serves a request, and the bit of its requester.
  struct Turn {
    Cycle now, l2;
    std::uint64_t requester;
  };

  /// Accesses sectors of a line, those in `partial` in part. Returns the number of turns it takes.
  double touch(std::uint64_t line, Sectors sectors, Sectors partial, const MemoryRequest& request,
               const Turn& turn, L2Answer& answer, HbmChunk& chunk) {
    const L2Cache::Access access = this->access(line, sectors, partial, request);
    if (request.write) {
      (access.hit ? answer.lines.write_hits : answer.lines.write_misses) += 1;
    } else {
      (access.hit ? answer.lines.read_hits : answer.lines.read_misses) += 1;
    }
    answer.bytes += sectors_in(sectors) * sector_bytes_;
    if ((access.fetched | access.written_back) != 0) ask_hbm(line, access, request, chunk);
    if (access.pending == nullptr) return turns(passing_.at(line), turn);
    wait_for(access.pending->ready, turn.now, answer);
    if (access.fetched != 0 && !request.no_allocate) fetching_.push_back(access.pending);
    return turns(*access.pending, turn);
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

  /// The turns of an access to a line with pending requests. L2 serves requests to one line one
  /// after the other. Those that wait retry each time one of them is served.
  double turns(L2Cache::Pending& pending, const Turn& turn) const {
    if (pending.queued_until < turn.now) pending.requesters = 0;
    const std::uint64_t others = pending.requesters & ~turn.requester;
    pending.requesters |= turn.requester;
    pending.queued_until = turn.l2;
    return others == 0 ? 1 : 1 + timing_.l2_retry * static_cast<double>(std::popcount(others));
  }

  const MemoryTiming& timing_;
  bool wants_spans_;
  std::uint32_t sector_bytes_;
  L2Cache cache_;
  BandwidthServer server_;
  PassingLines passing_;
  std::vector<L2Cache::Pending*> fetching_;  ///< the lines that the last look_up() fetches
};

const L2Registry kBandwidthL2(
    {"bandwidth", "a cache in front of a fixed rate, fitted to measured streams",
     [](const L2Setup& setup) { return std::make_unique<BandwidthL2>(setup); }});

}  // namespace
}  // namespace davsim::memory
