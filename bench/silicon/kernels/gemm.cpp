// The matrix products of the vendor's samples whose result leaves the cube as it is or rounded to
// half.
#include "bench/silicon/kernels/gemm_core.hpp"
#include "bench/silicon/kernels/preamble.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

template <class TIn, class TAcc, class TOut>
std::function<observe::LaunchReport()> prepare_as(sim::Device& device, const Gemm& g,
                                                  const Preamble& preamble) {
  TIn* a = allocate<TIn>(device, std::uint64_t{g.m} * g.k, "a");
  TIn* b = allocate<TIn>(device, g.groups * stored_b_elements<TIn>(g), "b");
  TOut* c = allocate<TOut>(device, std::uint64_t{g.m} * g.n, "c");
  return [=, &device] {
    const isa::KernelEntry entry{"gemm", isa::KernelType::kAicOnly, nullptr, nullptr};
    const auto run = [=] {
      preamble();
      StoredB<TIn> stored(g, b);
      RowMajorOutput<TAcc, TOut> output(g, c);
      GemmCore<TIn, TAcc, StoredB<TIn>, RowMajorOutput<TAcc, TOut>>(g, a, stored, output).run();
    };
    return device.launch(entry, g.cores, run, {});
  };
}

std::function<observe::LaunchReport()> prepare(sim::Device& device, const Params& params) {
  const Gemm g = Gemm::of(device, params);
  if (g.split_k > 1) {
    throw std::invalid_argument("split_k=" + std::to_string(g.split_k) +
                                "; gemm has nothing that adds up parts of k");
  }
  g.require_short_rows();
  const Preamble preamble = Preamble::of(device, params, {.tiling = kCubeTiling});
  const std::string in = params.choice("in", {"half", "int8", "float"});
  if (in == "int8") {
    params.choice("out", {"half"});
    return prepare_as<std::int8_t, std::int32_t, half>(device, g, preamble);
  }
  if (in == "float") {
    params.choice("out", {"float"});
    return prepare_as<float, float, float>(device, g, preamble);
  }
  if (params.choice("out", {"half", "float"}) == "float")
    return prepare_as<half, float, float>(device, g, preamble);
  return prepare_as<half, float, half>(device, g, preamble);
}

const KernelRegistrar g_gemm(
    {"gemm",
     "C = A x B of base tiles: m n k [base_m base_n base_k step_k depth split_m cores groups "
     "unit_flag b_transposed b_nz order stagger in out]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
