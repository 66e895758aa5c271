#include "runtime/core/device_memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "runtime/core/api_error.hpp"

namespace davsim::runtime {
namespace {

constexpr std::uint64_t kHostAlignment = 64;
/// What freed blocks may hold before the device is waited for.
constexpr std::uint64_t kMostFreedBytes = std::uint64_t{1} << 30;

std::uint64_t address_of(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

std::string hex(const void* pointer) {
  char text[24];
  std::snprintf(text, sizeof text, "%p", pointer);
  return text;
}

}  // namespace

std::byte* DeviceMemory::take(std::uint64_t bytes, Writer writer, std::uint32_t device) {
  return queue_.between_work([&]() -> std::byte* {
    const std::lock_guard lock(mutex_);
    try {
      std::byte* start =
          dies_.memory(device).allocate(room_for(bytes), "aclrtMalloc " + std::to_string(++names_));
      if (follow_writes_ && writer == Writer::kCalls) dies_.memory(device).declare_unwritten(start);
      if (accessible_.contains(device)) dies_.memory(device).share(start);
      blocks_[address_of(start)] = {address_of(start), room_for(bytes), true, {}};
      return start;
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  });
}

void* DeviceMemory::allocate(std::uint64_t bytes, Writer writer, std::uint32_t device) {
  if (bytes > capacity()) return nullptr;
  std::byte* start = take(bytes, writer, device);
  if (start != nullptr) return start;
  const WorkQueue::Ticket last = queue_.last();
  queue_.wait_unless_held(last);
  synchronised(std::min(last, queue_.done_through()));
  return take(bytes, writer, device);
}

void DeviceMemory::free(void* start) {
  // What was queued and what was waited for depends on the program alone, so addresses do too.
  const WorkQueue::Ticket last = queue_.last();
  bool full = false;
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(address_of(start));
    if (block == blocks_.end() || !block->second.device || block->second.adopted) {
      throw ApiError(
          ACL_ERROR_RT_PARAM_INVALID,
          hex(start) + " is not the start of a block of aclrtMalloc, or was freed before");
    }
    freed_.push_back({last, block->second.start, block->second.room});
    freed_bytes_ += block->second.room;
    blocks_.erase(block);
    full = freed_bytes_ > kMostFreedBytes;
  }
  if (full) queue_.wait_unless_held(last);
  synchronised(full ? std::min(last, queue_.done_through()) : 0);
}

void DeviceMemory::synchronised(WorkQueue::Ticket ticket) {
  {
    const std::lock_guard lock(mutex_);
    synchronised_ = std::max(synchronised_, ticket);
    if (freed_.empty() || freed_.front().behind > synchronised_) return;
  }
  queue_.between_work([&] {
    const std::lock_guard lock(mutex_);
    while (!freed_.empty() && freed_.front().behind <= synchronised_) {
      auto* const start = reinterpret_cast<std::byte*>(freed_.front().start);
      dies_.memory(dies_.die_of(start)).free(start);
      freed_bytes_ -= freed_.front().room;
      freed_.pop_front();
    }
  });
}

void DeviceMemory::free_all(std::uint32_t device) {
  synchronised(queue_.last());
  queue_.between_work([&] {
    const std::lock_guard lock(mutex_);
    for (auto block = blocks_.begin(); block != blocks_.end();) {
      auto* const start = reinterpret_cast<std::byte*>(block->first);
      if (!block->second.device || block->second.adopted || dies_.die_of(start) != device) {
        ++block;
        continue;
      }
      dies_.memory(device).free(start);
      block = blocks_.erase(block);
    }
  });
}

void* DeviceMemory::allocate_host(std::uint64_t bytes) {
  const std::uint64_t room = (bytes + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
  void* start = room < bytes ? nullptr : std::aligned_alloc(kHostAlignment, room);
  if (start == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  blocks_[address_of(start)] = {address_of(start), bytes, false, {}};
  return start;
}

void DeviceMemory::free_host(void* start) {
  {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.find(address_of(start));
    if (block == blocks_.end() || block->second.device) {
      throw ApiError(
          ACL_ERROR_RT_PARAM_INVALID,
          hex(start) + " is not the start of a block of aclrtMallocHost, or was freed before");
    }
    blocks_.erase(block);
  }
  std::free(start);
}

bool DeviceMemory::on_device(const void* address) const {
  return dies_.die_of(address) < dies_.dies();
}

DeviceMemory::Blocks::const_iterator DeviceMemory::find(std::uint64_t address) const {
  auto after = blocks_.upper_bound(address);
  if (after == blocks_.begin()) return blocks_.end();
  const auto block = std::prev(after);
  return address - block->first < block->second.room ? block : blocks_.end();
}

std::optional<DeviceMemory::Block> DeviceMemory::block_at(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto block = find(address_of(address));
  if (block != blocks_.end()) return block->second;
  if (!on_device(address)) return std::nullopt;
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                 hex(address) + " is an address of the device outside every block of aclrtMalloc");
}

std::optional<DeviceMemory::Block> DeviceMemory::block_containing(const void* address) const {
  const std::lock_guard lock(mutex_);
  const auto block = find(address_of(address));
  return block == blocks_.end() ? std::nullopt : std::make_optional(block->second);
}

std::uint32_t DeviceMemory::die_at(std::uint64_t address) const {
  return dies_.die_of(reinterpret_cast<const std::byte*>(address));
}

void DeviceMemory::adopt(const void* start, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  blocks_[address_of(start)] = {address_of(start), bytes, true, {}, true};
}

void DeviceMemory::forget(const void* start) {
  const std::lock_guard lock(mutex_);
  blocks_.erase(address_of(start));
}

void DeviceMemory::make_accessible(std::uint32_t device) {
  queue_.between_work([&] {
    const std::lock_guard lock(mutex_);
    if (!accessible_.insert(device).second) return;
    reached_.insert(device);
    for (const auto& [start, block] : blocks_) {
      const auto* const at = reinterpret_cast<const std::byte*>(start);
      if (block.device && !block.adopted && dies_.die_of(at) == device) {
        dies_.memory(device).share(at);
      }
    }
  });
}

void DeviceMemory::make_block_accessible(const void* address) {
  queue_.between_work([&] {
    const auto block = block_containing(address);
    if (!block || !block->device || block->adopted) return;
    const auto* const start = reinterpret_cast<const std::byte*>(block->start);
    const std::uint32_t device = dies_.die_of(start);
    dies_.memory(device).share(start);
    const std::lock_guard lock(mutex_);
    reached_.insert(device);
  });
}

std::set<std::uint32_t> DeviceMemory::reached_devices() const {
  const std::lock_guard lock(mutex_);
  return reached_;
}

std::optional<DeviceMemory::Block> DeviceMemory::require_room(const void* address,
                                                              std::uint64_t bytes,
                                                              const char* name) const {
  const std::optional<Block> block = block_at(address);
  if (!block) return block;
  const std::uint64_t left = block->room - (address_of(address) - block->start);
  if (bytes <= left) return block;
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID, std::string(name) + " has room for " +
                                                 std::to_string(left) + " bytes, the call takes " +
                                                 std::to_string(bytes));
}

void DeviceMemory::used(const Use& use, const std::uint64_t* slots, std::size_t count) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) {
    if (!on_device(reinterpret_cast<const void*>(slots[i]))) continue;
    const auto block = find(slots[i]);
    if (block != blocks_.end()) blocks_[block->first].used_by = use;
  }
}

