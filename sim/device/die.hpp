// One die of a device: its memory, its cores, and its part of the running launch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "isa/core/library_workspace.hpp"
#include "memory/memory_system.hpp"
#include "sim/core/core.hpp"
#include "sim/device/block_schedule.hpp"
#include "sim/device/device.hpp"
#include "sim/soc/timing_table.hpp"
#include "sim/system/die_memory.hpp"

namespace davsim::sim {

class Fabric;

/// What the dies of a device share. All of it outlives them.
struct DieSurroundings {
  const SocConfig& soc;
  const DeviceOptions& options;
  const TimingTable& timing;
  memory::CycleClock& clock;
  EffectThread& effects;
  CallSites& call_sites;
  std::pmr::memory_resource& buffers;
  Reporting& reports;
  LaunchControl& launch;
  PollWatch& polls;
  Fabric* fabric = nullptr;  ///< nullptr: the die is alone
};

class Die {
 public:
  /// The cores of die `number` have the numbers behind those of the dies before it.
  Die(std::uint32_t number, const DieSurroundings& around, DieMemories& memories);

  std::uint32_t number() const { return number_; }
  memory::GlobalMemory& global() { return global_; }
  memory::MemorySystem& memory() { return memory_; }
  CrossCoreFlags& flags() { return flags_; }
  const std::vector<std::unique_ptr<Core>>& cores() const { return cores_; }
  Core& core(std::uint32_t number) const { return *cores_[number - first_core_]; }
  void watch(RunWatcher* watcher);

  /// Takes over its part of a launch that begins at `start`, up to the first blocks.
  void begin_launch(DieLaunch launch, Cycle start);
  /// Starts the first blocks, in an order that `seed` shuffles; 0: in order.
  void start_first_blocks(std::uint32_t seed);
  /// A core has ended its block. Throws isa::Fault.
  void block_ended(std::uint32_t core);
  /// Whether it has a part of the running launch that is not over.
  bool busy() const { return entry_ != nullptr && !schedule_.all_done(); }
  bool takes_part() const { return entry_ != nullptr; }
  void end_launch() { entry_ = nullptr; }
  /// Launches of other dies begin at `start`, while its own runs.
  void others_begin(Cycle start);

  const isa::KernelEntry& kernel() const { return *entry_; }
  isa::KernelType type() const { return type_; }
  const BlockSchedule& schedule() const { return schedule_; }
  Cycle end() const { return end_; }
  observe::LaunchReport report() const;
  /// Running cores that `core` waits for in order to see its cross-core flag raised.
  std::vector<std::uint32_t> setters_for(std::uint32_t core, std::uint8_t flag) const;

 private:
  void add_core(const CoreEnvironment& environment, const CoreSpec& spec, std::uint32_t ai_core,
                std::uint32_t sub);
  /// The address of the running kernel's code for cores of this type.
  std::uint64_t code_base(isa::CoreType type) const;
  /// The core's number on this die.
  std::uint32_t place_of(isa::CoreType type, std::uint32_t ai_core, std::uint32_t sub) const {
    return type == isa::CoreType::AIC ? ai_core : aics_ + ai_core * aivs_per_aic_ + sub;
  }
  void start_block(std::uint32_t slot, std::uint32_t block, Cycle cycle);
  void require_flags_awaited(std::uint32_t slot);
  /// Gives the launch the library's part of global memory, with no message in it.
  void prepare_library_workspace();

  std::uint32_t number_;
  const SocConfig& soc_;
  const DeviceOptions& options_;
  const TimingTable& timing_;
  std::uint32_t aics_, aivs_per_aic_, first_core_;
  std::string prefix_;  ///< of the names of its parts; empty for a die that is alone
  memory::GlobalMemory& global_;
  memory::MemorySystem memory_;
  CrossCoreFlags flags_;
  std::map<std::string, std::uint64_t, std::less<>>
      code_order_;  ///< numbers of kernels, by first launch
  std::byte* library_start_ = nullptr;
  std::uint64_t library_bytes_ = 0;
  isa::LibraryWorkspace library_;
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
  Cycle alone_ = 0;  ///< cycles until others began
};

}  // namespace davsim::sim
