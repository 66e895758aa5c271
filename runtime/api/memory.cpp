// Memory of the device, and copies from and to it.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

void require_within(std::size_t count, std::size_t most, const char* name) {
  if (count <= most) return;
  throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                 "count is " + std::to_string(count) + ", " + name + " is " + std::to_string(most));
}

/// A device copies at once, whatever its streams do. Here a launch that was given a pointer into
/// the block, or a copy, is waited for, so that results do not depend on the host's speed; the
/// program is told.
void settle(const std::optional<DeviceMemory::Block>& block, const char* function) {
  if (!block || !block->device) return;
  Simulator& simulator = Simulator::instance();
  const DeviceMemory::Use& use = block->used_by;
  const bool waits = !InCallback::active() && !simulator.queue().done(use.ticket);
  static std::atomic_flag told;
  if (waits && !told.test_and_set()) {
    std::fprintf(stderr,
                 "davsim: warning: %s touches memory that queued work of a stream uses; the device "
                 "would not wait for that work, call aclrtSynchronizeStream first\n",
                 function);
  }
  if (waits) simulator.queue().wait_or_held(use.ticket);
  // Work that waits for a value may wait for what this thread does next.
  if (!waits || simulator.queue().done(use.ticket)) simulator.host_waited(use.end);
}

void require_kind(aclrtMemcpyKind kind) {
  if (static_cast<unsigned>(kind) <= ACL_MEMCPY_INTER_DEVICE_TO_DEVICE) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM,
                 "kind is " + std::to_string(kind) + ", which aclrtMemcpyKind does not have");
}

void require_policy(aclrtMemMallocPolicy policy) {
  constexpr unsigned kTypes = ACL_MEM_TYPE_LOW_BAND_WIDTH | ACL_MEM_TYPE_HIGH_BAND_WIDTH |
                              ACL_MEM_ACCESS_USER_SPACE_READONLY;
  if ((static_cast<unsigned>(policy) & ~kTypes) <= ACL_MEM_MALLOC_HUGE1G_ONLY_P2P) return;
  throw ApiError(ACL_ERROR_INVALID_PARAM, "policy is " + std::to_string(policy) +
                                              ", which aclrtMemMallocPolicy does not have");
}

void allocate(void** devPtr, std::size_t size,
              DeviceMemory::Writer writer = DeviceMemory::Writer::kCalls) {
  require_pointer(devPtr, "devPtr");
  require_size(size);
  const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
  DeviceMemory& memory = Simulator::instance().memory();
  void* const start = memory.allocate(size, writer, device);
  if (start == nullptr) {
    throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                   "the device has no room for " + std::to_string(size) + " bytes; " +
                       std::to_string(memory.allocated_bytes(device)) + " of " +
                       std::to_string(memory.capacity()) + " are taken");
  }
  *devPtr = start;
}

void allocate_by(aclrtMemMallocPolicy policy, void** devPtr, std::size_t size) {
  require_policy(policy);
  allocate(devPtr, size);
}

/// Rows of bytes at two places.
struct Rows {
  void* to;
  std::size_t to_pitch;
  const void* from;
  std::size_t from_pitch, width, height;

  void copy() const {
    HostMappings& mappings = Simulator::instance().mappings();
    const bool mapped = mappings.holds(to) || mappings.holds(from);
    if (mapped) mappings.exchange();
    for (std::size_t row = 0; row < height; ++row) {
      std::memmove(static_cast<char*>(to) + row * to_pitch,
                   static_cast<const char*>(from) + row * from_pitch, width);
      Simulator::instance().memory().host_wrote(static_cast<char*>(to) + row * to_pitch, width);
    }
    if (mapped) mappings.exchange();
  }
};

void fill(void* start, std::int32_t value, std::size_t count) {
  HostMappings& mappings = Simulator::instance().mappings();
  if (mappings.holds(start)) mappings.exchange();
  std::memset(start, value, count);
  Simulator::instance().memory().host_wrote(start, count);
  if (mappings.holds(start)) mappings.exchange();
}

struct Ends {
  std::optional<DeviceMemory::Block> to, from;
};

/// The blocks of both ends, which have room for the rows.
Ends checked(const Rows& rows) {
  require_pointer(rows.to, "dst");
  require_pointer(rows.from, "src");
  require_within(rows.width, rows.to_pitch, "dpitch");
  require_within(rows.width, rows.from_pitch, "spitch");
  if (rows.height == 0 || rows.width == 0) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "width and height are at least 1");
  }
  constexpr std::size_t kMost = std::size_t{1} << 60;
  if (std::max(rows.to_pitch, rows.from_pitch) > kMost / rows.height) {
    throw ApiError(ACL_ERROR_RT_PARAM_INVALID, "height times pitch is more than a device has");
  }
  const DeviceMemory& memory = Simulator::instance().memory();
  const auto bytes = [&rows](std::size_t pitch) { return (rows.height - 1) * pitch + rows.width; };
  return {memory.require_room(rows.to, bytes(rows.to_pitch), "dst"),
          memory.require_room(rows.from, bytes(rows.from_pitch), "src")};
}

