// Another device for a while.
#pragma once

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace c10_npu {

/// While it exists the calling thread works on `device`; -1 is the one that it works on anyway.
/// Throws c10::Error for a device that does not exist.
class OnDevice {
 public:
  explicit OnDevice(c10::DeviceIndex device);
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  c10::DeviceIndex before_;
};

}  // namespace c10_npu
