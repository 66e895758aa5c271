// Kernels and operators that communicate with ranks of other processes: the process of rank 0
// leads. The others tell it what their devices are to do and what their memories have, and wait. It
// simulates all devices in the memories of the processes that have them, and tells what came out.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "memory/global_memory.hpp"
#include "runtime/core/simulator.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::runtime {

/// What a device of another process is to do. Addresses mean the same in all processes.
struct LedPart {
  std::string failure;     ///< why it takes no part; empty: it does
  Microseconds ready = 0;  ///< since the ranks met
  // A launch, unless `kernel` is empty.
  std::string kernel;
  std::uint32_t blocks = 0;
  std::uint64_t tiling_key = 0;
  std::vector<std::uint64_t> slots;
  std::array<std::uint64_t, 2> contexts{};
  std::uint64_t symmetric_memory = 0;
  /// Else a part of an operator (GroupCall::packed), unless there is none: then a barrier.
  std::string operator_name, call;
  std::vector<memory::GlobalMemory::Allocation> allocations;  ///< of the device
  std::vector<sim::Communicator> communicators;               ///< that the part may use

  std::string packed() const;
  static LedPart opened(std::string message);
};

/// What came out.
struct LedResult {
  std::int32_t code = 0;  ///< 0: all is well
  std::string failure;
  Microseconds begin = 0;      ///< since the ranks met
  std::vector<PartDone> done;  ///< by rank

  std::string packed() const;
  static LedResult opened(std::string message);
};

}  // namespace davsim::runtime
