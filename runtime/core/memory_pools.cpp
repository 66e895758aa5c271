#include "runtime/core/memory_pools.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/core/api_error.hpp"

namespace davsim::runtime {
namespace {

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

/// Captures and the order of the device know nothing of a recording that is left away.
std::shared_ptr<Event> recorded(const std::shared_ptr<Stream>& stream) {
  if (keeper_of(*stream) != nullptr) return nullptr;
  auto event = std::make_shared<Event>(0, false);
  Simulator::instance().record(stream, *event);
  return event;
}

}  // namespace

void MemoryPool::Bytes::add(std::uint64_t bytes) {
  current += bytes;
  high = std::max(high, current);
}

void MemoryPool::refuse_for_room(std::uint64_t bytes) const {
  throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                 "the pool has no room for " + std::to_string(bytes) + " bytes; " +
                     std::to_string(reserved_.current) + " are taken");
}

MemoryPool::Blocks::iterator MemoryPool::best(std::uint64_t bytes) {
  auto found = blocks_.end();
  for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
    if (block->second.used || block->second.bytes < bytes) continue;
    if (found == blocks_.end() || block->second.bytes < found->second.bytes) found = block;
  }
  return found;
}

MemoryPool::Blocks::iterator MemoryPool::make(std::uint64_t bytes) {
  const auto within = [&] { return most_ == 0 || reserved_.current + bytes <= most_; };
  if (!within()) shrink(0);
  DeviceMemory& memory = Simulator::instance().memory();
  if (!within()) refuse_for_room(bytes);
  void* const start = memory.allocate(bytes, DeviceMemory::Writer::kCalls, die_);
  if (start == nullptr) refuse_for_room(bytes);
  reserved_.add(bytes);
  return blocks_.emplace(address_of(start), Block{bytes}).first;
}

void* MemoryPool::take(std::uint64_t bytes, const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  if (bytes > Simulator::instance().memory().capacity()) refuse_for_room(bytes);
  const std::uint64_t room = (bytes + 31) / 32 * 32;
  auto block = best(room);
  if (block == blocks_.end()) block = make(room);
  Block& taken = block->second;
  // Work of another stream may use it still.
  if (taken.freed && taken.freed_on != stream && keeper_of(*stream) == nullptr) {
    Simulator::instance().wait_for(stream, *taken.freed);
  }
  taken = {taken.bytes};
  used_.add(taken.bytes);
  return reinterpret_cast<void*>(block->first);
}

bool MemoryPool::give_back(void* start, const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  const auto block = blocks_.find(address_of(start));
  if (block == blocks_.end() || !block->second.used) return false;
  block->second = {block->second.bytes, false, stream, recorded(stream)};
  used_.current -= block->second.bytes;
  return true;
}

void MemoryPool::shrink(std::uint64_t keep) {
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    if (block->second.used || reserved_.current - used_.current <= keep) {
      ++block;
      continue;
    }
    try {
      Simulator::instance().memory().free(reinterpret_cast<void*>(block->first));
    } catch (const ApiError&) {
      // aclrtResetDevice has freed everything.
    }
    reserved_.current -= block->second.bytes;
    block = blocks_.erase(block);
  }
}

void MemoryPool::trim(std::uint64_t keep) {
  const std::lock_guard lock(mutex_);
  shrink(keep);
}

void MemoryPool::host_waited() {
  const std::lock_guard lock(mutex_);
  shrink(threshold_);
}

MemoryPool::Bytes MemoryPool::reserved() const {
  const std::lock_guard lock(mutex_);
  return reserved_;
}

MemoryPool::Bytes MemoryPool::used() const {
  const std::lock_guard lock(mutex_);
  return used_;
}

void MemoryPool::forget_high(bool of_reserved) {
  const std::lock_guard lock(mutex_);
  Bytes& bytes = of_reserved ? reserved_ : used_;
  bytes.high = bytes.current;
}

std::uint64_t MemoryPool::threshold() const {
  const std::lock_guard lock(mutex_);
  return threshold_;
}

void MemoryPool::set_threshold(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  threshold_ = bytes;
}

MemoryPools& MemoryPools::instance() {
  static auto* all = new MemoryPools;  // static variables of the program may still use it
  return *all;
}

void* MemoryPools::create(std::uint32_t die, std::uint64_t most) {
  const auto made = std::make_shared<MemoryPool>(die, most);
  const std::lock_guard lock(mutex_);
  pools_[made.get()] = made;
  return made.get();
}

std::shared_ptr<MemoryPool> MemoryPools::pool(void* handle) {
  require_pointer(handle, "memPool");
  const std::lock_guard lock(mutex_);
  const auto found = pools_.find(handle);
  if (found != pools_.end()) return found->second;
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "the pool does not exist, or not any more");
}

void MemoryPools::destroy(void* handle) {
  const auto kept = pool(handle);  // it goes behind the lock
  if (kept->used().current > 0) {
    refuse_rt(std::to_string(kept->used().current) + " bytes of the pool are not given back");
  }
  const std::lock_guard lock(mutex_);
  pools_.erase(handle);
}

void MemoryPools::give_back(void* start, const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  for (const auto& [unused, pool] : pools_) {
    if (pool->give_back(start, stream)) return;
  }
  refuse_rt("no pool has a block that is used and starts there");
}

void MemoryPools::host_waited() {
  std::vector<std::shared_ptr<MemoryPool>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [unused, pool] : pools_) all.push_back(pool);
  }
  for (const auto& pool : all) pool->host_waited();
}

}  // namespace davsim::runtime
