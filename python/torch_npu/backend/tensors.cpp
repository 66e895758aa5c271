// What makes tensors of npu, and copies them.
#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/view_native.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/library.h>

#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "graph.hpp"
#include "seen_by_host.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"

namespace at_npu::native {
namespace {

using at::Tensor;

// --- what makes tensors

Tensor empty(at::IntArrayRef sizes, c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
             c10::optional<at::Device> device, c10::optional<bool>,
             c10::optional<at::MemoryFormat> format) {
  const c10_npu::NPUGuard here(device.has_value() ? device->index() : -1);
  return at::detail::empty_generic(sizes, c10_npu::NPUCachingAllocator::get(), kKeys,
                                   c10::dtype_or_default(type), format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                     c10::optional<at::ScalarType> type, c10::optional<at::Layout>,
                     c10::optional<at::Device> device, c10::optional<bool>) {
  const c10_npu::NPUGuard here(device.has_value() ? device->index() : -1);
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
    const c10_npu::NPUGuard here(self.device().index());
    c10::DataPtr grown = c10_npu::NPUCachingAllocator::get()->allocate(bytes);
    if (!c10_npu::graph::capturing()) c10_npu::device_synchronize();
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

void copy_now(const Tensor& from, const Tensor& to) {
  if (in_fractals(to)) return copy_to_fractals(to, seen_by_host(from));
  seen_by_host(to).copy_(seen_by_host(from));
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  at::assert_no_partial_overlap(to, from);
  if (c10_npu::graph::capturing()) {
    TORCH_CHECK(on_npu(to) || non_blocking,
                "the host cannot wait for a copy of a tensor of npu while a graph is captured");
    c10_npu::graph::keep([from, to] { copy_now(from, to); });
    return to;
  }
  c10_npu::device_synchronize();
  copy_now(from, to);
  return to;
}
Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  if (to.sizes() != from.sizes()) to.resize_(from.sizes());
  return copy_from(from, to, false);
}

void record_stream(Tensor&, c10::Stream) {}

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

namespace {

/// What torch keeps to itself.
struct Metadata : c10::TensorImpl {
  using c10::TensorImpl::copy_tensor_metadata;
};

}  // namespace

/// `tensor.data = from` between the host and npu, which torch 1.13 takes for tensors of kinds that
/// do not go together; null, or what went wrong.
extern "C" const char* davsim_torch_set_data(c10::TensorImpl* tensor, c10::TensorImpl* from) {
  return c10_npu::text_of_failure([&] {
    const at::Tensor self(
        c10::intrusive_ptr<c10::TensorImpl>::unsafe_reclaim_from_nonowning(tensor));
    // Gradients are accumulated where the tensor is from now on.
    if (auto* const meta = torch::autograd::impl::get_autograd_meta(self)) {
      const std::lock_guard lock(meta->mutex_);
      meta->grad_accumulator_.reset();
    }
    Metadata::copy_tensor_metadata(from, tensor, tensor->version_counter(),
                                   tensor->allow_tensor_metadata_change());
  });
}
