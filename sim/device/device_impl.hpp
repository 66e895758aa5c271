// The implementation of Device: the parts of the machine, the running launch, and the interfaces
// through which cores call their device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "memory/large_pages.hpp"
#include "memory/memory_system.hpp"
#include "sim/core/core.hpp"
#include "sim/device/block_schedule.hpp"
#include "sim/device/device.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/sync/poll_watch.hpp"

namespace davsim::sim {

class Device::Impl : private LaunchControl {
 public:
  Impl(SocConfig soc, DeviceOptions options);

  observe::LaunchReport launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                               std::function<void()> aic, std::function<void()> aiv);
  std::string unordered_access() const;

  SocConfig soc_;
  DeviceOptions options_;
  std::uint32_t aics_, aivs_per_aic_;
  TimingTable timing_;
  memory::GlobalMemory global_;
  memory::CycleClock clock_{"clock"};
  memory::MemorySystem memory_;
  Reporting reports_;

  void check(RunWatcher* watcher);
  void set_tiling_key(std::uint64_t key) { tiling_key_ = key; }

 private:
  // LaunchControl
  void fail(isa::Fault fault) override;
  bool aborting() const override { return aborting_; }
  void core_finished(std::uint32_t core) override;
  void core_polled(std::uint32_t core, bool found, isa::SourceLocation where) override;

  void add_core(const CoreSpec& spec, std::uint32_t ai_core, std::uint32_t sub);
  /// The address of the running kernel's code for cores of this type.
  std::uint64_t code_base(isa::CoreType type) const;
  std::uint32_t core_index(isa::CoreType type, std::uint32_t ai_core, std::uint32_t sub) const {
    return type == isa::CoreType::AIC ? ai_core : aics_ + ai_core * aivs_per_aic_ + sub;
  }

  void begin_launch();
  /// Gives the launch the library's part of global memory, with no message in it.
  void prepare_library_workspace();
  void start_block(std::uint32_t slot, std::uint32_t block, Cycle cycle);
  void after_block(std::uint32_t core);
  bool wants_effect_thread() const;
  void run_to_end();
  void abort();
  isa::Fault deadlock() const;
  std::vector<WaitPoint> wait_points() const;
  std::vector<std::uint32_t> setters_for(std::uint32_t core, std::uint8_t flag) const;
  observe::LaunchReport report() const;
  observe::LaunchDescription description() const;
  void require_flags_awaited(std::uint32_t slot);

  CrossCoreFlags flags_;
  PollWatch polls_;
  EffectThread effects_;
  CallSites call_sites_;
  std::map<std::string, std::uint64_t, std::less<>>
      code_order_;  ///< numbers of kernels, by first launch
  std::byte* library_workspace_ = nullptr;
  std::uint64_t library_bytes_ = 0;
  memory::LargePages large_pages_;
  /// Address space for the buffers of the cores. Those of a die take some 24 MiB.
  static constexpr std::size_t kBufferPool = std::size_t{32} << 20;
  std::pmr::monotonic_buffer_resource buffer_memory_{kBufferPool, &large_pages_};
  std::vector<std::unique_ptr<Core>> cores_;
  RunWatcher* watcher_ = nullptr;

  // The running launch.
  const isa::KernelEntry* entry_ = nullptr;
  std::uint64_t tiling_key_ = 0;
  isa::KernelType type_ =
      isa::KernelType::kAivOnly;  ///< the type of the kernel with this tiling key
  std::function<void()> aic_, aiv_;
  BlockSchedule schedule_;
  Cycle start_ = 0, end_ = 0;
  bool aborting_ = false;
  std::optional<isa::Fault> fault_;
};

}  // namespace davsim::sim
