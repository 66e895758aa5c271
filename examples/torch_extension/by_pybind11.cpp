// A module of Python: its functions take tensors on npu and launch the kernel on the current
// stream.
#include <torch/extension.h>

#include "torch_npu/csrc/core/npu/NPUStream.h"

#ifdef WITH_LAUNCH_HEADER
#include "aclrtlaunch_add_scaled.h"
#else
extern "C" void add_scaled_do(uint32_t blocks, void* stream, void* x, void* y, void* z,
                              uint32_t length, float alpha);
#endif

namespace {

constexpr uint32_t kBlocks = 8;

at::Tensor add_scaled(const at::Tensor& x, const at::Tensor& y, double alpha) {
  TORCH_CHECK(x.sizes() == y.sizes(), "x and y have the same shape; found ", x.sizes(), " and ",
              y.sizes());
  TORCH_CHECK(x.scalar_type() == at::kFloat && y.scalar_type() == at::kFloat,
              "x and y are float32");
  at::Tensor z = at::empty_like(x);
  auto stream = c10_npu::getCurrentNPUStream().stream(false);
  const auto length = static_cast<uint32_t>(x.numel());
#ifdef WITH_LAUNCH_HEADER
  ACLRT_LAUNCH_KERNEL(add_scaled)
  (kBlocks, stream, x.data_ptr(), y.data_ptr(), z.mutable_data_ptr(), length,
   static_cast<float>(alpha));
#else
  add_scaled_do(kBlocks, stream, x.data_ptr(), y.data_ptr(), z.mutable_data_ptr(), length,
                static_cast<float>(alpha));
#endif
  return z;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("add_scaled", &add_scaled, "alpha * x + y", pybind11::arg("x"), pybind11::arg("y"),
        pybind11::arg("alpha") = 1.0);
}
