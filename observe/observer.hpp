// The interface through which traces and reports see a run. sim/ calls it. Without an observer it
// costs one test of a pointer.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instr/decoded_instr.hpp"
#include "observe/counters.hpp"

namespace davsim::observe {

struct CoreDescription {
  std::uint32_t id = 0;  ///< index of the core, AICs first
  isa::CoreType type = isa::CoreType::AIV;
  std::string name;             ///< "core3.cubecore0", "core3.veccore1"
  std::uint32_t ai_core = 0;    ///< the AI core it is part of
  std::uint32_t sub_block = 0;  ///< which AIV of its AI core; 0 on an AIC
};

struct LaunchDescription {
  std::string soc, kernel;
  double frequency_mhz = 0;
  Cycle start = 0;
  std::uint32_t block_dim = 0;
  std::vector<CoreDescription> cores;
  std::uint64_t gm_base = 0;      ///< traces print GM addresses relative to it
  std::uint32_t queue_depth = 0;  ///< instructions that wait in the queue of a pipe at most
  /// The maximum rate of a core's port for each path; 0 if it is not known.
  std::array<double, kPathCount> path_bytes_per_cycle{};
};

/// One instruction, from its dispatch to its end. For flags and barriers `end` is the cycle in
/// which the queue continues.
struct InstrEvent {
  std::uint32_t core = 0;
  const isa::DecodedInstr* instr = nullptr;
  Cycle dispatched = 0;  ///< left the scalar unit
  Cycle start = 0;       ///< began to execute (a wait: reached the head of its queue)
  Cycle end = 0;
  /// Ties the end of a flag's set to the waits it releases; 0 for other instructions. A cross-core
  /// set may release several waits.
  std::uint64_t flow = 0;
  /// Cycles for which memory or bank conflicts stalled it.
  Cycle stalled = 0;
  /// Of these, the cycles in which no earlier instruction of the pipe was in flight. The pipe's
  /// cycle classes count these.
  Cycle stalled_counted = 0;
  CycleClass stall_class = CycleClass::kMemory;  ///< what stalled it
  Cycle held = 0;  ///< before `start`, at the head of its queue: held by the unit flag of L0C
};

/// A core is given a block.
struct BlockBegin {
  std::uint32_t core = 0, block = 0;
  Cycle given = 0;  ///< it is free, and the block chosen
  Cycle start = 0;  ///< the kernel begins
};

/// What a core did with one block of the launch.
struct BlockEvent {
  std::uint32_t core = 0, block = 0;
  Cycle start = 0;   ///< the kernel begins
  Cycle issued = 0;  ///< the scalar unit came to the end of the kernel
  Cycle end = 0;     ///< all pipes came to theirs
};

/// Bytes moved in [start, start + span) through the shared memories.
struct MemorySample {
  Cycle start = 0, span = 0;
  std::uint64_t l2_bytes = 0, hbm_read_bytes = 0, hbm_write_bytes = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void launch_begins(const LaunchDescription&) {}
  virtual void instruction(const InstrEvent&) {}
  virtual void block_begins(const BlockBegin&) {}
  virtual void block(const BlockEvent&) {}
  virtual void memory_sample(const MemorySample&) {}
  virtual void launch_ends(const LaunchReport&) {}
};

}  // namespace davsim::observe
