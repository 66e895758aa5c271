// Operators that nobody has for npu. The memory of its tensors has ordinary addresses, so they are
// done on the CPU in place, after the device has ended what was queued. With numbers of 16 bits
// that the CPU has no kernel for they are done in float, and rounded. While a graph is captured
// they are done for the shapes of their results, leave what they write as it was, and are kept.
#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "seen_by_host.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"

namespace at_npu::native {
namespace {

using at::Tensor;

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

/// The tensors of a call and what the host sees of them.
class Call {
 public:
  explicit Call(const std::string& name, bool widen = false) : name_(name), widen_(widen) {}

  /// `written`: the operator may give the tensor another size.
  Tensor host(const Tensor& tensor, bool written) {
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

  /// A type that the caller asks results of.
  c10::IValue type(const c10::IValue& value) {
    asked_ = true;
    const auto wanted = static_cast<at::ScalarType>(value.toInt());
    if (!widen_ || !is_short(wanted)) return value;
    first_ = wanted;
    asked_ = false;
    return static_cast<int64_t>(at::kFloat);
  }

  /// A call without tensors says where its result is to be.
  void make_on(c10::Device device) {
    if (!npu_tensor_) device_ = device;
  }

  /// Indices may be on the CPU, and lengths of the functions of ATB; other tensors may not.
  void require_one_device() const {
    TORCH_CHECK(!npu_tensor_ || !host_tensor_ || name_.find("index") != std::string::npos ||
                    name_.rfind("npu::_npu_", 0) == 0,
                "Expected all tensors to be on the same device, but found at least two devices, ",
                device_, " and cpu! (in ", name_, ")");
    TORCH_CHECK(!other_npu_, "Expected all tensors to be on the same device, but found at least ",
                "two devices of npu! (in ", name_, ")");
  }

  /// As torch has it: the CPU cannot see that tensors have memory in common, since each has it by
  /// itself there.
  void require_no_overlap() const {
    for (const Pair& written : pairs_) {
      if (!written.written) continue;
      for (const Pair& other : pairs_) {
        if (&other != &written) at::assert_no_partial_overlap(written.tensor, other.tensor);
      }
    }
  }

  /// The tensor of npu for a result.
  Tensor npu(const Tensor& result) const {
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

  /// Tensors that the operator gave another size, or other memory on the way to the same.
  void take_sizes() const {
    for (const Pair& pair : pairs_) {
      const bool same = !pair.wide && pair.seen.sizes() == pair.tensor.sizes() &&
                        (pair.seen.numel() == 0 || pair.seen.data_ptr() == pair.tensor.data_ptr());
      if (!pair.written || same) continue;
      pair.tensor.resize_(pair.seen.sizes());
      if (pair.seen.numel() > 0) seen_by_host(pair.tensor).copy_(pair.seen);
    }
  }

 private:
  struct Pair {
    Tensor tensor, seen;
    bool written, wide;  ///< wide: `seen` is a copy of float
  };

  /// Results of what was widened have the type of the first tensor, unless another one is asked.
  at::ScalarType type_of(const Tensor& result) const {
    const bool narrow = widen_ && !asked_ && result.scalar_type() == at::kFloat &&
                        first_.has_value() && is_short(*first_);
    return narrow ? *first_ : result.scalar_type();
  }
  std::string name_;
  std::vector<Pair> pairs_;
  c10::Device device_{c10::DeviceType::PrivateUse1, -1};
  bool npu_tensor_ = false, host_tensor_ = false, other_npu_ = false;
  bool widen_, asked_ = false;
  c10::optional<at::ScalarType> first_;  ///< of a tensor of numbers with a point
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

/// Whether an argument names a type: dtype, input_dtype.
bool is_type(const std::string& name) {
  const std::string end = "dtype";
  return name.size() >= end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
}

/// Replaces the arguments, which are the last of the stack, by what the host sees of them.
void give(const c10::FunctionSchema& schema, Call& call, torch::jit::Stack* stack) {
  const std::size_t count = schema.arguments().size();
  const std::size_t first = stack->size() - count;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& argument = schema.arguments()[i];
    const auto* alias = argument.alias_info();
    c10::IValue& value = (*stack)[first + i];
    value = value.isInt() && is_type(argument.name())
                ? call.type(value)
                : host_value(call, value, alias != nullptr && alias->isWrite());
  }
  call.require_one_device();
  call.require_no_overlap();
}

/// Runs an operator whose arguments are the last of the stack, which its results take the place of.
void run(const c10::OperatorHandle& op, torch::jit::Stack* stack, bool widen) {
  const c10::FunctionSchema& schema = op.schema();
  Call call(schema.name(), widen);
  give(schema, call, stack);
  op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
  call.take_sizes();
  const std::size_t results = schema.returns().size();
  for (std::size_t i = stack->size() - results; i < stack->size(); ++i) {
    (*stack)[i] = npu_value(call, (*stack)[i]);
  }
}

/// What torch says of an operator that the CPU does not do with numbers of 16 bits.
bool lacks_short_numbers(const c10::Error& error) {
  const std::string text = error.what_without_backtrace();
  return text.find("not implemented for 'Half'") != std::string::npos ||
         text.find("not implemented for 'BFloat16'") != std::string::npos;
}

/// The same, in float where it has to be. Returns whether it was.
bool run_by_either(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const torch::jit::Stack given = *stack;
  try {
    run(op, stack, false);
    return false;
  } catch (const c10::Error& error) {
    if (!lacks_short_numbers(error)) throw;
    *stack = given;
    run(op, stack, true);
    return true;
  }
}

std::vector<Tensor> tensors_of(const c10::IValue& value) {
  if (value.isTensor()) return {value.toTensor()};
  return value.isTensorList() ? value.toTensorVector() : std::vector<Tensor>();
}

/// Writes what an operator gave to the tensors of npu that the capture made for it.
void put_results(const torch::jit::Stack& results, const torch::jit::Stack& made) {
  for (std::size_t i = 0; i < made.size(); ++i) {
    const std::vector<Tensor> from = tensors_of(results[i]), to = tensors_of(made[i]);
    for (std::size_t n = 0; n < to.size(); ++n) {
      if (!to[n].defined() || to[n].numel() == 0) continue;
      TORCH_CHECK(from[n].sizes() == to[n].sizes(), "a result has the shape ", from[n].sizes(),
                  " and had ", to[n].sizes(), " when the graph was captured");
      if (from[n].data_ptr() != to[n].data_ptr()) seen_by_host(to[n]).copy_(from[n]);
    }
  }
}

/// Bytes of the tensors that a call writes, which come back in the end.
class Unchanged {
 public:
  Unchanged(const c10::FunctionSchema& schema, const torch::jit::Stack& stack) {
    const std::size_t first = stack.size() - schema.arguments().size();
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
      const auto* alias = schema.arguments()[i].alias_info();
      if (alias == nullptr || !alias->isWrite()) continue;
      for (const Tensor& tensor : tensors_of(stack[first + i])) {
        if (on_npu(tensor)) kept_.emplace_back(tensor, seen_by_host(tensor).clone());
      }
    }
  }
  ~Unchanged() {
    for (const auto& [tensor, before] : kept_) {
      if (tensor.sizes() == before.sizes()) seen_by_host(tensor).copy_(before);
    }
  }
  Unchanged(const Unchanged&) = delete;
  Unchanged& operator=(const Unchanged&) = delete;

 private:
  std::vector<std::pair<Tensor, Tensor>> kept_;
};

void capture(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::size_t arguments = schema.arguments().size(), count = schema.returns().size();
  const torch::jit::Stack given(stack->end() - static_cast<std::ptrdiff_t>(arguments),
                                stack->end());
  bool widen = false;
  {
    const Unchanged unchanged(schema, *stack);
    widen = run_by_either(op, stack);
  }
  const torch::jit::Stack made(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
  for (const c10::IValue& value : made) {
    TORCH_CHECK(value.isTensor() || value.isTensorList(), schema.name(),
                " gives a value to the host, which is not known while a graph is captured");
  }
  c10_npu::graph::keep([op, given, made, widen] {
    Call call(op.schema().name(), widen);
    torch::jit::Stack again = given;
    give(op.schema(), call, &again);
    op.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &again);
    call.take_sizes();
    put_results(again, made);
  });
}

void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  TORCH_CHECK(op.hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
                  op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
                  schema.name().rfind("aten::", 0) == 0,
              "Could not run '", schema.name(),
              "' with arguments from the 'npu' backend: it has an implementation neither for "
              "PrivateUse1 nor for CPU");
  if (c10_npu::graph::capturing()) return capture(op, stack);
  c10_npu::device_synchronize();
  run_by_either(op, stack);
}

// Torch has convolutions of an unknown device done by operators that the CPU does not have.

/// The tensors of npu for what `compute` gives on the host by what a call sees.
template <class Compute>
std::vector<Tensor> made_on_host(const char* name, Compute compute) {
  const bool kept = c10_npu::graph::capturing();
  if (!kept) c10_npu::device_synchronize();
  Call call(name, true);
  std::vector<Tensor> made;
  for (const Tensor& result : compute(call)) made.push_back(call.npu(result));
  if (kept) {
    c10_npu::graph::keep([name, compute, made] {
      Call again(name, true);
      put_results({c10::IValue(compute(again))}, {c10::IValue(made)});
    });
  }
  return made;
}

Tensor convolution(const Tensor& input, const Tensor& weight, const c10::optional<Tensor>& bias,
                   at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation,
                   bool transposed, at::IntArrayRef output_padding, int64_t groups) {
  const Tensor offset = bias.has_value() ? *bias : Tensor();
  return made_on_host("aten::convolution", [=, stride = stride.vec(), padding = padding.vec(),
                                            dilation = dilation.vec(),
                                            output_padding = output_padding.vec()](Call& call) {
    const Tensor x = call.host(input, false), w = call.host(weight, false);
    const Tensor b = call.host(offset, false);
    call.require_one_device();
    return std::vector<Tensor>{
        at::convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups)};
  })[0];
}

std::tuple<Tensor, Tensor, Tensor> convolution_backward(
    const Tensor& gradient, const Tensor& input, const Tensor& weight, at::IntArrayRef stride,
    at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
    at::IntArrayRef output_padding, int64_t groups, std::array<bool, 3> wanted) {
  const std::vector<Tensor> made =
      made_on_host("aten::convolution_backward",
                   [=, stride = stride.vec(), padding = padding.vec(), dilation = dilation.vec(),
                    output_padding = output_padding.vec()](Call& call) {
                     const Tensor g = call.host(gradient, false), x = call.host(input, false);
                     const Tensor w = call.host(weight, false);
                     call.require_one_device();
                     const int64_t channels[] = {gradient.size(1)};
                     const auto [of_input, of_weight, of_bias] = at::convolution_backward(
                         g, x, w, at::OptionalIntArrayRef(at::IntArrayRef(channels)), stride,
                         padding, dilation, transposed, output_padding, groups, wanted);
                     return std::vector<Tensor>{of_input, of_weight, of_bias};
                   });
  return {made[0], made[1], made[2]};
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("convolution_overrideable", TORCH_FN(convolution));
  m.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
}

}  // namespace
}  // namespace at_npu::native
