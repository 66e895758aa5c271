// Devices. A process has one, that which it names first.
#pragma once

#include <acl/acl.h>

#include "torch_npu/csrc/core/npu/NPUException.h"
#include "torch_npu/csrc/core/npu/NPUMacros.h"

namespace c10_npu {

c10::DeviceIndex device_count() noexcept;
c10::DeviceIndex device_count_ensure_non_zero();
c10::DeviceIndex current_device();
/// Throws c10::Error for another device than that of the process; -1 stands for it.
void set_device(c10::DeviceIndex device);
/// Waits for the device. Throws c10::Error if a kernel went wrong.
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
inline void LazySetDevice(c10::DeviceIndex device) {
  set_device(device);
}
inline bool hasPrimaryContext(c10::DeviceIndex device) {
  return device == current_device();
}
inline void warn_or_error_on_sync() {}

/// Makes the device's context that of the calling thread; the first call starts the device.
void ensure_thread();

}  // namespace c10_npu
