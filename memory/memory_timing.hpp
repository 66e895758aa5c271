// The constants of L2 and HBM, as plain numbers.
#pragma once

#include <cstdint>

namespace davsim::memory {

/// Constants of L2 and HBM; cycles are core cycles. Filled from the SoC description.
struct MemoryTiming {
  std::uint64_t l2_bytes = 0;
  std::uint32_t line_bytes = 512, ways = 24;
  double l2_bytes_per_cycle = 0;  ///< all cores together; a request takes the time of a whole line
  /// What a request takes more for each other engine that waits for its line, in lines.
  double l2_retry = 0;
  double l2_read_latency = 0, l2_write_latency = 0;
  /// Bytes that HBM may be behind with before L2 makes writes wait.
  std::uint32_t l2_write_ahead = 0;
  double hbm_bytes_per_cycle = 0;  ///< sustained, reads of whole lines
  double hbm_read_latency = 0;     ///< from the core, L2 included
  /// What HBM takes for a byte that comes in bursts shorter than a line, or that is written back
  /// between reads, in bytes of whole lines that are read.
  double hbm_short_burst = 1, hbm_write_back = 1;
};

}  // namespace davsim::memory
