// Tensors of npu. Their memory has ordinary addresses, so whatever torch can do on the CPU is done
// there in place, after the device has ended what was queued. Only what makes tensors is here.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <array>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "on_device.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"

namespace at_npu::native {
namespace {

using at::Tensor;

const c10::Device kCpu(c10::DeviceType::CPU);
const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

bool on_npu(const Tensor& tensor) {
  return tensor.defined() && tensor.device().type() == c10::DeviceType::PrivateUse1;
}

/// A tensor of the CPU in the same memory.
Tensor seen_by_host(const Tensor& tensor) {
  if (!on_npu(tensor)) return tensor;
  const at::TensorOptions options = at::TensorOptions().dtype(tensor.dtype()).device(kCpu);
  if (tensor.numel() == 0) return at::empty_strided(tensor.sizes(), tensor.strides(), options);
  Tensor seen = at::from_blob(
      tensor.data_ptr(), tensor.sizes(), tensor.strides(), [tensor](void*) {}, options);
  if (tensor.is_conj()) seen._set_conj(true);
  if (tensor.is_neg()) seen._set_neg(true);
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
    seen.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
  return seen;
}

/// The same for a result, whose size the operator may change: it then gets memory of its own.
Tensor seen_as_result(const Tensor& tensor) {
  if (tensor.numel() == 0 || tensor.is_conj() || tensor.is_neg()) return seen_by_host(tensor);
  const std::size_t bytes =
      at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.dtype().itemsize());
  c10::DataPtr data(
      tensor.data_ptr(), new Tensor(tensor), [](void* of) { delete static_cast<Tensor*>(of); },
      kCpu);
  c10::Storage storage(c10::Storage::use_byte_size_t(), bytes, std::move(data),
                       c10::GetAllocator(c10::DeviceType::CPU), /*resizable=*/true);
  Tensor seen = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  seen.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides());
  return seen;
}

// --- what makes tensors

Tensor empty(at::IntArrayRef sizes, c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
             c10::optional<at::Device> device, c10::optional<bool>,
             c10::optional<at::MemoryFormat> format) {
  const c10_npu::OnDevice here(device.has_value() ? device->index() : -1);
  return at::detail::empty_generic(sizes, c10_npu::NPUCachingAllocator::get(), kKeys,
                                   c10::dtype_or_default(type), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                     c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
                     c10::optional<at::Device> device, c10::optional<bool>) {
  const c10_npu::OnDevice here(device.has_value() ? device->index() : -1);
  return at::detail::empty_strided_generic(sizes, strides, c10_npu::NPUCachingAllocator::get(),
                                           kKeys, c10::dtype_or_default(type));
}

/// A view of `of`'s storage.
Tensor view_of(const Tensor& of, at::IntArrayRef sizes, at::IntArrayRef strides, int64_t offset) {
  Tensor view = at::detail::make_tensor<c10::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(of.storage()), of.key_set(), of.dtype());
  view.unsafeGetTensorImpl()->set_storage_offset(offset);
  view.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  return view;
}

/// The view of `of` that `seen` is of what the host sees of it. It may be of another type, as the
/// complex numbers of view_as_complex are.
Tensor same_view(const Tensor& seen, const Tensor& of) {
  const int64_t bytes = of.storage_offset() * static_cast<int64_t>(of.element_size());
  const auto element = static_cast<int64_t>(seen.element_size());
  Tensor view = at::detail::make_tensor<c10::TensorImpl>(
      c10::TensorImpl::VIEW, c10::Storage(of.storage()), of.key_set(), seen.dtype());
  view.unsafeGetTensorImpl()->set_storage_offset(bytes / element + seen.storage_offset());
  view.unsafeGetTensorImpl()->set_sizes_and_strides(seen.sizes(), seen.strides());
  view._set_conj(seen.is_conj());
  view._set_neg(seen.is_neg());
  return view;
}

Tensor as_strided(const Tensor& self, at::IntArrayRef sizes, at::IntArrayRef strides,
                  c10::optional<int64_t> offset) {
  const int64_t first = offset.value_or(self.storage_offset());
  int64_t last = first;
  bool any = true;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    any = any && sizes[i] > 0;
    if (sizes[i] > 0) last += (sizes[i] - 1) * strides[i];
  }
  const auto elements = static_cast<int64_t>(self.storage().nbytes() / self.element_size());
  TORCH_CHECK(!any || last < elements, "setStorage: sizes ", sizes, ", strides ", strides,
              ", storage offset ", first, " are out of bounds for storage of ", elements,
              " elements");
  return view_of(self, sizes, strides, first);
}

