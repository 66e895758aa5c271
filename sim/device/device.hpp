// A simulated Ascend die, or several that are linked to a system. SystemC elaborates once in a
// process, so a program has at most one Device, which exists until the end. It runs one launch
// after another; the dies of a system run theirs together. The clock continues and L2 keeps its
// contents between launches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "memory/global_memory.hpp"
#include "observe/counters.hpp"
#include "observe/observer.hpp"
#include "sim/soc/soc_config.hpp"
#include "sim/soc/system_config.hpp"
#include "sim/watch/later_launches.hpp"
#include "sim/watch/outside_writers.hpp"
#include "sim/watch/run_watcher.hpp"

namespace davsim::sim {

class RankGroup;

enum class Mode : std::uint8_t {
  kTimed,       ///< every instruction has a start and an end cycle
  kFunctional,  ///< results only, no clock: the fast path
};

struct DeviceOptions {
  Mode mode = Mode::kTimed;
  /// Simulated cycles after which a launch is stopped with Fault(kLimit); 0: none.
  observe::Cycle max_cycles = 0;
  /// Order in which processes of one instant are woken at launch; results must not depend on it.
  /// 0: in core order; else a seed. For tests.
  std::uint32_t wake_order_seed = 0;
  /// False: timed instructions take their time and leave memory as it is. For timing studies of
  /// kernels whose control flow depends on no data.
  bool values = true;
  /// 2: instructions take effect in a thread of their own, behind the clock, unless a watcher looks
  /// at values or the host has one processor. 1: everything happens in the caller's. Results are
  /// the same.
  std::uint32_t threads = 2;
  /// Counts the cycles of every pipe by source line of the kernel too (PipeCounters::lines).
  bool lines = false;
  /// The file in memory that global memory is, or GlobalMemory::kNotShared.
  int memory_file = memory::GlobalMemory::kNotShared;
  /// False: the dies have no cores, which take most of their memory. Nothing can be launched.
  bool cores = true;
  /// The processes that simulate the system together; not owned. Each makes the same calls. A
  /// launch leaves results in the memory of dies that the process has; see Device::has_die().
  /// nullptr: this one alone.
  RankGroup* group = nullptr;
};

class Communicators;
struct LinkCounters;
struct TimingTable;

/// What one die does in a launch.
struct DieLaunch {
  std::uint32_t die = 0;
  const isa::KernelEntry* entry = nullptr;
  std::uint32_t block_dim = 0;
  std::uint64_t tiling_key = 0;
  std::function<void()> aic, aiv;  ///< the halves of the kernel; empty: not used
};

class Device {
 public:
  /// Throws std::logic_error if the process already has a device.
  explicit Device(SocConfig soc, DeviceOptions options = {});
  /// Dies of `soc`, linked as `system` says. Throws std::invalid_argument for options that one die
  /// alone can have.
  Device(SocConfig soc, SystemConfig system, DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const SocConfig& soc() const;
  const TimingTable& timing() const;  ///< that of soc()
  std::uint32_t dies() const;
  memory::GlobalMemory& memory(std::uint32_t die = 0);
  /// Whether this process of DeviceOptions::group simulates a die. Reports of others' launches have
  /// times and counters of memory, and no cores.
  bool has_die(std::uint32_t die) const;
  /// The die in whose memory a host address lies; dies() if there is none.
  std::uint32_t die_of(const void* address) const;
  /// Those of a system; nullptr for a die that is alone.
  Communicators* communicators();
  /// What passed the ports of the dies in the last launch. Every rank of a group asks.
  std::vector<LinkCounters> links() const;
  /// Lets collective operations that no kernel prepared come to their end; the cycles they take.
  /// Every rank of a group asks.
  observe::Cycle finish_transfers();
  Mode mode() const;

  /// Drops everything L2 holds, dirty lines written back, at no cost: the next launch starts cold.
  void flush_l2();
  void attach(observe::Observer* observer);  ///< nullptr detaches; not owned
  /// Lets `watcher` hear every launch from now on; nullptr ends that; not owned. It
  /// hears the dies that this process has.
  void check(RunWatcher* watcher);
  /// Cores that only wait for what nobody here will write wait for `outside` before they count as a
  /// deadlock; nullptr ends that; not owned.
  void let_write(OutsideWriters* outside);
  /// Where all cores wait, `later` may launch on other dies before that counts as a deadlock;
  /// nullptr ends that; not owned.
  void let_join(LaterLaunches* later);

  /// Of the last launch: what may have made its results wrong, as one line without an end. Empty:
  /// nothing was seen. That is a tensor that was never allocated; and, if the kernel was built for
  /// automatic synchronisation, two accesses to UB that depend on each other and that nothing
  /// orders. A checker sees more: this costs nothing, and takes the first of what is certain.
  std::string suspicion() const;

  /// The tiling key of the launches to come: what TILING_KEY_IS asks for.
  void set_tiling_key(std::uint64_t key);
  /// The die of the launches to come that name none; the first one until this is called.
  void use_die(std::uint32_t die);

  /// Runs a registered kernel on `block_dim` blocks with these arguments, which must have exactly
  /// the types of the kernel's parameters (pointers, scalars, structs by value).
  /// Throws isa::Fault if the kernel goes wrong, std::invalid_argument for an unknown kernel, for
  /// arguments of another number or size than its source says, or a block_dim of 0 or above 65535.
  /// After a fault the device can be launched on again.
  template <class... Args>
  observe::LaunchReport launch(std::string_view kernel, std::uint32_t block_dim, Args... args) {
    return launch_behind({}, kernel, block_dim, args...);
  }
  /// The same where every block runs `first` before the kernel: what a launch has to do that the
  /// kernel itself does not. Empty: nothing.
  template <class... Args>
  observe::LaunchReport launch_behind(const std::function<void()>& first, std::string_view kernel,
                                      std::uint32_t block_dim, Args... args) {
    const isa::KernelEntry& entry = isa::find_kernel(kernel);
    const std::uint32_t sizes[] = {sizeof(Args)..., 0};
    isa::check_arguments(entry, sizes, sizeof...(Args));
    return launch(entry, block_dim, bind(first, entry.aic, args...),
                  bind(first, entry.aiv, args...));
  }

  /// Runs host callables as the two halves of a kernel; an empty one is a core type that is not
  /// used.
  observe::LaunchReport launch(const isa::KernelEntry& entry, std::uint32_t block_dim,
                               std::function<void()> aic, std::function<void()> aiv);
  /// Runs kernels on several dies, which begin in the same cycle. No die has two. The reports are
  /// in the order of the launches.
  /// LaterLaunches may call it while launches run, for dies that have none. These begin at once,
  /// and the call returns when they have ended, while those before may go on. A fault ends all,
  /// and each call throws it.
  std::vector<observe::LaunchReport> launch(std::vector<DieLaunch> launches);

 private:
  template <class... Args>
  static std::function<void()> bind(const std::function<void()>& first,
                                    isa::KernelFunction function, Args... args) {
    if (function == nullptr) return {};
    return [=] {
      if (first) first();
      reinterpret_cast<void (*)(Args...)>(function)(args...);
    };
  }

  class Impl;
  void make(SocConfig soc, const SystemConfig* system, DeviceOptions options);
  std::unique_ptr<Impl> impl_;
};

}  // namespace davsim::sim
