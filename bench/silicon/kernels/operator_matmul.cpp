// The matmul operator of this project, for products whose kernel is a vendor's.
#include "bench/silicon/kernels/gm.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::silicon {
namespace {

isa::DType type_named(const std::string& name) {
  if (name == "float") return isa::DType::kF32;
  if (name == "bfloat16") return isa::DType::kBF16;
  if (name == "int8") return isa::DType::kI8;
  return isa::DType::kF16;
}

std::function<traces::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const std::int64_t m = params.number("m"), n = params.number("n"), k = params.number("k");
  const isa::DType type = type_named(params.text("type", "half"));
  ops::Call call;
  call.tensors["a"] = ops::Tensor(device.memory(), type, {m, k}, "a");
  call.tensors["b"] = ops::Tensor(device.memory(), type, {k, n}, "b");
  return [=, &device] { return ops::run(ops::find_operator("matmul"), call, device).report; };
}

const KernelRegistrar g_matmul({"matmul", "the operator matmul: m n k [type]", prepare});

}  // namespace
}  // namespace davsim::silicon
