#include "host_call.hpp"

#include <ATen/MemoryOverlap.h>

#include <utility>

#include "seen_by_host.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"

namespace at_npu::native {

using at::Tensor;

namespace {

bool is_short(at::ScalarType type) {
  return type == at::kHalf || type == at::kBFloat16;
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

}  // namespace

Tensor HostCall::host(const Tensor& tensor, bool written) {
  if (!tensor.defined()) return tensor;
  const bool wide = widen_ && is_short(tensor.scalar_type());
  if (tensor.is_floating_point() && tensor.dim() > 0 && !first_.has_value()) {
    first_ = tensor.scalar_type();
  }
  if (!on_npu(tensor)) {
    if (tensor.dim() > 0 && tensor.device().is_cpu()) host_tensor_ = true;
    return wide ? tensor.to(at::kFloat) : tensor;
  }
  TORCH_CHECK(!written || !in_fractals(tensor), "davsim: ", name_,
              " writes to a tensor in the "
              "layout FRACTAL_NZ (29); copy_ and npu_format_cast(tensor, 2) are there for it");
  if (tensor.dim() > 0) other_npu_ = other_npu_ || (npu_tensor_ && tensor.device() != device_);
  if (tensor.dim() > 0 || !npu_tensor_) device_ = tensor.device();
  npu_tensor_ = true;
  Tensor seen = wide      ? seen_by_host(tensor).to(at::kFloat)
                : written ? seen_as_result(tensor)
                          : seen_by_host(tensor);
  pairs_.push_back({tensor, std::move(seen), written, wide});
  return pairs_.back().seen;
}

c10::IValue HostCall::type(const c10::IValue& value) {
  asked_ = true;
  const auto wanted = static_cast<at::ScalarType>(value.toInt());
  if (!widen_ || !is_short(wanted)) return value;
  first_ = wanted;
  asked_ = false;
  return static_cast<int64_t>(at::kFloat);
}

void HostCall::require_one_device() const {
  TORCH_CHECK(!npu_tensor_ || !host_tensor_ || name_.find("index") != std::string::npos ||
                  name_.rfind("npu::_npu_", 0) == 0,
              "Expected all tensors to be on the same device, but found at least two devices, ",
              device_, " and cpu! (in ", name_, ")");
  TORCH_CHECK(!other_npu_, "Expected all tensors to be on the same device, but found at least ",
              "two devices of npu! (in ", name_, ")");
}

void HostCall::require_no_overlap() const {
  for (const Pair& written : pairs_) {
    if (!written.written) continue;
    for (const Pair& other : pairs_) {
      if (&other != &written) at::assert_no_partial_overlap(written.tensor, other.tensor);
    }
  }
}

Tensor HostCall::npu(const Tensor& result) const {
  if (!result.defined() || on_npu(result)) return result;
  for (const Pair& pair : pairs_) {
    if (pair.seen.unsafeGetTensorImpl() == result.unsafeGetTensorImpl()) return pair.tensor;
  }
  for (const Pair& pair : pairs_) {
    // A view of what the host saw is one of the tensor.
    if (!pair.wide && pair.seen.numel() > 0 && result.has_storage() &&
        pair.seen.storage().unsafeGetStorageImpl() == result.storage().unsafeGetStorageImpl()) {
      return same_view(result, pair.tensor);
    }
  }
  const c10_npu::NPUGuard here(device_.index());
  Tensor made = at::detail::empty_strided_generic(result.sizes(), result.strides(),
                                                  c10_npu::NPUCachingAllocator::get(), kKeys,
                                                  type_of(result));
  if (result.numel() > 0) seen_by_host(made).copy_(result);
  return made;
}

void HostCall::take_sizes() const {
  for (const Pair& pair : pairs_) {
    const bool same = !pair.wide && pair.seen.sizes() == pair.tensor.sizes() &&
                      (pair.seen.numel() == 0 || pair.seen.data_ptr() == pair.tensor.data_ptr());
    if (!pair.written || same) continue;
    pair.tensor.resize_(pair.seen.sizes());
    if (pair.seen.numel() > 0) seen_by_host(pair.tensor).copy_(pair.seen);
  }
}

/// Results of what was widened have the type of the first tensor, unless another one is asked.
at::ScalarType HostCall::type_of(const Tensor& result) const {
  const bool narrow = widen_ && !asked_ && result.scalar_type() == at::kFloat &&
                      first_.has_value() && is_short(*first_);
  return narrow ? *first_ : result.scalar_type();
}

}  // namespace at_npu::native
