// The tensors of a call of an operator that is done on the host, and what the host sees of them.
#pragma once

#include <ATen/ATen.h>

#include <string>
#include <vector>

namespace at_npu::native {

class HostCall {
 public:
  /// `name` is that of the operator, for messages. With `widen`, numbers of 16 bits are seen as
  /// float.
  explicit HostCall(const std::string& name, bool widen = false) : name_(name), widen_(widen) {}

  /// What the host sees of a tensor. `written`: the operator may give the tensor another size.
  at::Tensor host(const at::Tensor& tensor, bool written);
  /// A type that the caller asks results of.
  c10::IValue type(const c10::IValue& value);
  /// A call without tensors says where its result is to be.
  void make_on(c10::Device device) {
    if (!npu_tensor_) device_ = device;
  }
  /// Indices may be on the CPU, and lengths of the functions of ATB; other tensors may not.
  void require_one_device() const;
  /// As torch has it: the CPU cannot see that tensors have memory in common, since each has it by
  /// itself there.
  void require_no_overlap() const;
  /// The tensor of npu for a result.
  at::Tensor npu(const at::Tensor& result) const;
  /// Tensors that the operator gave another size, or other memory on the way to the same.
  void take_sizes() const;

 private:
  struct Pair {
    at::Tensor tensor, seen;
    bool written, wide;  ///< wide: `seen` is a copy of float
  };

  at::ScalarType type_of(const at::Tensor& result) const;

  std::string name_;
  std::vector<Pair> pairs_;
  c10::Device device_{c10::DeviceType::PrivateUse1, -1};
  bool npu_tensor_ = false, host_tensor_ = false, other_npu_ = false;
  bool widen_, asked_ = false;
  c10::optional<at::ScalarType> first_;  ///< of a tensor of numbers with a point
};

}  // namespace at_npu::native