Rows bytes(void* to, std::size_t most, const void* from, std::size_t count) {
  require_pointer(to, "dst");
  require_pointer(from, "src");
  require_within(count, most, "destMax");
  require_size(count);
  return {to, count, from, count, count, 1};
}

std::optional<Direction> direction_of(const Ends& ends) {
  const bool to = ends.to && ends.to->device, from = ends.from && ends.from->device;
  if (to) return from ? Direction::kWithin : Direction::kToDevice;
  if (from) return Direction::kToHost;
  return std::nullopt;
}

/// The die whose memory a copy reads or writes.
std::uint32_t die_of(const Ends& ends) {
  const auto& block = ends.to && ends.to->device ? ends.to : ends.from;
  return Simulator::instance().memory().die_at(block->start);
}

/// What a copy takes when its device comes to it.
std::function<Demand()> time_of(const Ends& ends, std::uint64_t bytes) {
  const auto direction = direction_of(ends);
  const Simulator& simulator = Simulator::instance();
  if (!direction) return [] { return Demand{}; };
  if (*direction != Direction::kWithin) {
    return [=, &simulator] { return simulator.copy_demand(*direction, bytes); };
  }
  const DeviceMemory& memory = Simulator::instance().memory();
  const std::uint32_t from = memory.die_at(ends.from->start), to = memory.die_at(ends.to->start);
  return [=, &simulator] { return simulator.copy_demand(from, to, bytes); };
}

void copy(const Rows& rows, const char* function) {
  require_outside_capture(function);
  const Ends ends = checked(rows);
  settle(ends.to, function);
  settle(ends.from, function);
  rows.copy();
  if (direction_of(ends)) {
    Simulator::instance().host_works(die_of(ends), time_of(ends, rows.width * rows.height));
  }
}

/// Memory of the program's own, unlike that of aclrtMallocHost, may be gone when the stream is
/// there: as the source it is copied at the call, as the target the call waits. So does a device.
void copy_in(aclrtStream stream, const Rows& rows) {
  const auto on = Process::instance().stream(stream);
  const Ends ends = checked(rows);
  Simulator& simulator = Simulator::instance();
  if (!ends.from || !ends.to) require_outside_capture("a copy of memory that may move");
  const auto takes = time_of(ends, rows.width * rows.height);
  if (ends.from) {
    simulator.queue_on(on, [rows, takes] {
      rows.copy();
      return takes();
    });
  } else {
    auto kept = std::make_shared<std::vector<char>>(rows.width * rows.height);
    Rows{kept->data(), rows.width, rows.from, rows.from_pitch, rows.width, rows.height}.copy();
    simulator.queue_on(on, [rows, kept, takes] {
      Rows{rows.to, rows.to_pitch, kept->data(), rows.width, rows.width, rows.height}.copy();
      return takes();
    });
  }
  simulator.touched(*on, rows.to, rows.from);
  if (!ends.to && !InCallback::active() && captured(*on) == nullptr) simulator.synchronise(*on);
}

}  // namespace

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return api_call("aclrtMalloc", [&] { allocate_by(policy, devPtr, size); });
}

aclError aclrtMallocAlign32(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return api_call("aclrtMallocAlign32", [&] { allocate_by(policy, devPtr, size); });
}

aclError aclrtMallocCached(void** devPtr, size_t size, aclrtMemMallocPolicy policy) {
  return api_call("aclrtMallocCached", [&] { allocate_by(policy, devPtr, size); });
}

aclError aclrtMallocWithCfg(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                            aclrtMallocConfig*) {
  return api_call("aclrtMallocWithCfg", [&] { allocate_by(policy, devPtr, size); });
}

aclError aclrtMallocForTaskScheduler(void** devPtr, size_t size, aclrtMemMallocPolicy policy,
                                     aclrtMallocConfig*) {
  return api_call("aclrtMallocForTaskScheduler", [&] { allocate_by(policy, devPtr, size); });
}

aclError davsim_malloc_shared(void** block, size_t bytes) {
  return api_call("davsim_malloc_shared",
                  [&] { allocate(block, bytes, DeviceMemory::Writer::kAnybody); });
}

aclError aclrtFree(void* devPtr) {
  return api_call("aclrtFree", [&] {
    require_pointer(devPtr, "devPtr");
    Simulator::instance().memory().free(devPtr);
  });
}

aclError aclrtFreeWithDevSync(void* devPtr) {
  return api_call("aclrtFreeWithDevSync", [&] {
    require_pointer(devPtr, "devPtr");
    Simulator::instance().synchronise_all();
    Simulator::instance().memory().free(devPtr);
  });
}

aclError aclrtMemFlush(void* devPtr, size_t size) {
  return api_call("aclrtMemFlush",
                  [&] { Simulator::instance().memory().require_room(devPtr, size, "devPtr"); });
}

aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  return api_call("aclrtMemInvalidate",
                  [&] { Simulator::instance().memory().require_room(devPtr, size, "devPtr"); });
}

