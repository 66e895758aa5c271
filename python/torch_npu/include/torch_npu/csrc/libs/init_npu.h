// For programs without Python.
#pragma once

#include <string>

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace torch_npu {
inline void init_npu(c10::DeviceIndex device = 0) {
  c10_npu::set_device(device);
}
inline void init_npu(const std::string& device) {
  init_npu(c10::Device(device).index());
}
inline void init_npu(const c10::Device& device) {
  c10_npu::set_device(device.index());
}
inline void finalize_npu() {
  c10_npu::device_synchronize();
}
}  // namespace torch_npu

namespace torch::npu {
inline void synchronize(int64_t = -1) {
  c10_npu::device_synchronize();
}
}  // namespace torch::npu
