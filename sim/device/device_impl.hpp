// What is behind a Device: the launch that runs, the parts of the machine it runs on, and what they
// ask of their device.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "memory/large_pages.hpp"
#include "memory/memory_system.hpp"
#include "sim/core/core.hpp"
#include "sim/device/block_schedule.hpp"
#include "sim/device/device.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/sync/poll_watch.hpp"

namespace davsim::sim {

inline constexpr std::uint32_t kAivsPerAic = 2;

class Device::Impl : public CoreHost {
 public:
  Impl(SocConfig soc, DeviceOptions options);

  // CoreHost
  void fail(isa::Fault fault) override;
  bool aborting() const override { return aborting_; }
  bool computes_values() const override { return options_.values; }
  std::pmr::memory_resource& buffer_memory() override { return buffer_memory_; }
  EffectThread& effects() override { return effects_; }
  memory::CycleClock& clock() override { return clock_; }
  CallSites& call_sites() override { return call_sites_; }
  std::uint64_t code_base(isa::CoreType type) const override;
  bool keeps_lines() const override { return options_.lines; }
  void core_finished(std::uint32_t core) override;
  void core_polled(std::uint32_t core, bool found, isa::SourceLocation where) override;
  CrossCoreFlags& cross_core_flags() override { return flags_; }
  observe::Observer* observer() override { return observer_; }
  std::uint64_t new_flow() override { return ++flows_; }

  observe::LaunchReport launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                               std::function<void()> aic, std::function<void()> aiv);

  SocConfig soc_;
  DeviceOptions options_;
  TimingTable timing_;
  memory::GlobalMemory global_;
  memory::CycleClock clock_{"clock"};
  memory::MemorySystem memory_;
  observe::Observer* observer_ = nullptr;

  void check(RunWatcher* watcher);
  void set_tiling_key(std::uint64_t key) { tiling_key_ = key; }

 private:
  void add_core(isa::CoreType type, std::uint32_t ai_core, std::uint32_t sub);
  std::uint32_t core_index(isa::CoreType type, std::uint32_t ai_core, std::uint32_t sub) const {
    return type == isa::CoreType::AIC ? ai_core : soc_.aic_count() + ai_core * kAivsPerAic + sub;
  }

  void begin_launch();
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
  std::map<std::string, std::uint64_t, std::less<>> code_order_;  ///< kernels, as they came
  memory::LargePages large_pages_;
  /// Address space for the buffers of a die's cores, some 24 MiB.
  static constexpr std::size_t kBufferPool = std::size_t{32} << 20;
  std::pmr::monotonic_buffer_resource buffer_memory_{kBufferPool, &large_pages_};
  std::vector<std::unique_ptr<Core>> cores_;
  RunWatcher* watcher_ = nullptr;

  // the running launch
  const isa::KernelEntry* entry_ = nullptr;
  std::uint64_t tiling_key_ = 0;
  isa::KernelType type_ = isa::KernelType::kAivOnly;  ///< of the kernel with that key
  std::function<void()> aic_, aiv_;
  BlockSchedule schedule_;
  Cycle start_ = 0, end_ = 0;
  bool aborting_ = false;
  std::optional<isa::Fault> fault_;
  std::uint64_t flows_ = 0;
};

}  // namespace davsim::sim
