// Functions of tensors on npu that extensions call, and what is known of a tensor's storage.
#pragma once

#include "torch_npu/csrc/framework/utils/OpAdapter.h"

namespace at_npu::native {

struct NPUNativeFunctions {
  static at::Tensor npu_format_cast(const at::Tensor& tensor, int64_t format) {
    return at_npu::native::npu_format_cast(tensor, format);
  }
  static int64_t get_npu_format(const at::Tensor& tensor) {
    return at_npu::native::get_npu_format(tensor);
  }
  static at::Tensor empty_with_format(at::IntArrayRef sizes, c10::optional<at::ScalarType> type,
                                      c10::optional<at::Layout>, c10::optional<at::Device>,
                                      c10::optional<bool>, int64_t format) {
    return at_npu::native::empty_with_format(
        sizes, at::TensorOptions().dtype(type.value_or(at::kFloat)), format);
  }
};

}  // namespace at_npu::native

namespace torch_npu {

struct NPUStorageDesc {
  c10::SmallVector<int64_t, 5> base_sizes_, base_strides_, storage_sizes_;
  int64_t base_offset_ = 0;
  aclFormat origin_format_ = ACL_FORMAT_ND, npu_format_ = ACL_FORMAT_ND;
  caffe2::TypeMeta data_type_;
};
struct NPUStorageImpl {
  NPUStorageDesc npu_desc_;
};

struct NPUBridge {
  /// Of the tensor that was asked for last by this thread.
  static NPUStorageImpl* GetNpuStorageImpl(const at::Tensor& tensor) {
    static thread_local NPUStorageImpl last;
    NPUStorageDesc& storage = last.npu_desc_;
    storage.base_sizes_ = tensor.sizes();
    storage.base_strides_ = tensor.strides();
    const auto elements = at_npu::native::get_npu_storage_sizes(tensor);
    storage.storage_sizes_.assign(elements.begin(), elements.end());
    storage.data_type_ = tensor.dtype();
    return &last;
  }
  static NPUStorageDesc& GetNpuStorageImplDesc(const at::Tensor& tensor) {
    return GetNpuStorageImpl(tensor)->npu_desc_;
  }
};

}  // namespace torch_npu
