// An operator project's aclnnAddCustom with tensors of torch: EXEC_NPU_CMD finds its two functions
// in libcust_opapi.so, which the project examples/custom_operator builds.
#include <torch/extension.h>

#include "op_plugin/utils/op_api_common.h"

namespace {

at::Tensor add_custom(const at::Tensor& x, const at::Tensor& y, double alpha) {
  at::Tensor z = at::empty_like(x);
  EXEC_NPU_CMD(aclnnAddCustom, x, y, alpha, z);
  return z;
}

}  // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("add_custom", &add_custom, "x + alpha * y");
}
