// The lines and sectors of L2 that a request touches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "memory/l2/l2_cache.hpp"
#include "memory/memory_request.hpp"

namespace davsim::memory {

/// The sectors [first, last) of a line.
inline L2Cache::Sectors sectors_between(std::uint32_t first, std::uint32_t last) {
  return static_cast<L2Cache::Sectors>(((1u << last) - 1) & ~((1u << first) - 1));
}

/// The number of sectors, from a table of four bits.
inline std::uint64_t sectors_in(L2Cache::Sectors sectors) {
  constexpr std::uint8_t kBits[L2Cache::kWholeLine + 1] = {0, 1, 1, 2, 1, 2, 2, 3,
                                                           1, 2, 2, 3, 2, 3, 3, 4};
  return kBits[sectors];
}

/// Calls visit(line, sectors, partial) for every line of every row, in order. `line` is the line
/// number, `sectors` are the touched sectors, `partial` those of them that are touched in part.
template <class Visit>
void for_each_line(const MemoryRequest& request, std::uint32_t line_bytes, Visit visit) {
  const std::uint32_t sector_bytes = line_bytes / L2Cache::kSectors;
  std::uint64_t addr = request.addr;
  for (std::uint32_t row = 0; row < request.rows; ++row) {
    std::uint64_t line = addr / line_bytes;
    auto begin = static_cast<std::uint32_t>(addr % line_bytes);
    for (std::uint32_t left = request.row_bytes; left > 0; begin = 0, ++line) {
      const std::uint32_t end = begin + std::min(left, line_bytes - begin);
      left -= end - begin;
      if (end - begin == line_bytes) {
        visit(line, L2Cache::kWholeLine, L2Cache::Sectors{0});
        continue;
      }
      const std::uint32_t first = begin / sector_bytes,
                          last = (end + sector_bytes - 1) / sector_bytes,
                          first_whole = (begin + sector_bytes - 1) / sector_bytes,
                          last_whole = std::max(first_whole, end / sector_bytes);
      const L2Cache::Sectors sectors = sectors_between(first, last);
      visit(line, sectors,
            static_cast<L2Cache::Sectors>(sectors & ~sectors_between(first_whole, last_whole)));
    }
    addr += static_cast<std::uint64_t>(request.row_pitch);
  }
}

/// Calls visit(addr, bytes) for each run of neighbouring sectors.
template <class Visit>
void for_each_run(std::uint64_t line, L2Cache::Sectors sectors, std::uint32_t line_bytes,
                  Visit visit) {
  const std::uint32_t sector_bytes = line_bytes / L2Cache::kSectors;
  for (std::uint32_t first = 0; first < L2Cache::kSectors; ++first) {
    if ((sectors >> first & 1) == 0) continue;
    std::uint32_t last = first;
    while (last < L2Cache::kSectors && (sectors >> last & 1) != 0) ++last;
    visit(line * line_bytes + std::uint64_t{first} * sector_bytes, (last - first) * sector_bytes);
    first = last;
  }
}

}  // namespace davsim::memory
