// What device a tensor is on.
#pragma once

#include <ATen/Tensor.h>
#include <c10/core/TensorOptions.h>

#include "torch_npu/csrc/core/npu/NPUFunctions.h"

namespace torch_npu::utils {

inline at::DeviceType get_npu_device_type() {
  return c10::DeviceType::PrivateUse1;
}
inline bool is_npu(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1;
}
inline bool is_npu(const at::TensorOptions& options) {
  return options.device().type() == c10::DeviceType::PrivateUse1;
}
inline bool is_npu(const at::Device& device) {
  return device.type() == c10::DeviceType::PrivateUse1;
}
inline void torch_check_npu(const at::Tensor& tensor) {
  TORCH_CHECK(is_npu(tensor),
              "Expected NPU tensor, please check whether the input tensor device is correct.");
}
inline void torch_check_npu(const at::TensorOptions& options) {
  TORCH_CHECK(is_npu(options),
              "Expected NPU tensor, please check whether the input tensor device is correct.");
}
inline void npu_lazy_init() {
  c10_npu::ensure_thread();
}
template <class T>
void maybe_initialize_npu(const T&) {
  npu_lazy_init();
}

}  // namespace torch_npu::utils

namespace at_npu::key {
inline constexpr c10::DeviceType NativeDeviceType = c10::DeviceType::PrivateUse1;
inline bool isDeviceTensor(const at::Tensor& tensor) {
  return torch_npu::utils::is_npu(tensor);
}
}  // namespace at_npu::key
