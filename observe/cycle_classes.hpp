// The classes of a pipe's cycles. Every cycle of a launch belongs to exactly one class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/instr/opcode.hpp"
#include "isa/instr/source_location.hpp"

namespace davsim::observe {

using Cycle = std::uint64_t;  ///< core clock cycles since the device was made

enum class CycleClass : std::uint8_t {
  kBusy,           ///< works: computes, or moves bytes through its port
  kMemory,         ///< its requests wait for L2 or HBM, and nothing passes its port
  kBankConflict,   ///< is stalled by bank conflicts in UB
  kWaitFlag,       ///< head of the queue waits for an event flag of another pipe
  kWaitCrossCore,  ///< head of the queue waits for another core
  kUnitFlag,       ///< waits for a block of L0C that the other side still holds
  kQueueEmpty,     ///< has nothing to do because the scalar unit is behind
  kBarrier,        ///< scalar unit: waits until all pipes have ended what they were given
  kQueueFull,      ///< scalar unit: the queue it issues into is full
  kFetch,          ///< scalar unit: waits for code that its instruction cache does not hold
  kLaunch,         ///< the core waits for its next block to be dispatched
  kDone,           ///< nothing more to do, in this block or in the launch
};
inline constexpr std::size_t kCycleClassCount = 12;
using CycleCounts = std::array<Cycle, kCycleClassCount>;

std::string_view cycle_class_name(CycleClass cycle_class);  ///< "wait_flag"

/// "rope_kernel.cpp:41": how faults, reports and tables print a source line; "?" if unknown.
std::string short_line(const isa::SourceLocation& where);

/// The cycles of one class that one line of the kernel caused.
struct LineCycles {
  CycleClass cycle_class = CycleClass::kBusy;
  /// kWaitFlag: whose flag is waited for; kQueueFull: whose queue is full; else ALL.
  isa::Pipe from = isa::Pipe::ALL;
  /// The instruction that worked or waited; where the queue was empty, the one it waited for.
  isa::SourceLocation where;
  isa::SourceLocation set_at;  ///< of a wait for a flag: where it was set
  std::uint64_t times = 0;     ///< instructions
  Cycle cycles = 0;
};

}  // namespace davsim::observe
