// The simulated device of the process and the thread it lives in. SystemC elaborates once a
// process, so the device stays when a program resets it or finalises the interface, and starts
// again as new.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/kernel_registry.hpp"
#include "isa/instr/fault.hpp"
#include "runtime/core/contribution.hpp"
#include "runtime/core/demand.hpp"
#include "runtime/core/device_memory.hpp"
#include "runtime/core/event.hpp"
#include "runtime/core/group_call.hpp"
#include "runtime/core/host_mappings.hpp"
#include "runtime/core/launch_log.hpp"
#include "runtime/core/peer_processes.hpp"
#include "runtime/core/queued_launches.hpp"
#include "runtime/core/reports.hpp"
#include "runtime/core/sharing_processes.hpp"
#include "runtime/core/stream.hpp"
#include "runtime/core/work_queue.hpp"
#include "session/settings.hpp"
#include "session/tools.hpp"
#include "sim/device/device.hpp"
#include "sim/system/collective_plan.hpp"
#include "sim/system/communicators.hpp"

namespace davsim::runtime {

/// A launch with all that it needs.
struct Launch {
  isa::KernelEntry kernel;
  std::uint32_t blocks = 0;
  std::uint64_t tiling_key = 0;
  std::vector<std::uint64_t> slots;  ///< the arguments
  void (*call)(isa::KernelFunction half, const std::byte* slots) = nullptr;
  std::uint32_t die = 0;
  /// Contexts of the communicators that the launch hands to the kernel; 0: none.
  std::array<std::uint64_t, 2> contexts{};
  std::uint64_t symmetric_memory = 0;  ///< of the device (SymmetricHeap::state); 0: none
};

/// What one device does in the work of a communicator: a launch, its part of an operator, or else
/// of a collective operation.
struct GroupPart {
  std::shared_ptr<Stream> stream;
  std::optional<Launch> launch;
  std::shared_ptr<GroupCall> call;
  sim::RankCollective operation;
  MomentPtr waited;  ///< what the thread that asked had waited for; join() sets it
};

struct Spread;
struct LedResult;

/// What came of a device's part in the work of a communicator.
struct PartDone {
  Microseconds duration = 0;
  std::optional<LaunchLog::Launch> launch = std::nullopt;  ///< none: it was none, or went wrong
  /// A barrier that launches of other devices went before.
  bool is_to_come = false;
};

class Simulator {
 public:
  /// The one of the process; the first call makes the device that the environment asks for. Throws
  /// ApiError(ACL_ERROR_RT_NO_DEVICE) if there is no such device, every time. In a child that the
  /// process has forked since, the device's thread is not there: ApiError.
  static Simulator& instance();
  /// Null before that, and in such a child.
  static Simulator* if_started();

  const sim::SocConfig& soc() const { return device_->soc(); }
  /// Devices that the process has: the dies of its system.
  std::uint32_t devices() const { return device_->dies(); }
  /// Those of the system, which may be one die. Used while no work runs.
  sim::Communicators* communicators() { return device_->communicators(); }
  DeviceMemory& memory() { return *memory_; }
  HostMappings& mappings() { return mappings_; }
  SharingProcesses& sharing() { return sharing_; }
  WorkQueue& queue() { return queue_; }

