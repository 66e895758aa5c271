// int8 products whose sums the vector cores turn into half or bfloat16, by basic instructions or by
// the high-level API: a Matmul object of the cube cores, AscendDequant of the vector cores.
#include "bench/silicon/kernels/dequant_core.hpp"
#include "bench/silicon/kernels/launch.hpp"
#include "lib/matmul_intf.h"

namespace davsim::silicon {
namespace {

using namespace dequant;

/// The vendor's sample of products of groups deals four tiles beside each other to a core, which
/// keeps all of k of A in L1 for them.
void deal_as_sample(Gemm& g) {
  g.unit_flag = g.dealt = true;
  g.dealt_n = 4;
}

/// What comes of the parameters, whoever multiplies.
template <class TOut>
struct Job {
  Gemm g;
  Epilogue epilogue;
  Matrices<TOut> gm;
  Preamble preamble;
  TCubeTiling tiling;

  static Job of(sim::Device& device, const Params& params) {
    Gemm g = Gemm::of(device, params);
    const bool sample = params.number("gelu", 0) != 0;
    if (sample) deal_as_sample(g);
    const Epilogue epilogue{params.size("slots", 2), params.number("per_token", 0) != 0,
                            params.number("bias", 0) != 0, sample};
    Matrices<TOut> gm{};
    gm.a = allocate<std::int8_t>(device, std::uint64_t{g.m} * g.k, "a");
    gm.b = allocate<std::int8_t>(device, g.groups * stored_b_elements<std::int8_t>(g), "b");
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
    return {g, epilogue, gm, preamble, tiling_of(g, params)};
  }

 private:
  /// Of a Matmul object: as many tiles beside each other as are dealt together are one product.
  static TCubeTiling tiling_of(const Gemm& g, const Params& params) {
    const auto of = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
    TCubeTiling t;
    t.M = of(g.m), t.N = of(g.n), t.Ka = t.Kb = t.singleCoreK = of(g.k);
    t.baseM = t.singleCoreM = of(g.base_m);
    t.baseN = of(g.base_n), t.singleCoreN = of(g.base_n * g.dealt_n);
    t.baseK = of(g.base_k);
    t.stepM = t.stepN = 1;
    t.stepKa = of(params.size("step_ka", g.step_k));
    t.stepKb = of(g.step_k);
    t.depthA1 = t.stepKa * of(g.depth), t.depthB1 = t.stepKb * of(g.depth);
    t.iterateOrder = 1;
    t.dbL0A = t.dbL0B = 2;
    t.dbL0C = 1;
    return t;
  }
};

template <class TOut>
Launch by_basic_calls(sim::Device& device, const Job<TOut>& job) {
  job.g.require_short_rows();
  const auto cube = [=] {
    job.preamble();
    const Gemm& g = job.g;
    SumsOutput output(g, job.epilogue.slots, job.gm.sums);
    StoredB<std::int8_t> b(g, job.gm.b);
    const auto run = [&]<bool whole_a>() {
      GemmCore<std::int8_t, std::int32_t, StoredB<std::int8_t>, SumsOutput, whole_a>(g, job.gm.a, b,
                                                                                     output)
          .run();
    };
    if (g.dealt) {
      run.template operator()<true>();
    } else {
      run.template operator()<false>();
    }
    output.finish();
  };
  return launch_of(device, "quant_gemm", isa::KernelType::kMix12, job.g.cores, cube, [=] {
    job.preamble();
    Dequant<TOut>(job.g, job.epilogue, job.gm).run();
  });
}

// --- by the high-level API -----------------------------------------------------------------------

constexpr MatmulConfig kByBlocks = GetMDLConfig(false, false, 0, false, false, false, true);

/// The cube's part: an object whose blocks go to the slots, as the published kernels use it.
template <CubeFormat format>
class ObjectOfCube {
  template <CubeFormat of, class T>
  using In = MatmulType<TPosition::GM, of, T>;
  using Sums = MatmulType<TPosition::GM, CubeFormat::ND, std::int32_t>;

