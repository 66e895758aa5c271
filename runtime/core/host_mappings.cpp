#include "runtime/core/host_mappings.hpp"

#include <cstring>

namespace davsim::runtime {

bool HostMappings::add(void* host, std::size_t bytes, void* device) {
  const std::lock_guard lock(mutex_);
  auto* const start = static_cast<std::byte*>(host);
  const auto after = mappings_.lower_bound(start);
  if (after != mappings_.end() && after->first < start + bytes) return false;
  if (after != mappings_.begin()) {
    const auto& [before, mapping] = *std::prev(after);
    if (before + mapping.last.size() > start) return false;
  }
  std::memcpy(device, host, bytes);
  mappings_[start] = {static_cast<std::byte*>(device), {start, start + bytes}};
  return true;
}

void* HostMappings::remove(void* host) {
  const std::lock_guard lock(mutex_);
  const auto found = mappings_.find(static_cast<std::byte*>(host));
  if (found == mappings_.end()) return nullptr;
  void* const device = found->second.device;
  mappings_.erase(found);
  return device;
}

void HostMappings::forget_all() {
  const std::lock_guard lock(mutex_);
  mappings_.clear();
}

void* HostMappings::device_address(const void* host) const {
  const std::lock_guard lock(mutex_);
  const auto* const at = static_cast<const std::byte*>(host);
  auto after = mappings_.upper_bound(at);
  if (after == mappings_.begin()) return nullptr;
  const auto& [start, mapping] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(at - start);
  return offset < mapping.last.size() ? mapping.device + offset : nullptr;
}

bool HostMappings::holds(const void* device) const {
  const std::lock_guard lock(mutex_);
  const auto* const at = static_cast<const std::byte*>(device);
  for (const auto& [start, mapping] : mappings_) {
    if (at >= mapping.device && at < mapping.device + mapping.last.size()) return true;
  }
  return false;
}

void HostMappings::exchange() {
  const std::lock_guard lock(mutex_);
  for (auto& [start, mapping] : mappings_) {
    auto* const host = const_cast<std::byte*>(start);
    const std::size_t bytes = mapping.last.size();
    // Bytes that did not change are not written: the host may be at work on its neighbours.
    if (std::memcmp(mapping.device, mapping.last.data(), bytes) != 0) {
      for (std::size_t i = 0; i < bytes; ++i) {
        if (mapping.device[i] != mapping.last[i]) host[i] = mapping.device[i];
      }
    }
    if (std::memcmp(mapping.device, host, bytes) != 0) std::memcpy(mapping.device, host, bytes);
    std::memcpy(mapping.last.data(), mapping.device, bytes);
  }
}

}  // namespace davsim::runtime
