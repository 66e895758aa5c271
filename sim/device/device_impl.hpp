// The implementation of Device: the dies, what they share, and the interfaces through which cores
// call their device.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "memory/large_pages.hpp"
#include "sim/device/device.hpp"
#include "sim/device/die.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/sync/poll_watch.hpp"
#include "sim/system/collectives.hpp"
#include "sim/system/die_memory.hpp"
#include "sim/system/fabric.hpp"

namespace davsim::sim {

class Device::Impl : private LaunchControl {
 public:
  Impl(SocConfig soc, std::optional<SystemConfig> system, DeviceOptions options);
  ~Impl();

  std::vector<observe::LaunchReport> launch(std::vector<DieLaunch> launches);
  std::string suspicion() const;
  void check(RunWatcher* watcher);
  void let_write(OutsideWriters* outside) { outside_ = outside; }
  void let_join(LaterLaunches* later) { later_ = later; }
  Cycle finish_transfers();

  SocConfig soc_;
  std::optional<SystemConfig> system_;
  DeviceOptions options_;
  TimingTable timing_;
  DieMemories memories_;
  memory::CycleClock clock_{"clock"};
  Reporting reports_;
  std::unique_ptr<Fabric> fabric_;  ///< none for a die that is alone
  std::unique_ptr<Collectives> collectives_;
  std::uint64_t tiling_key_ = 0;
  std::uint32_t die_ = 0;  ///< of launches that name none

 private:
  // LaunchControl
  void fail(isa::Fault fault) override;
  bool aborting() const override { return aborting_; }
  void core_finished(std::uint32_t core) override;
  void core_polled(std::uint32_t core, bool found, isa::SourceLocation where) override;
  void core_loops() override;

  Die& die_of_core(std::uint32_t core) const { return *dies_[core / cores_per_die_]; }
  Core& core(std::uint32_t number) const { return die_of_core(number).core(number); }
  template <class Test>
  bool all_cores(Test test) const;

  using Dies = std::vector<std::uint32_t>;

  void require_sound(const std::vector<DieLaunch>& launches) const;
  void begin_launch(std::vector<DieLaunch> launches);
  void begin_dies(std::vector<DieLaunch> launches, const std::vector<Cycle>& starts);
  void join_launch(std::vector<DieLaunch> launches);
  std::vector<observe::LaunchReport> reports_of(
      const Dies& dies, const std::vector<const isa::KernelEntry*>& kernels);
  void end_launch(const std::vector<observe::LaunchReport>& reports);
  void after_block(std::uint32_t core);
  bool done(const Dies& dies) const;
  bool all_done() const { return done(running_); }
  bool wants_effect_thread() const;
  void run_to_end();
  void run_until_stall();
  /// How sure it is that nothing moves any more without a launch on another die.
  enum class Stall : std::uint8_t { kNone, kLikely, kCertain };
  /// Stops the clock and lets another die launch. False if no launch may come.
  bool stall(Stall how);
  bool serve_stall();
  void begin_others(LaterLaunches::Patience patience);
  void settle_effects();
  void prepare_ranks();
  /// Simulates this rank's dies together with the others until no rank has anything to do. The last
  /// cycle of all, at which every rank's clock then is.
  /// A launch that is not over before `limit` fails.
  Cycle run_windows(Cycle limit);
  /// The largest number that a rank gives.
  std::uint64_t last_of_all(std::uint64_t number) const;
  /// Fills in the reports of dies of other ranks.
  void complete_reports(const std::vector<std::uint32_t>& dies,
                        const std::vector<const isa::KernelEntry*>& kernels,
                        std::vector<observe::LaunchReport>& reports) const;
  /// Throws the fault of the launch, if there is one.
  void throw_fault();
  void abort();
  bool others_write() const { return outside_ != nullptr && outside_->any(); }
  bool others_launch() const { return later_ != nullptr && later_->any(); }
  isa::Fault deadlock() const;
  std::string cause_of(const WaitPoint& point) const;
  /// The fault of a launch that takes more cycles than allowed, with where its kernels are.
  isa::Fault over_limit() const;
  std::vector<WaitPoint> wait_points() const;
  observe::LaunchDescription description() const;

  EffectThread effects_;
  CallSites call_sites_;
  PollWatch polls_;
  /// Kernels use half of the buffers of a core. What they leave alone costs a large system more
  /// than translations of addresses cost it. The number of dies, those of a server, is a choice.
  static constexpr std::uint32_t kDiesInLargePages = 16;
  memory::LargePages large_pages_{memories_.dies() <= kDiesInLargePages};
  /// Address space for the buffers of the cores. Those of a die take some 24 MiB.
  static constexpr std::size_t kBufferPool = std::size_t{32} << 20;
  std::pmr::monotonic_buffer_resource buffer_memory_{kBufferPool, &large_pages_};
  std::vector<std::unique_ptr<Die>> dies_;  ///< nullptr: of another rank
  std::uint32_t cores_per_die_ = 1;
  RunWatcher* watcher_ = nullptr;
  OutsideWriters* outside_ = nullptr;
  LaterLaunches* later_ = nullptr;

  // The running launch, with those that joined it.
  Dies running_;
  std::vector<Dies> calls_;  ///< of launch() that have not returned, each within the one before
  std::vector<observe::LaunchReport> joined_;  ///< of those that have
  std::uint64_t begun_ = 0;                    ///< launches, ever
  Stall stall_ = Stall::kNone;
  Cycle start_ = 0;
  bool aborting_ = false;
  std::optional<isa::Fault> fault_;

 public:
  Die& die(std::uint32_t number) const { return *dies_.at(number); }
  bool has_die(std::uint32_t number) const { return dies_.at(number) != nullptr; }
};

template <class Test>
bool Device::Impl::all_cores(Test test) const {
  for (const auto& die : dies_) {
    if (die == nullptr) continue;
    for (const auto& core : die->cores()) {
      if (!test(*core)) return false;
    }
  }
  return true;
}

}  // namespace davsim::sim
