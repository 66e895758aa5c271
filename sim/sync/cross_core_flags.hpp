// Flags between cores. A core has a counter of four bits for each of the 16 ids. The mode of a set
// decides which counters it increments:
//   mode 0  when every core of the setter's type has set, the counters of all of them
//   mode 1  when both AIVs of an AI core have set, the counters of both
//   mode 2  when an AIC has set, the counters of its AIVs;
//           when all AIVs of an AI core have set, the counter of its AIC
// An increment arrives `latency` cycles after the set that completes it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "isa/core/core_sink.hpp"
#include "isa/instr/params.hpp"
#include "isa/instr/source_location.hpp"
#include "observe/counters.hpp"
#include "sim/watch/run_watcher.hpp"

namespace davsim::sim {

using observe::Cycle;

class CrossCoreFlags {
 public:
  static constexpr std::size_t kIds = 16;
  static constexpr std::size_t kMaxCount = 15;  ///< of the device's 4-bit counters

  struct Member {
    std::uint32_t core = 0;     ///< index of the core on the device
    std::uint32_t ai_core = 0;  ///< which AI core of the launch it belongs to
    isa::CoreType type = isa::CoreType::AIV;
  };
  /// Called with a core whose counter will count up at `cycle`.
  using Notify = std::function<void(std::uint32_t core, Cycle cycle)>;

  explicit CrossCoreFlags(Cycle latency) : latency_(latency) {}

  /// Starts a launch. `aic_blocks` and `aiv_blocks` are what mode 0 has to wait for: all blocks of
  /// the launch, whether they are on a core yet or not.
  void begin(std::size_t cores, std::uint32_t aic_blocks, std::uint32_t aiv_blocks,
             std::uint32_t aivs_per_ai_core, Notify notify);
  /// A block starts on these cores.
  void join(const std::vector<Member>& members);
  void leave(std::uint32_t core);

  /// Tells `watcher` whose sets raised whose flags; nullptr for nobody. For it, cores have numbers
  /// from `first_core` on.
  void watch(RunWatcher* watcher, std::uint32_t first_core) {
    watcher_ = watcher;
    first_core_ = first_core;
  }

  /// Throws isa::Fault(kFlag) if a counter would exceed kMaxCount.
  void set(std::uint32_t core, const isa::CrossCoreFlagParams& flag, Cycle now, std::uint64_t flow,
           isa::SourceLocation where);

  enum class Take : std::uint8_t { kTaken, kLater, kNothing };
  /// Takes one count of `id` if it has arrived by `now`; kLater if one is on its way (its arrival
  /// is in `arrival`). `set_at`: the set that completed it.
  Take take(std::uint32_t core, std::uint8_t id, Cycle now, Cycle& arrival, std::uint64_t& flow,
            isa::SourceLocation& set_at);

  /// Sets that have not raised their flag, because others of their cores have not set it.
  struct HalfSet {
    std::uint8_t mode = 0, id = 0;
    std::size_t of = 0;                  ///< how many cores have to set it
    std::vector<std::uint32_t> by;       ///< who has
    std::vector<std::uint32_t> missing;  ///< who has not, of the cores that had a block
  };
  std::vector<HalfSet> half_set() const;
  /// A flag that is raised on a core and that no wait has taken.
  struct Raised {
    std::uint32_t core = 0;
    std::uint8_t id = 0, mode = 0;
    isa::SourceLocation where;  ///< of the set that completed it
  };
  std::vector<Raised> raised() const;
  /// Waits of the block on `core` that have taken a count of `id`.
  std::uint32_t taken(std::uint32_t core, std::uint8_t id) const {
    return cores_.at(core).taken[id];
  }
  /// Those of the cores that had a block whose sets of `mode` raise flags of `core`.
  std::vector<std::uint32_t> setters(std::uint32_t core, std::uint8_t mode) const;
  /// The cores whose sets could raise flag `id` of `core`: those missing where others have set it,
  /// else the other half of its AI core.
  std::vector<std::uint32_t> setters_for(std::uint32_t core, std::uint8_t id) const;

  /// Throws isa::Fault(kFlag) if `core` has counts that nobody took.
  void require_none_left(std::uint32_t core, const std::string& core_name) const;

 private:
  struct Arrival {
    Cycle at;
    std::uint64_t flow;
    isa::SourceLocation where;
    std::uint8_t mode;
  };
  struct CoreState {
    bool present = false;
    bool had_block = false;
    Member member;
    /// By id, oldest first: at most kMaxCount each, nearly always none.
    std::array<std::vector<Arrival>, kIds> arrived;
    std::array<std::uint32_t, kIds> taken{};
    /// Sets of this core that wait for others to set too, by mode and id.
    std::array<std::array<std::uint32_t, kIds>, 3> waiting{};
  };

  void arrive(CoreState& state, const isa::CrossCoreFlagParams& flag, Cycle at, std::uint64_t flow,
              isa::SourceLocation where);
  /// True, and one set of each taken, if `members` have all set `id` in `mode`.
  bool complete(const std::vector<CoreState*>& members, std::size_t expected, std::uint8_t mode,
                std::uint8_t id);
  template <class Predicate>
  std::vector<CoreState*> select(Predicate predicate);
  /// Whether `a` and `b` set flags of `mode` together.
  static bool set_together(std::uint8_t mode, const Member& a, const Member& b);
  /// Whether sets of `setter` in `mode`, once complete, raise a flag of `target`.
  static bool raises(std::uint8_t mode, const Member& setter, const Member& target);
  std::size_t setters_of(std::uint8_t mode, const Member& member) const;

  void tell_watcher(const isa::CrossCoreFlagParams& flag, const std::vector<CoreState*>& setters,
                    const std::vector<CoreState*>& raised) const;

  Cycle latency_;
  RunWatcher* watcher_ = nullptr;
  std::uint32_t first_core_ = 0;
  std::vector<CoreState> cores_;
  std::uint32_t aic_blocks_ = 0, aiv_blocks_ = 0, aivs_per_ai_core_ = 0;
  Notify notify_;
};

}  // namespace davsim::sim
