// Layouts of tensors. Tensors of torch on the simulated device have none of their own: ND.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>

#include <vector>

#include "torch_npu/csrc/core/npu/DeviceUtils.h"

namespace at_npu::native {

inline int64_t get_npu_format(const at::Tensor&) {
  return ACL_FORMAT_ND;
}
inline std::vector<int64_t> get_npu_storage_sizes(const at::Tensor& tensor) {
  return {static_cast<int64_t>(tensor.storage().nbytes() / tensor.element_size())};
}
/// Throws c10::Error for FRACTAL_NZ and other layouts of the device.
inline at::Tensor npu_format_cast(const at::Tensor& tensor, int64_t format) {
  TORCH_CHECK(format == ACL_FORMAT_ND || format == ACL_FORMAT_NCHW || format == ACL_FORMAT_NHWC ||
                  format < 0,
              "davsim: tensors of torch have the layout ND; found format ", format);
  return tensor;
}
inline at::Tensor empty_with_format(at::IntArrayRef sizes, const at::TensorOptions& options,
                                    int64_t format = ACL_FORMAT_ND, bool = false) {
  return npu_format_cast(at::empty(sizes, options.device(c10::DeviceType::PrivateUse1)), format);
}
inline at::Tensor empty_with_format(at::IntArrayRef sizes, const at::TensorOptions& options, bool,
                                    int64_t format) {
  return empty_with_format(sizes, options, format);
}
inline at::Tensor empty_with_swapped_memory(at::IntArrayRef sizes,
                                            const at::TensorOptions& options) {
  return empty_with_format(sizes, options);
}

}  // namespace at_npu::native
