// The works of one die that take its cores or its rates, on a clock of the die.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace davsim::runtime {

/// Simulated time of the device, in microseconds from its start.
using Microseconds = double;

/// What works of a die that run side by side share.
enum class Shared : std::uint8_t { kHbm, kL2, kToDevice, kToHost };
inline constexpr std::size_t kSharedCount = 4;

/// What one block of a launch occupies, and how long after the start of the launch.
struct BlockDemand {
  bool cube = false;
  std::uint32_t vectors = 0;
  Microseconds end = 0;
};

/// What a work takes when it has the die to itself.
struct Demand {
  Microseconds duration = 0;  ///< 0: it passes at once
  std::uint32_t die = 0;      ///< whose cores and rates it takes
  /// The part of each rate that it takes while it lasts, 0 to 1.
  std::array<double, kSharedCount> use{};
  std::vector<BlockDemand> blocks;  ///< all of one shape, those that last longest first

  double& of(Shared what) { return use[static_cast<std::size_t>(what)]; }
  /// Whether it takes cores or a part of a rate for some time.
  bool takes_some() const { return duration > 0 && (!blocks.empty() || use != decltype(use){}); }
};

/// The end of a work, and where it started if it took time. The timeline writes it.
struct Moment {
  std::optional<Microseconds> at;
  std::optional<Microseconds> started;
};
using MomentPtr = std::shared_ptr<Moment>;

/// The last of these moments; none if one of them has not passed.
std::optional<Microseconds> last_of(const std::vector<MomentPtr>& moments);

class DieTimeline {
 public:
  struct Work {
    std::vector<MomentPtr> after;
    Demand demand;
    MomentPtr end;
  };

  DieTimeline(std::uint32_t aics, std::uint32_t aivs_per_aic);

  void add(Work work);
  /// Starts what can start. Returns when something happens next: a block or a work ends, or the
  /// last moment before a work has passed. None if this depends on moments of which the time is not
  /// known yet.
  std::optional<Microseconds> next();
  /// Goes on to the time that next() has returned.
  void go_on_to(Microseconds time);
  Microseconds now() const { return now_; }

  const std::vector<Work>& waiting() const { return waiting_; }
  template <class Visit>
  void for_each_end(Visit visit) const {
    for (const Work& work : waiting_) visit(work.end);
    for (const Running& running : running_) visit(running.end);
  }

 private:
  /// What a block occupies, as indices of cores.
  using Seat = std::vector<std::size_t>;
  struct Running {
    Demand demand;
    MomentPtr end;
    std::vector<Seat> seats;  ///< of the blocks that have not ended
    Microseconds done = 0;    ///< of its duration
    double rate = 1;
  };
  /// Types of cores for which an earlier work waits.
  struct Reserved {
    bool cube = false, vector = false;
  };

  void start_what_can();
  bool start(Work& work, Reserved& reserved);
  std::vector<Seat> free_seats(const BlockDemand& shape, std::size_t most) const;
  void share_rates();
  void share(std::size_t what);
  void release_ended(Running& running);

  std::uint32_t aics_, aivs_per_aic_;
  Microseconds now_ = 0;
  std::vector<bool> busy_;     ///< by core: AICs, then AIVs
  std::vector<Work> waiting_;  ///< in the order in which they were added
  std::vector<Running> running_;
};

}  // namespace davsim::runtime
