// What a program has allocated on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/timeline.hpp"
#include "runtime/core/work_queue.hpp"
#include "sim/device/device.hpp"

namespace davsim::runtime {

/// Calls may come from any thread. Global memory itself is changed only while no kernel runs. The
/// mutex is the innermost: nobody who holds it waits for anything.
class DeviceMemory {
 public:
  /// `follow_writes`: a checker looks at what of the memory the host has written.
  DeviceMemory(sim::Device& device, WorkQueue& queue, bool follow_writes)
      : dies_(device), queue_(queue), follow_writes_(follow_writes) {}

  /// Documented: a block has room for its size rounded up to 32 bytes, and for 32 more.
  static constexpr std::uint64_t room_for(std::uint64_t bytes) {
    return (bytes + 31) / 32 * 32 + 32;
  }

  /// Who writes a block before kernels read it.
  enum class Writer {
    kCalls,   ///< calls of the interface, which say so, or kernels
    kAnybody  ///< the host as well, by its pointer
  };
  /// Null if the device has no room. `device` counts the dies of the system.
  void* allocate(std::uint64_t bytes, Writer writer = Writer::kCalls, std::uint32_t device = 0);
  /// The block stays readable until the work queued before is done: on a device, kernels that run
  /// read what was freed behind them. Throws ApiError for what is no start of a block.
  void free(void* start);
  /// Frees every block of the device that a program allocated; nothing is queued.
  void free_all(std::uint32_t device = 0);
  /// Memory of a device that belongs to something else and that programs may copy from and to,
  /// until forget() is told so.
  void adopt(const void* start, std::uint64_t bytes);
  void forget(const void* start);
  /// Lets other devices reach what is and will be allocated on this one.
  void make_accessible(std::uint32_t device);
  /// The same for the block that holds `address`, if it is one of aclrtMalloc.
  void make_block_accessible(const void* address);
  /// Devices of which kernels of other devices reach memory.
  std::set<std::uint32_t> reached_devices() const;
  void* allocate_host(std::uint64_t bytes);
  void free_host(void* start);

  /// A work of a stream.
  struct Use {
    WorkQueue::Ticket ticket = 0;
    MomentPtr end;
  };
  struct Block {
    std::uint64_t start = 0, room = 0;
    bool device = false;
    Use used_by = {};  ///< the last one that was given a pointer into it
    bool adopted = false;
  };
  /// The live block that holds `address`; none for memory of the program's own. Throws ApiError for
  /// an address of the device outside every block.
  std::optional<Block> block_at(const void* address) const;
  /// The same; none too where no block holds it.
  std::optional<Block> block_containing(const void* address) const;
  bool on_device(const void* address) const;
  /// The die whose memory an address of the device lies in.
  std::uint32_t die_at(std::uint64_t address) const;
  /// Throws ApiError if [address, address + bytes) leaves the block it begins in.
  std::optional<Block> require_room(const void* address, std::uint64_t bytes,
                                    const char* name) const;

  /// Says that a work has the words of `slots` as arguments; pointers among them are noted.
  void used(const Use& use, const std::uint64_t* slots, std::size_t count);
  /// The host has waited for `ticket`: what was freed before it is given back.
  void synchronised(WorkQueue::Ticket ticket);

  /// Says that the host has written these bytes, rounded up to whole blocks of 32.
  void host_wrote(const void* start, std::uint64_t bytes);
  /// What host_wrote was told since the last call.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> take_host_writes();

  std::uint64_t allocated_bytes(std::uint32_t device) const;
  /// The global memory of a device.
  memory::GlobalMemory& of(std::uint32_t device) { return dies_.memory(device); }
  std::uint64_t capacity() const { return dies_.memory().capacity(); }

 private:
  struct Freed {
    WorkQueue::Ticket behind;
    std::uint64_t start, room;
  };
  using Blocks = std::map<std::uint64_t, Block>;

  Blocks::const_iterator find(std::uint64_t address) const;
  /// Null if there is no room.
  std::byte* take(std::uint64_t bytes, Writer writer, std::uint32_t device);

  sim::Device& dies_;
  WorkQueue& queue_;
  mutable std::mutex mutex_;
  Blocks blocks_;            ///< by start
  std::deque<Freed> freed_;  ///< not given back yet, in the order of the calls
  std::uint64_t freed_bytes_ = 0;
  WorkQueue::Ticket synchronised_ = 0;
  std::uint64_t names_ = 0;
  std::set<std::uint32_t> accessible_;  ///< devices
  std::set<std::uint32_t> reached_;     ///< these, and those of single blocks
  bool follow_writes_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> host_writes_;  ///< start, bytes
};

}  // namespace davsim::runtime
