// The graph of waits at a deadlock. It finds the cycle of waits, or the wait that nothing can
// satisfy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/instr/params.hpp"
#include "isa/instr/source_location.hpp"
#include "sim/sync/cross_core_flags.hpp"

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

/// A line for each wait. If many cores wait for the same reason, the first core and the number of
/// the others.
std::string list_waits(const std::vector<WaitPoint>& points);

/// Whether a set of the flag is in its pipe's queue.
using SetQueued = std::function<bool(std::uint32_t core, const isa::FlagParams& flag)>;
/// Cores that have to set cross-core flag `id` before it is raised on `core`.
using SettersFor = std::function<std::vector<std::uint32_t>(std::uint32_t core, std::uint8_t id)>;

/// The number among `points` of the wait that nothing can satisfy; points.size() if the waits go
/// round, or there are none.
std::size_t last_of_waits(const std::vector<WaitPoint>& points, const SetQueued& set_queued,
                          const SettersFor& setters_for);

/// A paragraph about the cycle among `points`, or, if there is no cycle, about the wait at the end
/// of the chain.
std::string explain_waits(const std::vector<WaitPoint>& points, const SetQueued& set_queued,
                          const SettersFor& setters_for);

/// A line for each cross-core flag that some of its cores have set and others have not.
std::string explain_half_set(const std::vector<CrossCoreFlags::HalfSet>& sets,
                             const std::function<std::string(std::uint32_t core)>& name_of);

}  // namespace davsim::sim
