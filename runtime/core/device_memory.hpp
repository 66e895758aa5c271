// What a program has allocated on the device and on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "memory/global_memory.hpp"
#include "runtime/core/work_queue.hpp"

namespace davsim::runtime {

/// Calls may come from any thread. Global memory itself is changed only while no kernel runs. The
/// mutex is the innermost: nobody who holds it waits for anything.
class DeviceMemory {
 public:
  DeviceMemory(memory::GlobalMemory& global, WorkQueue& queue) : global_(global), queue_(queue) {}

  /// Documented: a block has room for its size rounded up to 32 bytes, and for 32 more.
  static constexpr std::uint64_t room_for(std::uint64_t bytes) {
    return (bytes + 31) / 32 * 32 + 32;
  }

  /// Null if the device has no room.
  void* allocate(std::uint64_t bytes);
  /// The block stays readable until the work queued before is done: on a device, kernels that run
  /// read what was freed behind them. Throws ApiError for what is no start of a block.
  void free(void* start);
  /// Frees every block of the device; nothing is queued.
  void free_all();
  void* allocate_host(std::uint64_t bytes);
  void free_host(void* start);

  struct Block {
    std::uint64_t start = 0, room = 0;
    bool device = false;
    WorkQueue::Ticket used_by = 0;  ///< last launch that was given a pointer into it
  };
  /// The live block that holds `address`; none for memory of the program's own. Throws ApiError for
  /// an address of the device outside every block.
  std::optional<Block> block_at(const void* address) const;
  bool on_device(const void* address) const;
  /// Throws ApiError if [address, address + bytes) leaves the block it begins in.
  std::optional<Block> require_room(const void* address, std::uint64_t bytes,
                                    const char* name) const;

  /// Says that work behind `ticket` has the words of `slots` as arguments; pointers among them are
  /// noted.
  void used(WorkQueue::Ticket ticket, const std::uint64_t* slots, std::size_t count);
  /// The host has waited for `ticket`: what was freed before it is given back.
  void synchronised(WorkQueue::Ticket ticket);

  std::uint64_t allocated_bytes() const;
  std::uint64_t capacity() const { return global_.capacity(); }

 private:
  struct Freed {
    WorkQueue::Ticket behind;
    std::uint64_t start, room;
  };
  using Blocks = std::map<std::uint64_t, Block>;

  Blocks::const_iterator find(std::uint64_t address) const;
  std::byte* take(std::uint64_t bytes);  ///< null if there is no room

  memory::GlobalMemory& global_;
  WorkQueue& queue_;
  mutable std::mutex mutex_;
  Blocks blocks_;            ///< by start
  std::deque<Freed> freed_;  ///< not given back yet, in the order of the calls
  std::uint64_t freed_bytes_ = 0;
  WorkQueue::Ticket synchronised_ = 0;
  std::uint64_t names_ = 0;
};

}  // namespace davsim::runtime
