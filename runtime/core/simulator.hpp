// The simulated device of the process and the thread it lives in. SystemC elaborates once a
// process, so the device stays when a program resets it or finalises the interface, and starts
// again as new.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "isa/instr/fault.hpp"
#include "runtime/core/demand.hpp"
#include "runtime/core/device_memory.hpp"
#include "runtime/core/event.hpp"
#include "runtime/core/reports.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/stream.hpp"
#include "runtime/core/tools.hpp"
#include "runtime/core/work_queue.hpp"
#include "sim/device/device.hpp"

namespace davsim::runtime {

/// A launch with all that it needs.
struct Launch {
  isa::KernelEntry kernel;
  std::uint32_t blocks = 0;
  std::uint64_t tiling_key = 0;
  std::vector<std::uint64_t> slots;  ///< the arguments
  void (*call)(isa::KernelFunction half, const std::byte* slots) = nullptr;
};

class Simulator {
 public:
  /// The one of the process; the first call makes the device that the environment asks for. Throws
  /// ApiError(ACL_ERROR_RT_NO_DEVICE) if there is no such device, every time.
  static Simulator& instance();
  /// Null before that.
  static Simulator* if_started();

  const sim::SocConfig& soc() const { return device_->soc(); }
  DeviceMemory& memory() { return *memory_; }
  WorkQueue& queue() { return queue_; }

  /// Queues work of a stream: `work` does it and says what it takes of the device. On the clock it
  /// starts behind the stream's last work, what the calling thread has waited for, and `after`.
  void queue_on(const std::shared_ptr<Stream>& stream, std::function<Demand()> work,
                MomentPtr after = nullptr);
  /// What the calling thread does by itself takes this of the device; it goes on behind it.
  void host_works(Direction direction, std::uint64_t bytes);
  /// What the calling thread queues from now on starts behind `moment`.
  void host_waited(MomentPtr moment);
  /// What a copy takes; nothing where no time is simulated.
  Demand copy_demand(Direction direction, std::uint64_t bytes) const;
  void launch(const std::shared_ptr<Stream>& stream, Launch launch);
  /// Says that the stream's last work touches the blocks that hold these addresses.
  void touched(Stream& stream, const void* to, const void* from);
  void touched(Stream& stream, const std::uint64_t* addresses, std::size_t count);

  /// When something recorded happened on the clock. Waits for what was queued so far.
  Microseconds time_of(const Recording& recording);
  /// Records where the stream is.
  void record(const std::shared_ptr<Stream>& stream, Event& event);
  /// Lets the stream's later work start behind what was recorded last. False if nothing was.
  bool wait_for(const std::shared_ptr<Stream>& stream, Event& event);
  /// Calls `callback` where the stream is there; blocking: later work waits for it.
  void call_back(const std::shared_ptr<Stream>& stream, std::function<void()> callback,
                 bool blocking);
  Reports& reports() { return reports_; }

  /// Waits for what was queued on a stream. False if it takes longer than `limit`.
  bool synchronise(Stream& stream, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  void synchronise_all();
  /// Waits for the work up to `ticket`. False if that takes longer than `limit`.
  bool synchronise_to(WorkQueue::Ticket ticket, std::optional<std::chrono::milliseconds> limit);

  /// What the device went wrong with; it takes no more launches until forget_failure().
  std::optional<DeviceError> failure() const;
  void forget_failure();

  /// Does what is queued and writes what the tools of the environment have. False if they found
  /// something wrong.
  bool end();
  /// False in a child that the process forked: the device's thread is not there.
  bool is_of_this_process() const;

 private:
  Simulator();
  void make_device(const Settings& settings);
  Demand run(const Launch& launch);

  WorkQueue queue_;
  Reports reports_;
  std::unique_ptr<sim::Device> device_;
  std::unique_ptr<DeviceMemory> memory_;
  std::unique_ptr<Timeline> timeline_;
  std::optional<Rates> rates_;
  std::optional<Tools> tools_;
  int process_;

  mutable std::mutex mutex_;
  std::optional<DeviceError> failure_;
};

}  // namespace davsim::runtime
