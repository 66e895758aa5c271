// Memory of the host: that of the runtime, and the program's own with an address of the device.
#include "acl/acl_rt.h"
#include "runtime/core/api_error.hpp"
#include "runtime/core/process.hpp"

using namespace davsim::runtime;

namespace {

/// Gives memory of the host an address of the device.
void* map_host(void* host, std::size_t size) {
  require_pointer(host, "ptr");
  require_size(size);
  void* device = nullptr;
  require_success(davsim_malloc_shared(&device, size));
  Simulator& simulator = Simulator::instance();
  if (!simulator.mappings().add(host, size, device)) {
    simulator.memory().free(device);
    refuse_rt("some of the memory is registered already");
  }
  return device;
}

}  // namespace

aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return api_call("aclrtMallocHost", [&] {
    require_pointer(hostPtr, "hostPtr");
    require_size(size);
    void* const start = Simulator::instance().memory().allocate_host(size);
    if (start == nullptr) {
      throw ApiError(ACL_ERROR_RT_MEMORY_ALLOCATION,
                     "the host has no room for " + std::to_string(size) + " bytes");
    }
    *hostPtr = start;
  });
}

aclError aclrtMallocHostWithCfg(void** ptr, uint64_t size, aclrtMallocConfig*) {
  return aclrtMallocHost(ptr, size);
}

aclError aclrtFreeHost(void* hostPtr) {
  return api_call("aclrtFreeHost", [&] {
    require_pointer(hostPtr, "hostPtr");
    Simulator::instance().memory().free_host(hostPtr);
  });
}

aclError aclrtFreeHostWithDevSync(void* hostPtr) {
  return api_call("aclrtFreeHostWithDevSync", [&] {
    require_pointer(hostPtr, "hostPtr");
    Simulator::instance().synchronise_all();
    Simulator::instance().memory().free_host(hostPtr);
  });
}

aclError aclrtHostRegister(void* ptr, uint64_t size, aclrtHostRegisterType type, void** devPtr) {
  return api_call("aclrtHostRegister", [&] {
    require_pointer(devPtr, "devPtr");
    if (type != ACL_HOST_REGISTER_MAPPED) {
      refuse_rt("type is " + std::to_string(type) + "; there is ACL_HOST_REGISTER_MAPPED, 0");
    }
    *devPtr = map_host(ptr, size);
  });
}

aclError aclrtHostRegisterV2(void* ptr, uint64_t size, uint32_t flag) {
  return api_call("aclrtHostRegisterV2", [&] {
    // Memory that is only pinned is copied from and to as before.
    if ((flag & ACL_HOST_REG_MAPPED) != 0 || (flag & ACL_HOST_REG_PINNED) != 0) {
      map_host(ptr, size);
    } else {
      refuse_rt("flag is " + std::to_string(flag) +
                "; it has ACL_HOST_REG_MAPPED or ACL_HOST_REG_PINNED");
    }
  });
}

aclError aclrtHostGetDevicePointer(void* pHost, void** pDevice, uint32_t) {
  return api_call("aclrtHostGetDevicePointer", [&] {
    require_pointer(pHost, "pHost");
    require_pointer(pDevice, "pDevice");
    void* const address = Simulator::instance().mappings().device_address(pHost);
    if (address == nullptr) refuse_rt("pHost is not in memory that aclrtHostRegister was given");
    *pDevice = address;
  });
}

aclError aclrtHostUnregister(void* ptr) {
  return api_call("aclrtHostUnregister", [&] {
    require_pointer(ptr, "ptr");
    Simulator& simulator = Simulator::instance();
    // Kernels that are queued still reach it.
    simulator.synchronise_all();
    simulator.mappings().exchange();
    void* const device = simulator.mappings().remove(ptr);
    if (device == nullptr) refuse_rt("ptr is no start of memory that aclrtHostRegister was given");
    simulator.memory().free(device);
  });
}
