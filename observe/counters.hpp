// The counters of a launch: cycles, busy times, bytes. sim/ fills them in, reports print them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instr/opcode.hpp"
#include "observe/cycle_classes.hpp"

namespace davsim::observe {

/// Data paths whose bytes are counted; names as in the vendor's reports.
enum class Path : std::uint8_t {
  kGmToUb,
  kGmToL1,
  kUbToGm,
  kL1ToGm,
  kL1ToL0A,
  kL1ToL0B,
  kL1ToBt,
  kL1ToFb,
  kL0CToGm,
  kL0CToL1,
  kUbToUb,
  kGmToL0A,
  kGmToL0B,
};
inline constexpr std::size_t kPathCount = 13;

struct PipeCounters {
  std::uint64_t instructions = 0;  ///< without flags and barriers
  /// Length of the union of its instructions' intervals, including waits for memory. The vendor's
  /// profiler calls this the time of a pipe.
  Cycle in_flight = 0;
  CycleCounts cycles{};           ///< of the launch, by class; they add up to all of them
  std::vector<LineCycles> lines;  ///< the same by source line; only if the device keeps lines

  Cycle of(CycleClass c) const { return cycles[static_cast<std::size_t>(c)]; }
  Cycle busy() const { return of(CycleClass::kBusy); }
};

/// Hits and misses of a core's requests in L2, in 512-byte lines.
struct L2Counters {
  std::uint64_t read_hits = 0, read_misses = 0, write_hits = 0, write_misses = 0;
};

/// Hits and misses of the scalar unit in its instruction cache.
struct CodeCounters {
  std::uint64_t reads = 0;   ///< instructions
  std::uint64_t misses = 0;  ///< lines it had to wait for
};

struct CoreCounters {
  std::string name;  ///< "core3.veccore1"
  isa::CoreType type = isa::CoreType::AIV;
  std::uint32_t ai_core = 0;    ///< the AI core it is part of
  std::uint32_t sub_block = 0;  ///< which AIV of its AI core; 0 on an AIC
  Cycle start = 0, end = 0;  ///< of the blocks it ran, relative to the launch; 0, 0 if it ran none
  isa::PipeMask present;     ///< the pipes that it has
  std::array<PipeCounters, isa::kPipeCount> pipes{};
  std::array<std::uint64_t, kPathCount> path_bytes{};
  std::uint64_t cube_macs = 0;        ///< multiply-accumulates of Mmad, padding included
  std::uint64_t vector_elements = 0;  ///< lanes computed by the vector unit
  L2Counters l2;
  CodeCounters code;
};

struct MemoryCounters {
  std::uint64_t l2_read_hits = 0, l2_read_misses = 0;    ///< 512-byte lines
  std::uint64_t l2_write_hits = 0, l2_write_misses = 0;  ///< 512-byte lines
  std::uint64_t l2_bytes = 0;                            ///< moved between cores and L2
  std::uint64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
};

struct LaunchReport {
  std::string soc, kernel;
  double frequency_mhz = 0;
  bool timed = true;  ///< false: a functional run, every cycle is 0
  std::uint32_t block_dim = 0;
  Cycle start = 0;   ///< on the device's clock
  Cycle cycles = 0;  ///< launch to the end of the last core
  Cycle alone = 0;   ///< of these, before launches of other dies joined; 0: none did
  double launch_overhead_us = 0;
  std::vector<CoreCounters> cores;  ///< only cores that ran a block
  MemoryCounters memory;

  double time_us() const { return frequency_mhz > 0 ? cycles / frequency_mhz : 0; }
  double task_time_us() const { return time_us() + launch_overhead_us; }
};

std::string_view path_name(Path path);  ///< "GM->UB", ...

}  // namespace davsim::observe
