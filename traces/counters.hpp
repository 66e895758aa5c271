// What a launch leaves behind: cycles, busy times, bytes. Filled by sim/, printed by reports.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instr/opcode.hpp"

namespace davsim::traces {

using Cycle = std::uint64_t;  ///< core clock cycles since the device was made

/// Why a pipe stood still although the launch was running.
enum class StallCause : std::uint8_t {
  kQueueEmpty,     ///< nothing to do: the scalar unit is behind, or the kernel is done here
  kWaitFlag,       ///< head of the queue waits for an event flag
  kWaitCrossCore,  ///< head of the queue waits for another core
  kBarrier,        ///< drains for a barrier or before setting a flag
  kUnitFlag,       ///< waits for a block of L0C that the other side still holds
  kMemory,         ///< its requests wait for L2 or HBM
  kQueueFull,      ///< the scalar unit: the queue it issues into is full
};
inline constexpr std::size_t kStallCauseCount = 7;

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
  Cycle busy = 0;                  ///< length of the union of its instructions' intervals
  std::array<Cycle, kStallCauseCount> stalls{};
};

struct CoreCounters {
  std::string name;  ///< "core3.veccore1"
  isa::CoreType type = isa::CoreType::AIV;
  Cycle start = 0, end = 0;  ///< of the blocks it ran, relative to the launch; 0, 0 if it ran none
  std::array<PipeCounters, isa::kPipeCount> pipes{};
  std::array<std::uint64_t, kPathCount> path_bytes{};
  std::uint64_t cube_macs = 0;        ///< multiply-accumulates of Mmad, padding included
  std::uint64_t vector_elements = 0;  ///< lanes computed by the vector unit
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
  double launch_overhead_us = 0;
  std::vector<CoreCounters> cores;  ///< only cores that ran a block
  MemoryCounters memory;

  double time_us() const { return frequency_mhz > 0 ? cycles / frequency_mhz : 0; }
  double task_time_us() const { return time_us() + launch_overhead_us; }
};

std::string_view stall_cause_name(StallCause cause);
std::string_view path_name(Path path);  ///< "GM->UB", ...

}  // namespace davsim::traces