  /// Queues work of a stream: `todo` does it and says what it takes of its device. On the clock it
  /// starts behind the stream's last work, what the calling thread has waited for, and `after`.
  void queue_on(const std::shared_ptr<Stream>& stream, std::function<Demand()> todo,
                const Recording* after = nullptr);
  /// The same of what the host does in the place of a kernel, which takes no time. What `task`
  /// throws is what the device went wrong with, as a fault of a kernel is.
  void queue_task(const std::shared_ptr<Stream>& stream, std::function<void()> task);
  /// What the calling thread does by itself takes this of a device; it goes on behind it. `work` is
  /// called when the device comes to it.
  void host_works(std::uint32_t die, std::function<Demand()> work);
  /// What the calling thread queues from now on starts behind `moment`.
  void host_waited(MomentPtr moment);
  /// The same behind everything that is queued, of one die or of all.
  void host_waited_for_all(std::optional<std::uint32_t> die = std::nullopt);
  /// What the calling thread has waited for.
  static const MomentPtr& host_waited_until();
  /// What a copy takes; nothing where no time is simulated.
  Demand copy_demand(Direction direction, std::uint64_t bytes) const;
  /// The same from the memory of a die to that of another or the same one.
  Demand copy_demand(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const;
  void launch(const std::shared_ptr<Stream>& stream, Launch launch);
  /// Queues what launches on the stream's device by itself, and touches these addresses.
  using Operation = std::function<observe::LaunchReport(sim::Device& device)>;
  void operate(const std::shared_ptr<Stream>& stream, Operation operation,
               const std::vector<std::uint64_t>& addresses);
  /// Adds a part of the work that the devices of a communicator do together. The work is queued
  /// when all devices of this process have given theirs. Until then the stream takes no other call:
  /// these wait. Parts of other processes are waited for where the stream is there.
  void join(const std::string& communicator, GroupPart part);
  /// The same for a group of devices of any name.
  void join(const std::string& group, std::size_t devices, GroupPart part,
            const std::shared_ptr<Spread>& spread = nullptr);
  /// Says that the stream's last work touches the blocks that hold these addresses.
  void touched(Stream& stream, const void* to, const void* from);
  void touched(Stream& stream, const std::uint64_t* addresses, std::size_t count);

  /// When something recorded happened on the clock. Waits for what was queued so far.
  Microseconds time_of(const Recording& recording);
  /// The time behind all that the calling thread has waited for.
  Microseconds time_of_host();
  /// Records where the stream is.
  void record(const std::shared_ptr<Stream>& stream, Event& event);
  /// Lets the stream's later work start behind what was recorded last. False if nothing was.
  bool wait_for(const std::shared_ptr<Stream>& stream, Event& event);
  /// Lets the stream's later work wait until `holds` is true of the number at `at`. What is queued
  /// on other streams goes on.
  void wait_for_value(const std::shared_ptr<Stream>& stream, const std::uint64_t* at,
                      std::function<bool(std::uint64_t)> holds);
  /// Writes a number where the stream is there.
  void write_value(const std::shared_ptr<Stream>& stream, std::uint64_t* at, std::uint64_t value);
  /// Makes a notify be there where the stream is there.
  void signal(const std::shared_ptr<Stream>& stream, const std::shared_ptr<Signal>& signal);
  /// Lets the stream's later work wait for a notify, which is not there any more then.
  void wait_for_signal(const std::shared_ptr<Stream>& stream,
                       const std::shared_ptr<Signal>& signal);
  /// Gives up what waits on these streams for a value, and what is behind that.
  void abandon(const std::vector<std::shared_ptr<Stream>>& streams);
  /// Calls `callback` where the stream is there; blocking: later work waits for it.
  void call_back(const std::shared_ptr<Stream>& stream, std::function<void()> callback,
                 bool blocking);
  /// Does all that was captured, as one work of the stream.
  void execute(const CapturedWork& model, const std::shared_ptr<Stream>& stream);
  Reports& reports() { return reports_; }
  LaunchLog& launch_log() { return log_; }
  /// What the log has when everything that is queued has ended.
  boost::json::array logged_launches();

  /// Waits for what was queued on a stream. False if it takes longer than `limit`.
  bool synchronise(Stream& stream, std::optional<std::chrono::milliseconds> limit = std::nullopt);
  /// Waits for what was queued on all streams of a device, and for all that was queued before.
  bool synchronise_device(std::uint32_t device, std::optional<std::chrono::milliseconds> limit);
  bool is_done(Stream& stream);
  /// Takes back a part that waits for those of other devices.
  void leave_group(const Stream& stream);
  void synchronise_all();
  /// Waits for the work of `ticket`. False if that takes longer than `limit`.
  bool synchronise_to(WorkQueue::Ticket ticket, std::optional<std::chrono::milliseconds> limit);

  /// What the device went wrong with; it takes no more launches until forget_failure().
  std::optional<DeviceError> failure() const;
  void forget_failure();

  /// Does what is queued and writes what the tools of the environment have. False if they found
  /// something wrong.
  bool end();

 private:
  Simulator();
  void make_device(const session::Settings& settings);
  Demand run(const Launch& launch, const LaunchPlace& place);
  Demand carry_out(const Operation& operation, isa::KernelType type, const LaunchPlace& place);
  std::function<void()> half(const Launch& launch, isa::KernelFunction function) const;
  void fail(int code, const std::string& text, const LaunchPlace& place);
  using Limit = std::optional<std::chrono::milliseconds>;
  /// Waits while the stream's last work waits for that of other devices. False if that takes longer
  /// than `limit`. Throws ApiError if it takes longer than the group may.
  bool await_group(const Stream& stream, Limit limit = std::nullopt);
  template <class Waits>
  bool await_groups(Limit limit, Waits waits);
  bool is_held(const Stream& stream);
  bool synchronise_through(WorkQueue::Ticket ticket, Limit limit);
  /// Calls `wait` until it is true or the limit is over. Who waits long without one is told for
  /// what. Throws ApiError where a rank of another process does not come.
  bool wait_telling(Limit limit, const std::function<bool(Limit)>& wait);
  /// Lets the stream's later work wait until `ready`. `passed` says behind what that lies on the
  /// clock. Only the device's thread calls both.
  void hold(const std::shared_ptr<Stream>& stream, std::function<bool()> ready,
            std::function<MomentPtr()> passed);
  /// The name of the communicator that a launch communicates in; empty: none.
  void number_contexts(Launch& launch);
  std::string communicator_of(Stream& stream, const Launch& launch);
  using GroupParts = std::map<std::uint32_t, GroupPart>;  ///< by device
  void push_group(const std::string& group, const std::shared_ptr<GroupParts>& parts);
  /// The same for a communicator with ranks in other processes.
  void push_spread(const std::string& group, const std::shared_ptr<GroupParts>& parts,
                   const std::shared_ptr<Spread>& spread, std::uint64_t number);
  /// What these parts are to start behind; from now on their streams end with them.
  struct Ends {
    std::vector<MomentPtr> behind, ends;
    WorkQueue::Needs needs;
  };
  Ends begin_group(GroupParts& parts);
  void end_group(GroupParts& parts, WorkQueue::Ticket ticket);
  struct SpreadOperation;
  void tell_others(SpreadOperation& operation);
  void run_spread(SpreadOperation& operation);
  void tell_leader(SpreadOperation& operation);
  void lead(SpreadOperation& operation);
  void tell_parts(const SpreadOperation& operation);
  void run_led(const SpreadOperation& operation, const PeerProcesses::Settled& others,
               LedResult& result);
  LedResult led(const SpreadOperation& operation, const PeerProcesses::Settled& others);
  std::vector<PartDone> own_of(const SpreadOperation& operation, const LedResult& result);
  void renumber(SpreadOperation& operation);
  void follow(SpreadOperation& operation);
  void end_together(SpreadOperation& operation, Microseconds begin,
                    const std::vector<PartDone>& done);
  /// What `f` throws is what the device went wrong with.
  void attempt(const LaunchPlace& place, const std::function<void()>& f);
  /// Says on the clock and in the log what came of a part.
  void end_part(const GroupPart& part, const std::vector<MomentPtr>& behind, const PartDone& done,
                const MomentPtr& end);
  std::vector<PartDone> run_group(const std::string& group, GroupParts& parts,
                                  const OtherRanks& others = {});
  void run_launches(GroupParts& parts, std::vector<PartDone>& done);
  void run_calls(const std::string& group, GroupParts& parts, std::vector<PartDone>& done);
  void run_collective(const std::string& communicator, const GroupParts& parts,
                      const OtherRanks& others, std::vector<PartDone>& done);

  WorkQueue queue_;
  Reports reports_;
  std::unique_ptr<sim::Device> device_;
  std::unique_ptr<DeviceMemory> memory_;
  HostMappings mappings_;
  SharingProcesses sharing_;
  std::optional<QueuedLaunches> queued_launches_;
  std::unique_ptr<Timeline> timeline_;
  LaunchLog log_;
  MomentPtr ending_;  ///< with the work that the device's thread does; only that thread uses it
  /// The ends of the last writes of values, by where; only the device's thread uses them.
  std::map<const std::uint64_t*, MomentPtr> value_writes_;
  std::optional<Rates> rates_;
  std::optional<session::Tools> tools_;
  int process_;

  std::mutex groups_mutex_;
  std::condition_variable group_changed_;
  std::map<std::string, GroupParts> groups_;  ///< that are not complete, by name
  /// A stream whose last work waits for that of other devices, or is about to be queued.
  struct Held {
    std::uint32_t device = 0;
    std::string group;
  };
  std::map<const Stream*, Held> held_;
  std::chrono::seconds group_limit_{};  ///< how long a part waits for the others

  mutable std::mutex mutex_;
  std::uint32_t tasks_ =
      0;  ///< launches and operations that were begun; used by the queue's thread
  std::optional<DeviceError> failure_;
};

}  // namespace davsim::runtime
