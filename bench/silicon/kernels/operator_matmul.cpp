// The matmul operator of this project, for products whose kernel is a vendor's.
#include "bench/silicon/kernels/operator_launch.hpp"
#include "bench/silicon/kernels/operator_type.hpp"
#include "kernels/matmul/tiling.hpp"
#include "kernels/registry/operator.hpp"

namespace davsim::silicon {
namespace {

/// Products of as many rows each, every one times a matrix of its own: one launch of the operator's
/// kernel for all.
std::function<observe::LaunchReport()> launch_of(sim::Device& device, const Params& params,
                                                 std::uint32_t groups, const KernelReads& reads) {
  operators::matmul::Problem p;
  p.batches = groups;
  p.m = static_cast<std::int64_t>(ceil_div(params.number("m"), groups));
  p.n = params.number("n");
  p.k = params.number("k");
  p.a = {false, false, p.m, p.k, p.m * p.k};
  p.b = {params.number("b_transposed", 0) != 0, false, p.k, p.n, p.k * p.n};
  if (p.b.transposed) std::swap(p.b.rows, p.b.cols);
  p.c_batch_distance = p.m * p.n;
  p.input = p.output = type_named(params.text("type", "half"));
  const auto tensor = [&](std::int64_t rows, std::int64_t cols, const char* name) {
    return operators::Tensor(device.memory(), p.input, {p.batches, rows, cols}, name);
  };
  const operators::Tensor a = tensor(p.m, p.k, "a"), b = tensor(p.k, p.n, "b"),
                          c = tensor(p.m, p.n, "c");
  const operators::matmul::Plan plan =
      operators::matmul::plan(p, operators::matmul::Machine::of(device.soc()));
  const Preamble preamble = Preamble::of(device, params, reads);
  return [=, &device] {
    std::uint8_t* const no_bias = nullptr;
    return launch_for_vendor(device, preamble, "matmul", plan.block_dim, a.gm(), b.gm(), no_bias,
                             c.gm(), plan.tiling);
  };
}

/// The vendor's kernels read TCubeTiling and how the product is cut for L2.
std::function<observe::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  return launch_of(device, params, 1, {.tiling = 288});
}

/// They read GMMBaseParams and TCubeTiling, the lists of m, k and n, the group list, and three
/// descriptors.
std::function<observe::LaunchReport()> prepare_grouped(sim::Device& device, const Params& params) {
  return launch_of(device, params, params.number("groups"), {.tiling = 328, .scalars = 7});
}

const KernelRegistrar g_matmul({"matmul", "the operator matmul: m n k [type]", prepare});
const KernelRegistrar g_grouped_matmul({"grouped_matmul",
                                        "the kernel of the operator matmul, one product a group: "
                                        "groups m n k [type b_transposed tiling "
                                        "scalars]",
                                        prepare_grouped});

}  // namespace
}  // namespace davsim::silicon