 public:
  template <class TOut>
  void run(const Job<TOut>& job) {
    const Gemm& g = job.g;
    object_.Init(&job.tiling, &pipe_);
    const std::uint64_t of_group = stored_b_elements<std::int8_t>(g),
                        apart = format == CubeFormat::NZ ? stored_b<std::int8_t>(g).rows : 1;
    const auto b = global(job.gm.b, g.groups * of_group);
    const auto tiles = tiles_of(g, static_cast<std::uint32_t>(GetBlockIdx()));
    for (std::size_t i = 0; i < tiles.size();) {
      const GemmTile& first = tiles[i];
      std::uint32_t cols = 0;
      const std::size_t end = std::min<std::size_t>(tiles.size(), i + g.dealt_n);
      for (; i < end && tiles[i].row == first.row; ++i) cols += tiles[i].cols;
      object_.SetSingleShape(static_cast<int>(first.rows), static_cast<int>(cols),
                             static_cast<int>(g.k));
      object_.SetTensorA(
          global(job.gm.a, std::uint64_t{g.m} * g.k)[std::uint64_t{first.row} * g.k]);
      object_.SetTensorB(b[first.group * of_group + first.col * apart]);
      while (object_.Iterate()) put(job);
    }
    object_.End();
  }

 private:
  template <class TOut>
  void put(const Job<TOut>& job) {
    const std::uint32_t slots = job.epilogue.slots;
    if (done_ >= slots) CrossCoreWaitFlag<2, PIPE_FIX>(kSlotFree);
    const std::uint64_t slot = GetBlockIdx() * slots + done_ % slots;
    object_.GetTensorC(global(job.gm.sums, ~std::uint32_t{0})[slot * job.g.base_m * job.g.base_n],
                       0, true);
    ++done_;
    CrossCoreSetFlag<2, PIPE_FIX>(kSumsReady);
  }

  TPipe pipe_;
  MatmulImpl<In<CubeFormat::ND, std::int8_t>, In<format, std::int8_t>, Sums, Sums, kByBlocks>
      object_;
  std::uint64_t done_ = 0;
};

template <class TOut>
Launch by_library(sim::Device& device, const Job<TOut>& job) {
  if (job.g.split_k > 1 || job.g.b_transposed) {
    throw std::invalid_argument("by=object takes neither split_k nor b_transposed");
  }
  const auto cube = [=] {
    job.preamble();
    if (job.g.b_nz) {
      ObjectOfCube<CubeFormat::NZ>().run(job);
    } else {
      ObjectOfCube<CubeFormat::ND>().run(job);
    }
  };
  return launch_of(device, "quant_gemm", isa::KernelType::kMix12, job.g.cores, cube, [=] {
    job.preamble();
    Dequant<TOut, true>(job.g, job.epilogue, job.gm).run();
  });
}

template <class TOut>
Launch prepare_as(sim::Device& device, const Params& params) {
  const Job<TOut> job = Job<TOut>::of(device, params);
  if (params.choice("by", {"calls", "object"}) == "object") return by_library(device, job);
  return by_basic_calls(device, job);
}

Launch prepare(sim::Device& device, const Params& params) {
  if (params.choice("out", {"half", "bfloat16"}) == "bfloat16")
    return prepare_as<bfloat16_t>(device, params);
  return prepare_as<half>(device, params);
}

std::string high_level(const Params& params) {
  if (params.text("by", "calls") != "object") return "";
  std::string calls = "Matmul, AscendDequant";
  if (params.number("per_token", 0) != 0) calls += ", BroadCast";
  if (params.number("gelu", 0) != 0) calls += ", FasterGelu";
  return calls;
}

const KernelRegistrar g_quant_gemm(
    {"quant_gemm",
     "int8 products made real by the vector cores: m n k [those of gemm, split_k slots per_token "
     "bias gelu out by=calls|object step_ka]; with gelu as the vendor's sample of products of "
     "groups",
     prepare, false, high_level});

}  // namespace
}  // namespace davsim::silicon
