// The constants of L2 and HBM, as plain numbers.
#pragma once

#include <cstdint>
#include <string>

namespace davsim::memory {

/// Constants of the `banks` model of HBM; times in ns, as JEDEC (JESD235) names them.
struct HbmBanksTiming {
  std::uint32_t stacks = 0, channels = 0, pseudo_channels = 0;
  std::uint32_t bank_groups = 0, banks = 0;  ///< of a pseudo channel; of a group
  std::uint32_t row_bytes = 0;               ///< of a bank
  std::uint32_t interleave = 0;   ///< bytes of neighbouring addresses in one pseudo channel
  std::uint32_t set_groups = 0;   ///< bank groups that take turns at the bursts of those
  std::uint32_t write_batch = 0;  ///< bytes that are collected before the bus turns round
  double rcd_read = 0, rcd_write = 0, rp = 0, ras = 0, cl = 0, cwl = 0, ccd_l = 0;
  double rrd_s = 0, rrd_l = 0, faw = 0, rtp = 0, wr = 0, wtr = 0, rtw = 0, refi = 0, rfc = 0;
};

/// Constants of L2 and HBM; cycles are core cycles. Filled from the SoC description.
struct MemoryTiming {
  std::string l2_model = "bandwidth", hbm_model = "bandwidth";
  std::uint64_t l2_bytes = 0;
  std::uint32_t line_bytes = 512, ways = 24;
  /// Sets by which each stretch of as many lines as there are sets is rotated.
  std::uint64_t l2_rotation = 0;
  double l2_bytes_per_cycle = 0;  ///< all cores together; a request takes the time of a whole line
  /// How long a line serves a request of a DMA engine, before it serves another engine's. Whole
  /// cycles, so that the time of a launch does not depend on when it begins.
  std::uint32_t l2_line_service = 0;
  double l2_read_latency = 0, l2_write_latency = 0;
  /// Bytes that HBM may be behind with before L2 makes writes wait.
  std::uint32_t l2_write_ahead = 0;
  double ns_per_cycle = 1;
  double hbm_bytes_per_cycle = 0;  ///< sustained, reads of whole lines
  double hbm_peak_bytes_per_cycle = 0;
  double hbm_read_latency = 0;  ///< from the core, L2 included
  /// What HBM takes for a byte that comes in bursts shorter than a line, or that is written back
  /// between reads, in bytes of whole lines that are read.
  double hbm_short_burst = 1, hbm_write_back = 1;
  HbmBanksTiming banks;
};

}  // namespace davsim::memory
