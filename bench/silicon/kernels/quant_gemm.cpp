// int8 products whose sums the vector cores turn into half or bfloat16.
#include "bench/silicon/kernels/dequant_core.hpp"
#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace dequant;

/// The vendor's sample of products of groups deals four tiles beside each other to a core, which
/// keeps all of k of A in L1 for them.
void deal_as_sample(Gemm& g) {
  g.unit_flag = g.dealt = true;
  g.dealt_n = 4;
}

template <class TOut>
Launch prepare_as(sim::Device& device, const Params& params) {
  Gemm g = Gemm::of(device, params);
  const bool sample = params.number("gelu", 0) != 0;
  if (sample) deal_as_sample(g);
  const Epilogue epilogue{params.number("slots", 2), params.number("per_token", 0) != 0,
                          params.number("bias", 0) != 0, sample};
  Matrices<TOut> gm{};
  gm.a = allocate<std::int8_t>(device, std::uint64_t{g.m} * g.k, "a");
  gm.b = allocate<std::int8_t>(device, std::uint64_t{g.groups} * g.k * g.n, "b");
  const std::uint64_t sums = g.split_k > 1
                                 ? std::uint64_t{g.split_k} * g.m * g.n
                                 : std::uint64_t{g.cores} * epilogue.slots * g.base_m * g.base_n;
  gm.sums = allocate<std::int32_t>(device, sums, "sums");
  gm.channel_scale = allocate<float>(device, g.n, "channel_scale");
  gm.token_scale = allocate<float>(device, g.m, "token_scale");
  gm.bias = allocate<float>(device, g.n, "bias");
  gm.c = allocate<TOut>(device, std::uint64_t{g.m} * g.n, "c");
  // The sample's tiling is known when it is compiled.
  const Preamble preamble =
      Preamble::of(device, params, {.tiling = sample ? 0 : kCubeTiling + 128});
  const auto cube = [=] {
    preamble();
    SumsOutput output(g, epilogue.slots, gm.sums);
    StoredB<std::int8_t> b(g, gm.b);
    const auto run = [&]<bool whole_a>() {
      GemmCore<std::int8_t, std::int32_t, StoredB<std::int8_t>, SumsOutput, whole_a>(g, gm.a, b,
                                                                                     output)
          .run();
    };
    if (sample) {
      run.template operator()<true>();
    } else {
      run.template operator()<false>();
    }
    output.finish();
  };
  return launch_of(device, "quant_gemm", isa::KernelType::kMix12, g.cores, cube, [=] {
    preamble();
    Dequant<TOut>(g, epilogue, gm).run();
  });
}

Launch prepare(sim::Device& device, const Params& params) {
  if (params.text("out", "half") == "bfloat16") return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

const KernelRegistrar g_quant_gemm(
    {"quant_gemm",
     "int8 products made real by the vector cores: m n k [those of gemm, split_k slots per_token "
     "bias gelu out]; with gelu as the vendor's sample of products of groups",
     prepare});

}  // namespace
}  // namespace davsim::silicon
