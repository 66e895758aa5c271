// How many requests a DMA engine needs for a run of bytes of global memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace davsim::sim {

/// The shortest and the longest request, in bytes.
struct RequestBytes {
  std::uint32_t shortest, longest;
};

/// A request is as long as its address allows: 128 bytes, or 256 or 512 that begin on as many.
constexpr std::uint32_t request_count(std::uint64_t addr, std::uint64_t bytes, RequestBytes of) {
  const std::uint64_t shortest = of.shortest, end = addr + bytes;
  std::uint32_t count = 0;
  for (; addr < end; ++count) {
    std::uint64_t length = std::max(shortest, std::uint64_t{of.longest});
    while (length > shortest && (addr % length != 0 || addr + length > end)) {
      length = std::max(shortest, length / 2);
    }
    addr += length - addr % shortest;
  }
  return count;
}

}  // namespace davsim::sim