Tensor& resize_(const Tensor& constant, at::IntArrayRef sizes, c10::optional<at::MemoryFormat>) {
  auto& self = const_cast<Tensor&>(constant);
  int64_t elements = self.storage_offset();
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  elements += count;
  const std::size_t bytes = static_cast<std::size_t>(elements) * self.element_size();
  c10::StorageImpl* storage = self.storage().unsafeGetStorageImpl();
  if (count > 0 && bytes > storage->nbytes()) {
    const c10_npu::OnDevice here(self.device().index());
    c10::DataPtr grown = c10_npu::NPUCachingAllocator::get()->allocate(bytes);
    c10_npu::device_synchronize();
    if (storage->nbytes() > 0) std::memcpy(grown.get(), self.storage().data(), storage->nbytes());
    storage->set_data_ptr(std::move(grown));
    storage->set_nbytes(bytes);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return self;
}
const Tensor& resize(const Tensor& self, at::IntArrayRef sizes,
                     c10::optional<at::MemoryFormat> format) {
  return resize_(self, sizes, format);
}

Tensor& set_storage(Tensor& self, c10::Storage source, int64_t offset, at::IntArrayRef sizes,
                    at::IntArrayRef strides) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  if (strides.data() == nullptr || strides.size() != sizes.size()) {
    self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  } else {
    self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides);
  }
  return self;
}
Tensor& set_whole_storage(Tensor& self, c10::Storage source) {
  const auto elements = static_cast<int64_t>(source.nbytes() / self.element_size());
  return set_storage(self, std::move(source), 0, {elements}, {});
}
Tensor& set_tensor(Tensor& self, const Tensor& source) {
  return set_storage(self, source.storage(), source.storage_offset(), source.sizes(),
                     source.strides());
}
Tensor& set_nothing(Tensor& self) {
  return set_storage(self, empty({0}, self.scalar_type(), {}, {}, {}, {}).storage(), 0, {0}, {});
}

// --- copies

Tensor copy_from(const Tensor& from, const Tensor& to, bool) {
  c10_npu::device_synchronize();
  seen_by_host(to).copy_(seen_by_host(from));
  return to;
}
Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

void record_stream(Tensor&, c10::Stream) {}

// --- everything else, on the CPU in the same memory

/// The tensors of a call and what the host sees of them.
class Call {
 public:
  explicit Call(const std::string& name) : name_(name) {}

  /// `written`: the operator may give the tensor another size.
  Tensor host(const Tensor& tensor, bool written) {
    if (!tensor.defined()) return tensor;
    if (!on_npu(tensor)) {
      if (tensor.dim() > 0 && tensor.device().is_cpu()) host_tensor_ = true;
      return tensor;
    }
    if (tensor.dim() > 0) other_npu_ = other_npu_ || (npu_tensor_ && tensor.device() != device_);
    if (tensor.dim() > 0 || !npu_tensor_) device_ = tensor.device();
    npu_tensor_ = true;
    pairs_.push_back({tensor, written ? seen_as_result(tensor) : seen_by_host(tensor), written});
    return pairs_.back().seen;
  }

  /// A call without tensors says where its result is to be.
  void make_on(c10::Device device) {
    if (!npu_tensor_) device_ = device;
  }

  /// Indices may be on the CPU; other tensors may not.
  void require_one_device() const {
    TORCH_CHECK(!npu_tensor_ || !host_tensor_ || name_.find("index") != std::string::npos,
                "Expected all tensors to be on the same device, but found at least two devices, ",
                device_, " and cpu! (in ", name_, ")");
    TORCH_CHECK(!other_npu_, "Expected all tensors to be on the same device, but found at least ",
                "two devices of npu! (in ", name_, ")");
  }

  /// The tensor of npu for a result.
  Tensor npu(const Tensor& result) const {
    if (!result.defined() || on_npu(result)) return result;
    for (const Pair& pair : pairs_) {
      if (pair.seen.unsafeGetTensorImpl() == result.unsafeGetTensorImpl()) return pair.tensor;
    }
    for (const Pair& pair : pairs_) {
      // A view of what the host saw is one of the tensor.
      if (pair.seen.numel() > 0 && result.has_storage() &&
          pair.seen.storage().unsafeGetStorageImpl() == result.storage().unsafeGetStorageImpl()) {
        return same_view(result, pair.tensor);
      }
    }
    const c10_npu::OnDevice here(device_.index());
    Tensor made = at::detail::empty_strided_generic(result.sizes(), result.strides(),
                                                    c10_npu::NPUCachingAllocator::get(), kKeys,
                                                    result.scalar_type());
    if (result.numel() > 0) seen_by_host(made).copy_(result);
    return made;
  }

  /// Tensors that the operator gave another size, or other memory on the way to the same.
  void take_sizes() const {
    for (const Pair& pair : pairs_) {
      const bool same = pair.seen.sizes() == pair.tensor.sizes() &&
                        (pair.seen.numel() == 0 || pair.seen.data_ptr() == pair.tensor.data_ptr());
      if (!pair.written || same) continue;
      pair.tensor.resize_(pair.seen.sizes());
      if (pair.seen.numel() > 0) seen_by_host(pair.tensor).copy_(pair.seen);
    }
  }

 private:
  struct Pair {
    Tensor tensor, seen;
    bool written;
  };
  std::string name_;
  std::vector<Pair> pairs_;
  c10::Device device_{c10::DeviceType::PrivateUse1, -1};
  bool npu_tensor_ = false, host_tensor_ = false, other_npu_ = false;
};