void DeviceMemory::host_wrote(const void* start, std::uint64_t bytes) {
  if (!follow_writes_) return;
  const std::lock_guard lock(mutex_);
  const auto block = find(address_of(start));
  if (block == blocks_.end() || !block->second.device) return;
  const std::uint64_t end = block->first + block->second.room;
  const std::uint64_t last = std::min(end, (address_of(start) + bytes + 31) / 32 * 32);
  host_writes_.emplace_back(address_of(start), last - address_of(start));
  // Kernels move whole blocks; what lies behind the end that was asked for is padding.
  if (last + 32 < end) {
    host_writes_.emplace_back(end - 32, 32);
  } else {
    host_writes_.back().second = end - address_of(start);
  }
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> DeviceMemory::take_host_writes() {
  const std::lock_guard lock(mutex_);
  return std::exchange(host_writes_, {});
}

std::uint64_t DeviceMemory::allocated_bytes(std::uint32_t device) const {
  const std::lock_guard lock(mutex_);
  const auto here = [&](std::uint64_t start) {
    return dies_.die_of(reinterpret_cast<const void*>(start)) == device;
  };
  std::uint64_t sum = 0;
  for (const Freed& freed : freed_) sum += here(freed.start) ? freed.room : 0;
  for (const auto& [start, block] : blocks_) {
    sum += block.device && !block.adopted && here(start) ? block.room : 0;
  }
  return sum;
}

}  // namespace davsim::runtime
