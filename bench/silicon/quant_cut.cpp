#include "bench/silicon/quant_cut.hpp"

#include <algorithm>

#include "bench/silicon/whole_parts.hpp"

namespace davsim::silicon {
namespace {

/// UB as the platform says, less what the operator keeps free.
constexpr std::uint32_t kUbBytes = 192 * 1024 - 256 - 1024;
constexpr std::uint32_t kMostRepeats = 255;

}  // namespace

RowsTogether RowsTogether::of(std::uint32_t rows, std::uint32_t width, std::uint32_t cores) {
  constexpr std::uint32_t kLeastWidth = 128, kBlock = 8, kMostElements = kMostRepeats * 64;
  if (width < kLeastWidth || width > kMostElements || width % kBlock != 0) return {};
  RowsTogether cut;
  cut.rows = std::min(kMostElements / width, rows);
  // Full tiles are dealt evenly, and what is left over is spread row by row.
  const std::uint32_t tiles = rows / cut.rows, of_core = std::max(tiles / cores, 1u);
  cut.cores = std::min(cores, tiles / of_core);
  const std::uint32_t left = rows - cut.cores * of_core * cut.rows;
  cut.least = of_core * cut.rows + left / cut.cores;
  cut.more = left % cut.cores;
  return cut;
}

RowsByOne RowsByOne::of(std::uint32_t rows, std::uint32_t width, std::uint32_t cores) {
  // Bytes of an element: one input, a result, and two of fp32; a second input where it fits.
  constexpr std::uint32_t kOnce = 11, kTwice = 13, kBlock = 16;
  RowsByOne cut;
  cut.pitch = static_cast<std::uint32_t>(ceil_div(width, kBlock)) * kBlock;
  const std::uint32_t fit = kUbBytes / (kOnce * cut.pitch);
  const auto of_core = static_cast<std::uint32_t>(ceil_div(rows, std::min(rows, cores)));
  cut.rows = std::min({kMostRepeats, fit, of_core});
  cut.buffers = kTwice * cut.pitch < kUbBytes ? 2 : 1;
  return cut;
}

}  // namespace davsim::silicon
