// How the host sees tensors of npu. Their memory has ordinary addresses.
#pragma once

#include <ATen/ATen.h>

#include "fractals.hpp"

namespace at_npu::native {

inline const c10::Device kCpu(c10::DeviceType::CPU);
inline const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

inline bool on_npu(const at::Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1;
}

/// A tensor of the CPU in the same memory; in memory of its own for one that lies in fractals.
inline at::Tensor seen_by_host(const at::Tensor& tensor) {
  if (!on_npu(tensor)) return tensor;
  const at::TensorOptions options = at::TensorOptions().dtype(tensor.dtype()).device(kCpu);
  if (tensor.numel() == 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  at::Tensor seen = in_fractals(tensor) ? seen_in_fractals(tensor)
                                        : at::from_blob(
                                              tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                                              [tensor](void*) {}, options);
  if (tensor.is_conj()) seen._set_conj(true);
  if (tensor.is_neg()) seen._set_neg(true);
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    seen.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return seen;
}

}  // namespace at_npu::native
