// Tensors for the results of operators.
#pragma once

#include <ATen/ATen.h>

#include <initializer_list>
#include <tuple>

#include "torch_npu/csrc/core/npu/NPUFormat.h"

namespace at_npu::native {

class OpPreparation {
 public:
  static at::Tensor apply_tensor_without_format(const at::Tensor& like) {
    return at::empty(like.sizes(), like.options());
  }
  static at::Tensor apply_tensor_without_format(const at::Tensor& like, at::IntArrayRef sizes) {
    return at::empty(sizes, like.options());
  }
  static at::Tensor apply_tensor_without_format(at::IntArrayRef sizes,
                                                const at::TensorOptions& options) {
    return at::empty(sizes, options);
  }
  template <class... T>
  static at::Tensor apply_tensor(const T&... arguments) {
    return apply_tensor_without_format(arguments...);
  }
  template <class... T>
  static at::Tensor ApplyTensor(const T&... arguments) {
    return apply_tensor_without_format(arguments...);
  }
  template <class... T>
  static at::Tensor ApplyTensorWithoutFormat(const T&... arguments) {
    return apply_tensor_without_format(arguments...);
  }
  static at::Tensor apply_tensor_with_format(const at::Tensor& like, int64_t format, bool = false) {
    return npu_format_cast(apply_tensor_without_format(like), format);
  }
  static at::Tensor apply_tensor_with_format(const at::Tensor& like, at::IntArrayRef sizes,
                                             int64_t format, bool = false) {
    return npu_format_cast(apply_tensor_without_format(like, sizes), format);
  }
  static at::Tensor apply_tensor_with_format(at::IntArrayRef sizes,
                                             const at::TensorOptions& options, int64_t format,
                                             bool = false) {
    return empty_with_format(sizes, options, format);
  }
  template <class... T>
  static at::Tensor ApplyTensorWithFormat(const T&... arguments) {
    return apply_tensor_with_format(arguments...);
  }
  static at::Tensor apply_tensor_with_sizes(at::IntArrayRef sizes,
                                            const at::TensorOptions& options) {
    return at::empty(sizes, options);
  }
  static at::Tensor unsafe_empty_workspace(uint64_t bytes) {
    return at::empty({static_cast<int64_t>(bytes)},
                     at::TensorOptions(c10::DeviceType::PrivateUse1).dtype(at::kByte));
  }
  static at::Tensor copy_scalar_to_device(const c10::Scalar& value, at::ScalarType type) {
    return at::scalar_tensor(value, at::TensorOptions().dtype(type))
        .to(c10::DeviceType::PrivateUse1);
  }
  static at::Tensor copy_tensor_host_to_device(const at::Tensor& tensor) {
    return tensor.to(c10::DeviceType::PrivateUse1);
  }
  static void check_tensor(const std::initializer_list<at::Tensor>&, at::Tensor& output,
                           at::ScalarType type, at::IntArrayRef sizes) {
    TORCH_CHECK(output.scalar_type() == type, "Expected object of dtype ", type, " but got dtype ",
                output.scalar_type());
    if (output.sizes() != sizes) output.resize_(sizes);
  }
  static void check_tensor(const std::initializer_list<at::Tensor>& inputs, at::Tensor& output,
                           const at::Tensor& like, at::IntArrayRef sizes) {
    check_tensor(inputs, output, like.scalar_type(), sizes);
  }
  static bool check_match(const at::Tensor* tensor) { return tensor->is_contiguous(); }
  static void CheckMemory(const std::initializer_list<at::Tensor>&,
                          const std::initializer_list<at::Tensor>&) {}
  static void check_memory(const std::initializer_list<at::Tensor>&,
                           const std::initializer_list<at::Tensor>&) {}
  static int8_t get_cube_math_type(bool allow_hf32) { return allow_hf32 ? 1 : 0; }
  static bool is_scalar_wrapped_to_tensor(const at::Tensor& tensor) {
    return tensor.dim() == 0 && !torch_npu::utils::is_npu(tensor);
  }
  static bool IsCPUScalar(const at::Tensor& tensor) { return is_scalar_wrapped_to_tensor(tensor); }
  static void markAsOutputForApplyTensor(at::Tensor&) {}
};

}  // namespace at_npu::native
