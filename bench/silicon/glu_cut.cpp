#include "bench/silicon/glu_cut.hpp"

#include <algorithm>

#include "bench/silicon/whole_parts.hpp"

namespace davsim::silicon {
namespace {

/// What the platform says of UB: 256 bytes are reserved for the Matmul interface.
constexpr std::uint64_t kUbBytes = 192 * 1024 - 256, kLineBytes = 512;
constexpr std::uint64_t kMostRows = 4095, kMostLength = 65535;  ///< of one copy

/// Two queues of inputs and one of results; beside them two tiles of float, or one if T is float.
std::uint64_t most_elements(const GluRows& job, std::uint32_t buffers) {
  const std::uint64_t work = job.bytes == 4 ? 4 : 8;
  return kUbBytes / (3 * buffers * job.bytes + work) / job.block() * job.block();
}

/// Whether rows lie too far apart for one copy of several of them.
bool too_far_apart(const GluRows& job, std::uint64_t width) {
  const std::uint64_t apart = 2 * job.width - width;
  return job.whole_blocks() ? apart > kMostLength * job.block() : apart * job.bytes > kMostLength;
}

std::uint64_t widest(const GluRows& job, std::uint64_t most) {
  const std::uint64_t line = kLineBytes / job.bytes;
  const std::uint64_t width =
      std::min({job.width, most, job.whole_blocks() ? kMostLength : kMostLength / job.bytes});
  return width < job.width && width > line ? width / line * line : width;
}

/// Tiles that no edge cuts.
std::uint64_t whole_tiles(const GluRows& job, const GluCut& cut) {
  return job.rows / cut.rows * (job.width / cut.width);
}

/// Most busy cores, then fewest tiles, then the largest, then those that no edge cuts.
bool better(const GluRows& job, const GluCut& a, const GluCut& b) {
  if (a.cores != b.cores) return a.cores > b.cores;
  if (a.tiles != b.tiles) return a.tiles < b.tiles;
  if (a.rows * a.width != b.rows * b.width) return a.rows * a.width > b.rows * b.width;
  return whole_tiles(job, a) > whole_tiles(job, b);
}

GluCut best_cut(const GluRows& job, std::uint64_t cores, std::uint32_t buffers) {
  const std::uint64_t line = kLineBytes / job.bytes, most = most_elements(job, buffers);
  const std::uint64_t most_rows = std::min(job.rows, kMostRows);
  GluCut best;
  for (std::uint64_t width = widest(job, most);;) {
    GluCut cut{1, width, buffers, 0, 0};
    const bool single = too_far_apart(job, width);
    if (single && best.tiles > 0) return best;
    const std::uint64_t padded = ceil_div(width, job.block()) * job.block();
    if (!single) cut.rows = std::max<std::uint64_t>(1, std::min(most / padded, most_rows));
    cut.tiles = ceil_div(job.rows, cut.rows) * ceil_div(job.width, width);
    cut.cores = std::min(cut.tiles, cores);
    if (best.tiles == 0 || better(job, cut, best)) best = cut;
    if (single || width <= line || cut.rows >= most_rows) return best;
    width = width % line == 0 ? width - line : width / line * line;
  }
}

}  // namespace

GluCut GluCut::of(const GluRows& job, std::uint64_t cores) {
  const GluCut twice = best_cut(job, cores, 2);
  // Two tiles become one if a core then needs no second buffer, and no core is left without work.
  if (ceil_div(twice.tiles, twice.cores) != 2) return twice;
  const GluCut once = best_cut(job, cores, 1);
  return once.tiles == once.cores && once.cores >= twice.cores ? once : twice;
}

}  // namespace davsim::silicon
