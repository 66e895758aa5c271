// Operators that nobody has for npu. The memory of its tensors has ordinary addresses, so they are
// done on the CPU in place, after the device has ended what was queued. With numbers of 16 bits
// that the CPU has no kernel for they are done in float, and rounded. While a graph is captured
// they are done for the shapes of their results, leave what they write as it was, and are kept.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <torch/library.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "graph.hpp"
#include "host_call.hpp"
#include "seen_by_host.hpp"
#include "torch_npu/csrc/core/npu/NPUCachingAllocator.h"
#include "torch_npu/csrc/core/npu/NPUFunctions.h"
#include "torch_npu/csrc/core/npu/NPUGuard.h"

namespace at_npu::native {
namespace {

using at::Tensor;

c10::IValue host_value(HostCall& call, const c10::IValue& value, bool written) {
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

c10::IValue npu_value(const HostCall& call, const c10::IValue& value) {
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
void give(const c10::FunctionSchema& schema, HostCall& call, torch::jit::Stack* stack) {
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
  HostCall call(schema.name(), widen);
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
    HostCall call(op.schema().name(), widen);
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
  HostCall call(name, true);
  std::vector<Tensor> made;
  for (const Tensor& result : compute(call)) made.push_back(call.npu(result));
  if (kept) {
    c10_npu::graph::keep([name, compute, made] {
      HostCall again(name, true);
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
                                            output_padding = output_padding.vec()](HostCall& call) {
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
                    output_padding = output_padding.vec()](HostCall& call) {
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
  // The implementation of torch for any device divides by the number of rows.
  m.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
  m.impl("convolution_overrideable", TORCH_FN(convolution));
  m.impl("convolution_backward_overrideable", TORCH_FN(convolution_backward));
}

}  // namespace
}  // namespace at_npu::native
