// When the work of all streams runs on the clock of the devices. Each launch is simulated alone;
// the timeline lays launches and copies side by side, on the cores of their device that are free,
// and lets those of one device share its rates of HBM, L2 and the link to the host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace davsim::runtime {

/// Simulated time of the device, in microseconds from its start.
using Microseconds = double;

/// What works of a device that run side by side share.
enum class Shared : std::uint8_t { kHbm, kL2, kToDevice, kToHost };
inline constexpr std::size_t kSharedCount = 4;

/// What one block of a launch occupies, and how long after the start of the launch.
struct BlockDemand {
  bool cube = false;
  std::uint32_t vectors = 0;
  Microseconds end = 0;
};

/// What a work takes when it has the device to itself.
struct Demand {
  Microseconds duration = 0;  ///< 0: it passes at once
  std::uint32_t die = 0;      ///< whose cores and rates it takes
  /// The part of each rate that it takes while it lasts, 0 to 1.
  std::array<double, kSharedCount> use{};
  std::vector<BlockDemand> blocks;  ///< all of one shape, those that last longest first

  double& of(Shared what) { return use[static_cast<std::size_t>(what)]; }
};

/// The end of a work, and where it started if it took time. The timeline writes it.
struct Moment {
  std::optional<Microseconds> at;
  std::optional<Microseconds> started;
};
using MomentPtr = std::shared_ptr<Moment>;

/// Calls may come from any thread.
class Timeline {
 public:
  /// Each of the dies has so many cores.
  Timeline(std::uint32_t dies, std::uint32_t aics, std::uint32_t aivs_per_aic);

  /// Adds a work. It starts once the moments `after` have passed (a null one has) and its cores are
  /// free, before those that were added later and need cores of the same type. `end` passes with
  /// it.
  void add(std::vector<MomentPtr> after, Demand demand, const MomentPtr& end);
  /// `end` passes with the last of everything that was added before.
  void add_behind_all(const MomentPtr& end);
  /// When a moment passes. What is added from then on starts later. The present time for one whose
  /// work has not been added.
  Microseconds at(const Moment& moment);
  /// When everything that was added has ended.
  Microseconds end();

 private:
  /// What a block occupies, as indices of cores.
  using Seat = std::vector<std::size_t>;
  struct Work {
    std::vector<MomentPtr> after;
    Demand demand;
    MomentPtr end;
  };
  struct Running {
    Demand demand;
    MomentPtr end;
    std::vector<Seat> seats;  ///< of the blocks that have not ended
    Microseconds done = 0;    ///< of its duration
    double rate = 1;
  };
  /// Types of cores of a die for which an earlier work waits.
  struct Reserved {
    bool cube = false, vector = false;
  };

  bool step();
  void start_what_can();
  bool start(Work& work, Reserved& reserved);
  std::vector<Seat> free_seats(const BlockDemand& shape, std::uint32_t die, std::size_t most) const;
  void share_rates();
  void share(std::uint32_t die, std::size_t what);
  void release_ended(Running& running);

  std::uint32_t dies_, aics_, aivs_per_aic_;
  std::mutex mutex_;
  Microseconds now_ = 0;
  std::vector<bool> busy_;     ///< by die and core: AICs, then AIVs
  std::vector<Work> waiting_;  ///< in the order in which they were added
  std::vector<Running> running_;
};

}  // namespace davsim::runtime
