// Pools of device memory for streams.
#include "runtime/core/memory_pools.hpp"

#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"
#include "runtime/core/visible_devices.hpp"

using namespace davsim::runtime;

namespace {

[[noreturn]] void refuse_attribute(aclrtMemPoolAttr attribute, const char* what) {
  refuse_rt("attribute " + std::to_string(attribute) + " " + what);
}

/// What of freed memory a stream may take: any, behind the work that uses it. The program's wishes
/// for it change nothing.
bool is_of_reuse(aclrtMemPoolAttr attribute) {
  return attribute >= ACL_RT_MEM_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
         attribute <= ACL_RT_MEM_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

void set(MemoryPool& pool, aclrtMemPoolAttr attribute, const void* value) {
  if (is_of_reuse(attribute)) return;
  const std::uint64_t number = *static_cast<const std::uint64_t*>(value);
  switch (attribute) {
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
      return pool.set_threshold(number);
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
      if (number != 0) refuse_attribute(attribute, "can be set to 0 alone");
      return pool.forget_high(attribute == ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH);
    default:
      refuse_attribute(attribute, "cannot be set");
  }
}

std::uint64_t number_of(const MemoryPool& pool, aclrtMemPoolAttr attribute) {
  switch (attribute) {
    case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
      return pool.threshold();
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_CURRENT:
      return pool.reserved().current;
    case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
      return pool.reserved().high;
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_CURRENT:
      return pool.used().current;
    case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
      return pool.used().high;
    default:
      refuse_attribute(attribute, "does not exist");
  }
}

}  // namespace

aclError aclrtMemPoolCreate(aclrtMemPool* memPool, const aclrtMemPoolProps* poolProps) {
  return api_call("aclrtMemPoolCreate", [&] {
    require_pointer(memPool, "memPool");
    require_pointer(poolProps, "poolProps");
    if (poolProps->location.type != ACL_MEM_LOCATION_TYPE_DEVICE) {
      refuse_rt("location.type is " + std::to_string(poolProps->location.type) +
                ", allowed is that of a device");
    }
    *memPool = MemoryPools::instance().create(die_of(poolProps->location.id), poolProps->maxSize);
  });
}

aclError aclrtMemPoolDestroy(const aclrtMemPool memPool) {
  return api_call("aclrtMemPoolDestroy", [&] { MemoryPools::instance().destroy(memPool); });
}

aclError aclrtMemPoolSetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return api_call("aclrtMemPoolSetAttr", [&] {
    require_pointer(value, "value");
    set(*MemoryPools::instance().pool(memPool), attr, value);
  });
}

aclError aclrtMemPoolGetAttr(aclrtMemPool memPool, aclrtMemPoolAttr attr, void* value) {
  return api_call("aclrtMemPoolGetAttr", [&] {
    require_pointer(value, "value");
    const auto pool = MemoryPools::instance().pool(memPool);
    if (is_of_reuse(attr)) {
      *static_cast<std::uint32_t*>(value) = 1;
    } else {
      *static_cast<std::uint64_t*>(value) = number_of(*pool, attr);
    }
  });
}

aclError aclrtMemPoolMallocAsync(void** ptr, size_t size, aclrtMemPool memPool,
                                 aclrtStream stream) {
  return api_call("aclrtMemPoolMallocAsync", [&] {
    require_pointer(ptr, "ptr");
    require_size(size);
    const auto on = Process::instance().stream(stream);
    *ptr = MemoryPools::instance().pool(memPool)->take(size, on);
  });
}

aclError aclrtMemPoolFreeAsync(void* ptr, aclrtStream stream) {
  return api_call("aclrtMemPoolFreeAsync", [&] {
    require_pointer(ptr, "ptr");
    MemoryPools::instance().give_back(ptr, Process::instance().stream(stream));
  });
}

aclError aclrtMemPoolTrimTo(aclrtMemPool memPool, size_t minBytesToKeep) {
  return api_call("aclrtMemPoolTrimTo",
                  [&] { MemoryPools::instance().pool(memPool)->trim(minBytesToKeep); });
}
