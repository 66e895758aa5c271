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
  const std::uint64_t longest = std::max(shortest, std::uint64_t{of.longest});
  std::uint32_t count = 0;
  for (; addr < end; ++count) {
    if (addr % longest == 0) {  // most bytes: all of the longest ones at once
      const std::uint64_t whole = (end - addr) / longest;
      count += static_cast<std::uint32_t>(whole);
      addr += whole * longest;
      if (addr == end) break;
    }
    std::uint64_t length = longest;
    while (length > shortest && (addr % length != 0 || addr + length > end)) {
      length = std::max(shortest, length / 2);
    }
    addr += length - addr % shortest;
  }
  return count;
}

/// The requests of `rows` runs, whose addresses are `pitch` apart.
constexpr std::uint32_t request_count(std::uint64_t addr, std::uint64_t row_bytes,
                                      std::uint32_t rows, std::int64_t pitch, RequestBytes of) {
  const auto lies_alike = [pitch](std::int64_t length) { return pitch % length == 0; };
  if (lies_alike(of.shortest) && lies_alike(of.longest)) {
    return rows * request_count(addr, row_bytes, of);
  }
  std::uint32_t sum = 0;
  for (std::uint32_t row = 0; row < rows; ++row) {
    sum += request_count(addr + static_cast<std::uint64_t>(pitch * row), row_bytes, of);
  }
  return sum;
}

}  // namespace davsim::sim