aclError aclrtMemcpy(void* dst, size_t destMax, const void* src, size_t count,
                     aclrtMemcpyKind kind) {
  return api_call("aclrtMemcpy", [&] {
    require_kind(kind);
    copy(bytes(dst, destMax, src, count), "aclrtMemcpy");
  });
}

aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src, size_t count,
                          aclrtMemcpyKind kind, aclrtStream stream) {
  return api_call("aclrtMemcpyAsync", [&] {
    require_kind(kind);
    if (kind == ACL_MEMCPY_HOST_TO_HOST) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "no stream copies from host to host");
    }
    copy_in(stream, bytes(dst, destMax, src, count));
  });
}

aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                       size_t height, aclrtMemcpyKind kind) {
  return api_call("aclrtMemcpy2d", [&] {
    require_kind(kind);
    copy({dst, dpitch, src, spitch, width, height}, "aclrtMemcpy2d");
  });
}

aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) {
  return api_call("aclrtMemcpy2dAsync", [&] {
    require_kind(kind);
    copy_in(stream, {dst, dpitch, src, spitch, width, height});
  });
}

aclError aclrtCmoAsync(void* src, size_t size, aclrtCmoType, aclrtStream stream) {
  return api_call("aclrtCmoAsync", [&] {
    require_pointer(src, "src");
    Process::instance().stream(stream);
    Simulator::instance().memory().require_room(src, size, "src");
  });
}

aclError aclrtCmoAsyncWithBarrier(void* src, size_t size, aclrtCmoType cmoType, uint32_t,
                                  aclrtStream stream) {
  return aclrtCmoAsync(src, size, cmoType, stream);
}

aclError aclrtCmoWaitBarrier(aclrtBarrierTaskInfo* taskInfo, aclrtStream stream, uint32_t) {
  return api_call("aclrtCmoWaitBarrier", [&] {
    require_pointer(taskInfo, "taskInfo");
    Process::instance().stream(stream);
  });
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count) {
  return api_call("aclrtMemset", [&] {
    require_outside_capture("aclrtMemset");
    require_pointer(devPtr, "devPtr");
    require_within(count, maxCount, "maxCount");
    DeviceMemory& memory = Simulator::instance().memory();
    const auto block = memory.require_room(devPtr, count, "devPtr");
    settle(block, "aclrtMemset");
    fill(devPtr, value, count);
    if (!block || !block->device) return;
    Simulator& simulator = Simulator::instance();
    simulator.host_works(memory.die_at(block->start), [&simulator, count] {
      return simulator.copy_demand(Direction::kSet, count);
    });
  });
}

aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) {
  return api_call("aclrtMemsetAsync", [&] {
    require_pointer(devPtr, "devPtr");
    require_within(count, maxCount, "maxCount");
    const auto on = Process::instance().stream(stream);
    Simulator& simulator = Simulator::instance();
    const auto block = simulator.memory().require_room(devPtr, count, "devPtr");
    const bool on_device = block && block->device;
    simulator.queue_on(on, [=, &simulator] {
      fill(devPtr, value, count);
      return on_device ? simulator.copy_demand(Direction::kSet, count) : Demand{};
    });
    simulator.touched(*on, devPtr, nullptr);
  });
}

aclError aclrtGetMemInfo(aclrtMemAttr, size_t* free, size_t* total) {
  return api_call("aclrtGetMemInfo", [&] {
    require_pointer(free, "free");
    require_pointer(total, "total");
    const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
    const DeviceMemory& memory = Simulator::instance().memory();
    *total = memory.capacity();
    *free = memory.capacity() - std::min(memory.capacity(), memory.allocated_bytes(device));
  });
}

aclError aclrtMemGetAddressRange(void* ptr, void** pbase, size_t* psize) {
  return api_call("aclrtMemGetAddressRange", [&] {
    require_pointer(ptr, "ptr");
    const auto block = Simulator::instance().memory().block_at(ptr);
    if (!block) refuse_rt("ptr lies in no block of aclrtMalloc or aclrtMallocHost");
    if (pbase != nullptr) *pbase = reinterpret_cast<void*>(block->start);
    if (psize != nullptr) *psize = block->room;
  });
}

aclError aclrtPointerGetAttributes(const void* ptr, aclrtPtrAttributes* attributes) {
  return api_call("aclrtPointerGetAttributes", [&] {
    require_pointer(ptr, "ptr");
    require_pointer(attributes, "attributes");
    const auto block = Simulator::instance().memory().block_at(ptr);
    *attributes = {};
    attributes->location.type = !block          ? ACL_MEM_LOCATION_TYPE_UNREGISTERED
                                : block->device ? ACL_MEM_LOCATION_TYPE_DEVICE
                                                : ACL_MEM_LOCATION_TYPE_HOST;
    if (block && block->device) {
      const std::uint32_t die = Simulator::instance().memory().die_at(block->start);
      attributes->location.id = static_cast<std::uint32_t>(device_of(die));
    }
    attributes->pageSize = 4096;
  });
}
