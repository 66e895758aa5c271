// Addresses of the device and memory behind them, apart: allocators reserve addresses and map
// memory to them. Here a reservation is a block of the device's memory, and memory without an
// address keeps its bytes on the host.
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

constexpr std::size_t kGranularity = std::size_t{2} << 20;  ///< bytes of a huge page

/// What aclrtMallocPhysical gives.
struct Physical {
  std::size_t size;
  char* at = nullptr;      ///< where it is mapped
  bool freed = false;      ///< its handle is gone; it lives until it is unmapped
  std::vector<char> kept;  ///< its bytes while it is not mapped; empty: none were written
};

class VirtualMemory {
 public:
  static VirtualMemory& instance() {
    static VirtualMemory memory;
    return memory;
  }

  void* reserve(std::size_t size) {
    const auto device = static_cast<std::uint32_t>(Process::instance().context()->device);
    void* start =
        Simulator::instance().memory().allocate(size, DeviceMemory::Writer::kCalls, device);
    if (start == nullptr) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "the device has no room for " + std::to_string(size) +
                         " bytes: addresses that are reserved count as taken");
    }
    const std::lock_guard lock(mutex_);
    reserved_[static_cast<char*>(start)] = size;
    return start;
  }

  void release(void* start) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = reserved_.find(static_cast<char*>(start));
      if (found == reserved_.end()) refuse_rt("virPtr is no start of reserved addresses");
      const auto mapped = mapped_.lower_bound(found->first);
      if (mapped != mapped_.end() && mapped->first < found->first + found->second) {
        refuse_rt("memory is still mapped to the addresses; call aclrtUnmapMem first");
      }
      reserved_.erase(found);
    }
    Simulator::instance().memory().free(start);
  }

  aclrtDrvMemHandle create(std::size_t size) {
    if (size > Simulator::instance().memory().capacity()) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "the device has no room for " + std::to_string(size) + " bytes");
    }
    const std::lock_guard lock(mutex_);
    auto made = std::make_unique<Physical>(Physical{size, nullptr, false, {}});
    Physical* const handle = made.get();
    physical_[handle] = std::move(made);
    return handle;
  }

  void destroy(aclrtDrvMemHandle handle) {
    const std::lock_guard lock(mutex_);
    Physical& physical = live(handle);
    physical.freed = true;
    if (physical.at == nullptr) physical_.erase(handle);
  }

  /// A number by which import_memory() finds the memory while it is there.
  std::uint64_t export_memory(aclrtDrvMemHandle handle) {
    const std::lock_guard lock(mutex_);
    live(handle);
    exported_[++exports_] = handle;
    return exports_;
  }
  aclrtDrvMemHandle import_memory(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = exported_.find(number);
    if (found == exported_.end()) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "handle " + std::to_string(number) +
                         " does not come from this process; processes do not share devices here");
    }
    live(found->second);
    return found->second;
  }

  void map(void* address, std::size_t size, aclrtDrvMemHandle handle) {
    const std::lock_guard lock(mutex_);
    auto* const start = static_cast<char*>(address);
    Physical& physical = live(handle);
    if (size > physical.size) {
      refuse_rt("size is " + std::to_string(size) + ", the memory has " +
                std::to_string(physical.size) + " bytes");
    }
    if (physical.at != nullptr) {
      throw ApiError(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                     "the memory is mapped already, once at most");
    }
    require_reserved(start, size);
    auto next = mapped_.lower_bound(start);
    const bool hits_next = next != mapped_.end() && next->first < start + size;
    if (hits_next || (next != mapped_.begin() &&
                      std::prev(next)->first + std::prev(next)->second->size > start)) {
      refuse_rt("other memory is mapped to these addresses");
    }
    if (!physical.kept.empty()) {
      std::memcpy(start, physical.kept.data(), size);
      Simulator::instance().memory().host_wrote(start, size);
    }
    physical.at = start;
    mapped_[start] = &physical;
  }

  void unmap(void* address) {
    // Kernels that are queued may still use the addresses.
    Simulator::instance().synchronise_all();
    const std::lock_guard lock(mutex_);
    const auto found = mapped_.find(static_cast<char*>(address));
    if (found == mapped_.end()) refuse_rt("no memory is mapped to virPtr");
    Physical* const physical = found->second;
    mapped_.erase(found);
    if (physical->freed) {
      physical_.erase(physical);
      return;
    }
    physical->kept.assign(physical->at, physical->at + physical->size);
    physical->at = nullptr;
  }

  aclrtDrvMemHandle handle_at(void* address) {
    const std::lock_guard lock(mutex_);
    auto next = mapped_.upper_bound(static_cast<char*>(address));
    if (next == mapped_.begin() ||
        std::prev(next)->first + std::prev(next)->second->size <= static_cast<char*>(address)) {
      refuse_rt("no memory is mapped to virPtr");
    }
    return std::prev(next)->second;
  }

  void require_reserved(const void* address, std::size_t size) const {
    auto* const start = static_cast<char*>(const_cast<void*>(address));
    const auto next = reserved_.upper_bound(start);
    if (next == reserved_.begin() ||
        start + size > std::prev(next)->first + std::prev(next)->second) {
      refuse_rt("the addresses are not reserved, or not all of them");
    }
  }
  void require_reserved_now(const void* address, std::size_t size) {
    const std::lock_guard lock(mutex_);
    require_reserved(address, size);
  }

 private:
  Physical& live(aclrtDrvMemHandle handle) {
    const auto found = physical_.find(handle);
    if (found == physical_.end() || found->second->freed) {
      throw ApiError(ACL_ERROR_RT_PARAM_INVALID,
                     "the handle is none of aclrtMallocPhysical, or gone");
    }
    return *found->second;
  }

  std::mutex mutex_;
  std::map<char*, std::size_t> reserved_;
  std::map<const void*, std::unique_ptr<Physical>> physical_;
  std::map<char*, Physical*> mapped_;
  std::map<std::uint64_t, aclrtDrvMemHandle> exported_;
  std::uint64_t exports_ = 0;
};

