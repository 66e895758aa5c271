// An operator of torch, torch.ops.example.add_scaled, for tensors on npu, with its gradient.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>
#include <torch/torch.h>

#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "torch_npu/csrc/framework/OpCommand.h"
#include "torch_npu/csrc/framework/utils/OpPreparation.h"

extern "C" void add_scaled_do(uint32_t blocks, void* stream, void* x, void* y, void* z,
                              uint32_t length, float alpha);

namespace {

at::Tensor add_scaled_npu(const at::Tensor& x, const at::Tensor& y, double alpha) {
  const at::Tensor left = x.contiguous(), right = y.contiguous();
  at::Tensor z = at_npu::native::OpPreparation::apply_tensor_without_format(left);
  aclrtStream stream = c10_npu::getCurrentNPUStream().stream();
  at_npu::native::OpCommand cmd;
  cmd.Name("add_scaled");
  cmd.SetCustomHandler([=]() -> int {
    add_scaled_do(8, stream, left.data_ptr(), right.data_ptr(), z.data_ptr(),
                  static_cast<uint32_t>(left.numel()), static_cast<float>(alpha));
    return 0;
  });
  cmd.Run();
  return z;
}

class AddScaled : public torch::autograd::Function<AddScaled> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            const at::Tensor& y, double alpha) {
    at::AutoDispatchBelowADInplaceOrView below;
    context->saved_data["alpha"] = alpha;
    return add_scaled_npu(x, y, alpha);
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list gradients) {
    return {gradients[0] * context->saved_data["alpha"].toDouble(), gradients[0], at::Tensor()};
  }
};

at::Tensor add_scaled_autograd(const at::Tensor& x, const at::Tensor& y, double alpha) {
  return AddScaled::apply(x, y, alpha);
}

}  // namespace

TORCH_LIBRARY(example, m) {
  m.def("add_scaled(Tensor x, Tensor y, float alpha=1.0) -> Tensor");
}
TORCH_LIBRARY_IMPL(example, PrivateUse1, m) {
  m.impl("add_scaled", &add_scaled_npu);
}
TORCH_LIBRARY_IMPL(example, AutogradPrivateUse1, m) {
  m.impl("add_scaled", &add_scaled_autograd);
}
