// Pools of device memory that streams take and give back in their order (aclrtMemPool*).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/core/simulator.hpp"

namespace davsim::runtime {

/// Memory that a stream has given back is for later work: of the same stream at once, of another
/// one behind what the first had queued. Calls may come from any thread.
class MemoryPool {
 public:
  /// `most`: bytes that the pool may have; 0: what the device has.
  MemoryPool(std::uint32_t die, std::uint64_t most) : die_(die), most_(most) {}
  ~MemoryPool() { trim(0); }
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  /// The smallest block that has room, or else a new one. Throws ApiError if there is no room.
  void* take(std::uint64_t bytes, const std::shared_ptr<Stream>& stream);
  /// False for what is no block in use of this pool.
  bool give_back(void* start, const std::shared_ptr<Stream>& stream);
  /// Frees blocks that nobody uses until the pool has no more than `keep` bytes of them.
  void trim(std::uint64_t keep);
  /// Does so with the threshold, as the host does where it waits for a stream.
  void host_waited();

  struct Bytes {
    std::uint64_t current = 0, high = 0;
    void add(std::uint64_t bytes);
  };
  Bytes reserved() const;
  Bytes used() const;
  void forget_high(bool of_reserved);
  std::uint64_t threshold() const;
  void set_threshold(std::uint64_t bytes);

 private:
  struct Block {
    std::uint64_t bytes = 0;
    bool used = true;
    std::shared_ptr<Stream> freed_on = nullptr;
    std::shared_ptr<Event> freed = nullptr;  ///< recorded where it was given back
  };
  using Blocks = std::map<std::uint64_t, Block>;

  // The mutex is held.
  Blocks::iterator best(std::uint64_t bytes);
  Blocks::iterator make(std::uint64_t bytes);
  void shrink(std::uint64_t keep);
  [[noreturn]] void refuse_for_room(std::uint64_t bytes) const;

  const std::uint32_t die_;
  const std::uint64_t most_;
  mutable std::mutex mutex_;
  Blocks blocks_;  ///< by start
  Bytes reserved_, used_;
  std::uint64_t threshold_ = 0;
};

/// The pools that live. A handle is looked up before it is used; what is wrong is thrown as
/// ApiError.
class MemoryPools {
 public:
  static MemoryPools& instance();

  void* create(std::uint32_t die, std::uint64_t most);
  /// Refused while a block of it is used.
  void destroy(void* handle);
  std::shared_ptr<MemoryPool> pool(void* handle);
  void give_back(void* start, const std::shared_ptr<Stream>& stream);
  void host_waited();

 private:
  std::mutex mutex_;
  std::map<void*, std::shared_ptr<MemoryPool>> pools_;
};

}  // namespace davsim::runtime