void require_some(std::size_t size) {
  if (size == 0) throw ApiError(ACL_ERROR_INVALID_PARAM, "size is 0");
}

}  // namespace

aclError aclrtReserveMemAddress(void** virPtr, size_t size, size_t, void*, uint64_t) {
  return api_call("aclrtReserveMemAddress", [&] {
    require_pointer(virPtr, "virPtr");
    require_some(size);
    *virPtr = VirtualMemory::instance().reserve(size);
  });
}

aclError aclrtReleaseMemAddress(void* virPtr) {
  return api_call("aclrtReleaseMemAddress", [&] {
    require_pointer(virPtr, "virPtr");
    VirtualMemory::instance().release(virPtr);
  });
}

aclError aclrtMallocPhysical(aclrtDrvMemHandle* handle, size_t size,
                             const aclrtPhysicalMemProp* prop, uint64_t) {
  return api_call("aclrtMallocPhysical", [&] {
    require_pointer(handle, "handle");
    require_pointer(prop, "prop");
    require_some(size);
    Process::instance().context();
    *handle = VirtualMemory::instance().create(size);
  });
}

aclError aclrtFreePhysical(aclrtDrvMemHandle handle) {
  return api_call("aclrtFreePhysical", [&] {
    require_pointer(handle, "handle");
    VirtualMemory::instance().destroy(handle);
  });
}

aclError aclrtMapMem(void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle, uint64_t) {
  return api_call("aclrtMapMem", [&] {
    require_pointer(virPtr, "virPtr");
    require_pointer(handle, "handle");
    require_some(size);
    if (offset != 0) refuse_rt("offset is " + std::to_string(offset) + ", allowed is 0");
    VirtualMemory::instance().map(virPtr, size, handle);
  });
}

aclError aclrtUnmapMem(void* virPtr) {
  return api_call("aclrtUnmapMem", [&] {
    require_pointer(virPtr, "virPtr");
    VirtualMemory::instance().unmap(virPtr);
  });
}

aclError aclrtMemRetainAllocationHandle(void* virPtr, aclrtDrvMemHandle* handle) {
  return api_call("aclrtMemRetainAllocationHandle", [&] {
    require_pointer(virPtr, "virPtr");
    require_pointer(handle, "handle");
    *handle = VirtualMemory::instance().handle_at(virPtr);
  });
}

aclError aclrtMemSetAccess(void* virPtr, size_t size, aclrtMemAccessDesc* desc, size_t count) {
  return api_call("aclrtMemSetAccess", [&] {
    require_pointer(virPtr, "virPtr");
    require_pointer(desc, "desc");
    require_some(size);
    require_some(count);
    VirtualMemory::instance().require_reserved_now(virPtr, size);
    Simulator::instance().memory().make_block_accessible(virPtr);
  });
}

aclError aclrtMemGetAllocationGranularity(aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions,
                                          size_t* granularity) {
  return api_call("aclrtMemGetAllocationGranularity", [&] {
    require_pointer(prop, "prop");
    require_pointer(granularity, "granularity");
    *granularity = kGranularity;
  });
}

aclError aclrtMemExportToShareableHandle(aclrtDrvMemHandle handle, aclrtMemHandleType, uint64_t,
                                         uint64_t* shareableHandle) {
  return api_call("aclrtMemExportToShareableHandle", [&] {
    require_pointer(handle, "handle");
    require_pointer(shareableHandle, "shareableHandle");
    *shareableHandle = VirtualMemory::instance().export_memory(handle);
  });
}

aclError aclrtMemImportFromShareableHandle(uint64_t shareableHandle, int32_t deviceId,
                                           aclrtDrvMemHandle* handle) {
  return api_call("aclrtMemImportFromShareableHandle", [&] {
    require_pointer(handle, "handle");
    die_of(deviceId);
    *handle = VirtualMemory::instance().import_memory(shareableHandle);
  });
}

aclError aclrtMemSetPidToShareableHandle(uint64_t shareableHandle, int32_t* pid, size_t pidNum) {
  return api_call("aclrtMemSetPidToShareableHandle", [&] {
    if (pidNum > 0) require_pointer(pid, "pid");
    VirtualMemory::instance().import_memory(shareableHandle);
  });
}
