// Devices of the process: one, npu:0, or those of the system that DAVSIM_SYSTEM names.
#pragma once

#include <acl/acl.h>

#include "torch_npu/csrc/core/npu/NPUException.h"
#include "torch_npu/csrc/core/npu/NPUMacros.h"

namespace c10_npu {

c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex device_count_ensure_non_zero();
c10::DeviceIndex current_device();
/// That of the calling thread; -1 changes nothing. Throws c10::Error for one that does not exist.
void set_device(c10::DeviceIndex device);
/// Waits for all devices. Throws c10::Error if a kernel went wrong.
void device_synchronize();

aclError GetDevice(int32_t* device);
aclError SetDevice(c10::DeviceIndex device);
aclError MaybeSetDevice(c10::DeviceIndex device);
c10::DeviceIndex ExchangeDevice(c10::DeviceIndex device);
c10::DeviceIndex MaybeExchangeDevice(c10::DeviceIndex device);
inline c10::DeviceIndex GetLocalDevice() {
  return current_device();
}
inline bool is_lazy_set_device() {
  return false;
}
/// The same as set_device; the runtime hears of it when it is needed.
void LazySetDevice(c10::DeviceIndex device);
inline bool hasPrimaryContext(c10::DeviceIndex device) {
  return device >= 0 && device < device_count();
}
inline void warn_or_error_on_sync() {}

/// Makes the device's context that of the calling thread; the first call starts the device.
void ensure_thread();

}  // namespace c10_npu