c10::IValue host_value(Call& call, const c10::IValue& value, bool written) {
  if (value.isTensor()) return call.host(value.toTensor(), written);
  if (value.isTensorList()) {
    c10::List<Tensor> list;
    for (const Tensor& tensor : value.toTensorVector()) list.push_back(call.host(tensor, written));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<c10::optional<Tensor>> list;
    for (const c10::optional<Tensor>& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor.has_value() ? c10::optional<Tensor>(call.host(*tensor, written))
                                        : c10::nullopt);
    }
    return list;
  }
  if (value.isDevice() && value.toDevice().type() == c10::DeviceType::PrivateUse1) {
    call.make_on(value.toDevice());
    return kCpu;
  }
  return value;
}

c10::IValue npu_value(const Call& call, const c10::IValue& value) {
  if (value.isTensor()) return call.npu(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<Tensor> list;
  for (const Tensor& tensor : value.toTensorVector()) list.push_back(call.npu(tensor));
  return list;
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  TORCH_CHECK(op.hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
                  op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
                  schema.name().rfind("aten::", 0) == 0,
              "Could not run '", schema.name(),
              "' with arguments from the 'npu' backend: it has an implementation neither for "
              "PrivateUse1 nor for CPU");
  c10_npu::device_synchronize();
  Call call(schema.name());
  const std::size_t count = schema.arguments().size();
  const std::size_t first = stack->size() - count;
  for (std::size_t i = 0; i < count; ++i) {
    const auto* alias = schema.arguments()[i].alias_info();
    c10::IValue& value = (*stack)[first + i];
    value = host_value(call, value, alias != nullptr && alias->isWrite());
  }
  call.require_one_device();
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  call.take_sizes();
  const std::size_t results = schema.returns().size();
  for (std::size_t i = stack->size() - results; i < stack->size(); ++i) {
    (*stack)[i] = npu_value(call, (*stack)[i]);
  }
}

// Torch has convolutions of an unknown device done by operators that the CPU does not have.

Tensor convolution(const Tensor& input, const Tensor& weight, const c10::optional<Tensor>& bias,
                   at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                   bool transposed, at::IntArrayRef output_padding, int64_t groups) {
  c10_npu::device_synchronize();
  Call call("aten::convolution");
  const Tensor none;
  const Tensor x = call.host(input, false), w = call.host(weight, false);
  const Tensor b = call.host(bias.has_value() ? *bias : none, false);
  call.require_one_device();
  return call.npu(
      at::convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups));
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, at::IntArrayRef stride,
    at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> wanted) {
  c10_npu::device_synchronize();
  Call call("aten::convolution_backward");
  const Tensor g = call.host(gradient, false), x = call.host(input, false);
  const Tensor w = call.host(weight, false);
  call.require_one_device();
  const int64_t channels[] = {gradient.size(1)};
  const auto [of_input, of_weight, of_bias] =
      at::convolution_backward(g, x, w, at::OptionalIntArrayRef(at::IntArrayRef(channels)), stride,
                               padding, dilation, transposed, output_padding, groups, wanted);
  return {call.npu(of_input), call.npu(of_weight), call.npu(of_bias)};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", TORCH_FN(empty));
  m.impl("empty_strided", TORCH_FN(empty_strided));
  m.impl("as_strided", TORCH_FN(as_strided));
  m.impl("view", TORCH_FN(at::native::view));
  m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  m.impl("resize_", TORCH_FN(resize));
  m.impl("set_.source_Storage", TORCH_FN(set_whole_storage));
  m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  m.impl("set_.source_Tensor", TORCH_FN(set_tensor));
  m.impl("set_", TORCH_FN(set_nothing));
  m.impl("_copy_from", TORCH_FN(copy_from));
  m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  m.impl("record_stream", TORCH_FN(record_stream));
  m.impl("convolution_overrideable", TORCH_FN(convolution));
  m.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
}

// A copy sees to numbers that are conjugate or negative by a flag. Torch would take a copy of them
// first, for which it copies.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  m.impl("_copy_from_and_resize", torch::CppFunction::makeFallthrough());
}

#if TORCH_VERSION_MAJOR < 2
// Operators that only extensions define have no rule for gradients of npu in torch 1.13, nor for
// those of tensors that have a shape and no values.
TORCH_LIBRARY_IMPL(_, AutogradPrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(_, AutogradMeta, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}
#endif

}  // namespace
}  // namespace at_npu::native

/// Tensor.set_ with a storage of npu; null, or what went wrong.
extern "C" const char* davsim_torch_set_storage(c10::TensorImpl* tensor, c10::StorageImpl* storage,
                                                long long offset, const long long* sizes,
                                                const long long* strides, long long dimensions) {
  const auto count = static_cast<std::size_t>(dimensions);
  const std::vector<int64_t> shape(sizes, sizes + count), steps(strides, strides + count);
  return c10_npu::text_of_failure([&] {
    const c10::Storage source(
        c10::intrusive_ptr<c10::StorageImpl>::unsafe_reclaim_from_nonowning(storage));
    at::Tensor(c10::intrusive_ptr<c10::TensorImpl>::unsafe_reclaim_from_nonowning(tensor))
        .set_(source, offset, shape, steps);
  });
}
