// Autocast on npu: where it is on, products and convolutions take numbers of 16 bits, and what
// needs the range or the sums of float takes float, by torch's own lists for accelerators.
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include "seen_by_host.hpp"

namespace at_npu::native {
namespace {

using at::Tensor;

#if TORCH_VERSION_MAJOR < 2
// torch 1.13 has no key for other devices, and no device of this one.
constexpr auto kKey = c10::DispatchKey::AutocastXPU;
#else
constexpr auto kKey = c10::DispatchKey::AutocastPrivateUse1;
#endif

thread_local bool t_on = false;
thread_local at::ScalarType t_dtype = at::kHalf;

bool is_cast(const Tensor& tensor) {
  return on_npu(tensor) && tensor.is_floating_point() && tensor.scalar_type() != at::kDouble;
}

/// Applies `change` to each tensor of a value.
template <class Change>
c10::IValue changed(const c10::IValue& value, const Change& change) {
  if (value.isTensor()) return change(value.toTensor());
  if (value.isTensorList()) {
    c10::List<Tensor> list;
    for (const Tensor& tensor : value.toTensorVector()) list.push_back(change(tensor));
    return list;
  }
  return value;
}

/// Calls an operator with the arguments on npu, which are the last of the stack, in a type.
void call_in(at::ScalarType type, const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard off(kKey);
  for (std::size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    (*stack)[i] = changed((*stack)[i], [type](const Tensor& tensor) {
      return is_cast(tensor) ? tensor.to(type) : tensor;
    });
  }
  op.callBoxed(stack);
}

void in_short(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  call_in(t_dtype, op, stack);
}
void in_float(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  call_in(at::kFloat, op, stack);
}
/// In the widest type of the arguments.
void in_widest(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  at::ScalarType widest = t_dtype;
  for (std::size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    changed((*stack)[i], [&widest](const Tensor& tensor) {
      if (is_cast(tensor)) widest = at::promote_types(widest, tensor.scalar_type());
      return tensor;
    });
  }
  call_in(widest, op, stack);
}

#if TORCH_VERSION_MAJOR < 2
TORCH_LIBRARY_IMPL(_, AutocastXPU, m) {
  m.fallback(torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, AutocastXPU, m) {
#else
TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
#endif
  for (const char* name : {"_convolution",
                           "conv1d",
                           "conv2d",
                           "conv3d",
                           "conv_tbc",
                           "conv_transpose1d",
                           "conv_transpose2d.input",
                           "conv_transpose3d.input",
                           "convolution",
                           "prelu",
                           "addmm",
                           "addmv",
                           "addr",
                           "matmul",
                           "einsum",
                           "mm",
                           "mv",
                           "linear",
                           "addbmm",
                           "baddbmm",
                           "bmm",
                           "chain_matmul",
                           "linalg_multi_dot"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&in_short>());
  }
  for (const char* name : {"acos",
                           "asin",
                           "cosh",
                           "erfinv",
                           "exp",
                           "expm1",
                           "log",
                           "log10",
                           "log2",
                           "log1p",
                           "reciprocal",
                           "rsqrt",
                           "sinh",
                           "tan",
                           "pow.Tensor_Scalar",
                           "pow.Tensor_Tensor",
                           "pow.Scalar",
                           "softplus",
                           "layer_norm",
                           "group_norm",
                           "frobenius_norm.dim",
                           "nuclear_norm",
                           "nuclear_norm.dim",
                           "cosine_similarity",
                           "poisson_nll_loss",
                           "cosine_embedding_loss",
                           "nll_loss",
                           "nll_loss2d",
                           "hinge_embedding_loss",
                           "kl_div",
                           "l1_loss",
                           "smooth_l1_loss",
                           "huber_loss",
                           "mse_loss",
                           "margin_ranking_loss",
                           "multilabel_margin_loss",
                           "soft_margin_loss",
                           "triplet_margin_loss",
                           "multi_margin_loss",
                           "binary_cross_entropy_with_logits",
                           "dist",
                           "pdist",
                           "cdist",
                           "renorm",
                           "logsumexp",
                           "prod",
                           "prod.dim_int",
                           "softmax.int",
                           "log_softmax.int",
                           "cumprod",
                           "cumsum",
                           "sum",
                           "sum.dim_IntList",
                           "norm.Scalar",
                           "norm.ScalarOpt_dim"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&in_float>());
  }
  for (const char* name :
       {"addcdiv", "addcmul", "atan2", "bilinear", "cross", "dot", "grid_sampler", "index_put",
        "tensordot", "scatter_add", "cat", "stack"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&in_widest>());
  }
}

}  // namespace
}  // namespace at_npu::native

/// Sets whether autocast is on in the thread, and its type, a number of torch; gives what was: the
/// type, and 256 more where it was on.
extern "C" int davsim_torch_autocast(int on, int type) {
  using at_npu::native::t_dtype, at_npu::native::t_on, at_npu::native::kKey;
  const int before = static_cast<int>(t_dtype) + (t_on ? 256 : 0);
  t_on = on != 0;
  t_dtype = static_cast<at::ScalarType>(type);
  c10::impl::tls_set_dispatch_key_included(kKey, t_on);
  c10::impl::tls_set_dispatch_key_excluded(kKey, !t_on);
  return before;
}
