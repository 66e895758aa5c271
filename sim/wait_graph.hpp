// Who waits for whom when nothing can move any more: finds the cycle, or the wait that nothing can
// satisfy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/core/source_location.hpp"
#include "isa/instr/params.hpp"

namespace davsim::sim {

/// A pipe or a scalar unit (pipe S) that waits.
struct WaitPoint {
  enum class For : std::uint8_t { kFlag, kCrossCoreFlag, kRoom, kAllPipes, kMemory };
  std::uint32_t core = 0;
  isa::Pipe pipe = isa::Pipe::S;
  For what = For::kAllPipes;
  isa::FlagParams flag;           ///< kFlag
  std::uint8_t cross_id = 0;      ///< kCrossCoreFlag
  isa::Pipe full = isa::Pipe::S;  ///< kRoom: whose queue is full
  std::string text;               ///< "core0.veccore0 V: WAIT_FLAG MTE2_V event 0 at add.cpp:41"
  isa::SourceLocation where;
};

/// A paragraph on the cycle among `points`, or on the wait at the end of the chain where there is
/// no cycle. `sets_queued(core, flag)`: whether a set of the flag stands in its pipe's queue;
/// `partners(core)`: cores whose sets could raise its cross-core flags.
std::string explain_waits(
    const std::vector<WaitPoint>& points,
    const std::function<bool(std::uint32_t core, const isa::FlagParams& flag)>& set_queued,
    const std::function<std::vector<std::uint32_t>(std::uint32_t core)>& partners);

}  // namespace davsim::sim
