// Types of torch as types of the device's runtime.
#pragma once

#include <ATen/ATen.h>
#include <acl/acl.h>

#include <string>

#include "torch_npu/csrc/core/npu/NPUException.h"
#include "torch_npu/csrc/core/npu/NPUFormat.h"

namespace at_npu::native {

/// ACL_DT_UNDEFINED for a type that the device has not.
constexpr aclDataType acl_type_of(at::ScalarType type) {
  switch (type) {
    case at::ScalarType::Byte:
      return ACL_UINT8;
    case at::ScalarType::Char:
      return ACL_INT8;
    case at::ScalarType::Short:
      return ACL_INT16;
    case at::ScalarType::Int:
      return ACL_INT32;
    case at::ScalarType::Long:
      return ACL_INT64;
    case at::ScalarType::Half:
      return ACL_FLOAT16;
    case at::ScalarType::Float:
      return ACL_FLOAT;
    case at::ScalarType::Double:
      return ACL_DOUBLE;
    case at::ScalarType::ComplexFloat:
      return ACL_COMPLEX64;
    case at::ScalarType::ComplexDouble:
      return ACL_COMPLEX128;
    case at::ScalarType::Bool:
      return ACL_BOOL;
    case at::ScalarType::BFloat16:
      return ACL_BF16;
    default:
      return ACL_DT_UNDEFINED;
  }
}

class CalcuOpUtil {
 public:
  static aclDataType ConvertToAclDataType(at::ScalarType type) {
    const aclDataType found = acl_type_of(type);
    TORCH_CHECK(found != ACL_DT_UNDEFINED, c10::toString(type), " has not been supported");
    return found;
  }
  static aclDataType ConvertToAclDataType(at::ScalarType type, const std::string&) {
    return ConvertToAclDataType(type);
  }
  static aclDataType convert_to_acl_data_type(at::ScalarType type) {
    return ConvertToAclDataType(type);
  }
  static int64_t GetTensorNpuFormat(const at::Tensor& tensor) { return get_npu_format(tensor); }
  static int64_t get_tensor_npu_format(const at::Tensor& tensor) { return get_npu_format(tensor); }
  static at::Tensor CopyTensorHostToDevice(const at::Tensor& tensor) {
    return tensor.to(c10::DeviceType::PrivateUse1);
  }
  static at::Tensor CopyScalarToDevice(const c10::Scalar& value, at::ScalarType type) {
    return CopyTensorHostToDevice(at::scalar_tensor(value, at::TensorOptions().dtype(type)));
  }
};

}  // namespace at_npu::native
