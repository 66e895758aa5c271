#include "runtime/core/device_copies.hpp"

#include <algorithm>
#include <cstring>

#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

namespace davsim::runtime {

DeviceCopies::~DeviceCopies() {
  const std::shared_ptr<CapturedWork> keeper = keeper_of(*stream_);
  if (keeper != nullptr) {
    keeper->keep(blocks_);
    return;
  }
  for (void* block : blocks_) simulator_.memory().free(block);
}

void* DeviceCopies::block(std::uint64_t bytes) {
  void* const start = simulator_.memory().allocate(std::max<std::uint64_t>(bytes, 1),
                                                   DeviceMemory::Writer::kAnybody,
                                                   Process::instance().device_of_thread());
  if (start == nullptr) {
    throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "the device has no room for " + std::to_string(bytes) + " bytes of arguments");
  }
  blocks_.push_back(start);
  return start;
}

void* DeviceCopies::copy(const void* from, std::uint64_t bytes) {
  void* const to = block(bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
  return to;
}

}  // namespace davsim::runtime
