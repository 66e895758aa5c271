// Layouts of tensors: ND, and for matrices FRACTAL_NZ. libtorch_npu has the functions.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>

#include <vector>

#include "torch_npu/csrc/core/npu/DeviceUtils.h"

namespace at_npu::native {

/// 2 for ND, 29 for FRACTAL_NZ.
int64_t get_npu_format(const at::Tensor& tensor);
/// In FRACTAL_NZ [..., ceil(columns / C0), ceil(rows / 16), 16, C0]; in ND the number of elements.
std::vector<int64_t> get_npu_storage_sizes(const at::Tensor& tensor);
/// The tensor itself if it lies so, else a copy. Throws c10::Error for other layouts of the device.
at::Tensor npu_format_cast(const at::Tensor& tensor, int64_t format);
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
