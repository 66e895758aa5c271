// Products by the Matmul object of the kernel API, as the vendor's samples of its Matmul interface
// compute them: on cube cores alone, or asked for by the vector cores of mixed kernels.
#include "lib/matmul_intf.h"

#include "bench/silicon/kernels/launch.hpp"

namespace davsim::silicon {
namespace {

using namespace AscendC;

/// A product and how it is cut.
struct Job {
  TCubeTiling tiling;
  Preamble preamble;
  std::uint32_t askers;  ///< cores that ask for parts
  bool alone;            ///< one vector core for a cube core asks
  std::uint32_t bands;   ///< of rows of A, which the parts cover one after the other
  void *a, *b, *c;
  std::uint64_t* words;  ///< of int8 products, which become half: one for each column
};

/// Parts of C, or of a band of its rows, lie along m first.
struct Part {
  std::uint32_t row, col, rows, cols;

  static Part of(const Job& job, std::uint32_t asker) {
    const TCubeTiling& t = job.tiling;
    const auto at = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    const std::uint32_t m = at(t.M) / job.bands;
    const auto high = static_cast<std::uint32_t>(ceil_div(m, at(t.singleCoreM)));
    const std::uint32_t row = asker % high * at(t.singleCoreM),
                        col = asker / high * at(t.singleCoreN);
    if (col >= at(t.N)) return {};
    return {row, col, std::min(at(t.singleCoreM), m - row),
            std::min(at(t.singleCoreN), at(t.N) - col)};
  }
};

template <bool shared, bool transposed = false, class T = half>
using In = MatmulType<TPosition::GM, CubeFormat::ND, T, transposed, LayoutMode::NONE, shared>;
template <class T>
using Out = MatmulType<TPosition::GM, CubeFormat::ND, T>;

template <bool transposed, class T, class TIn = half, class Object>
void ask(Object& object, const Job& job, const Part& part) {
  const TCubeTiling& t = job.tiling;
  const auto k = static_cast<std::uint64_t>(t.Ka), n = static_cast<std::uint64_t>(t.N);
  const auto m = static_cast<std::uint64_t>(t.M);
  object.SetTail(static_cast<int>(part.rows), static_cast<int>(part.cols));
  if constexpr (std::is_same_v<TIn, std::int8_t>) {
    object.SetQuantVector(global(job.words, n)[part.col]);
  }
  for (std::uint32_t band = 0; band < job.bands; ++band) {
    const std::uint64_t row = m / job.bands * band + part.row;
    object.SetTensorA(global(static_cast<TIn*>(job.a), m * k)[row * k]);
    object.SetTensorB(global(static_cast<TIn*>(job.b), k * n)[part.col * (transposed ? k : 1)],
                      transposed);
    object.IterateAll(global(static_cast<T*>(job.c), m * n)[row * n + part.col]);
  }
  object.End();
}

template <bool shareA, bool shareB, bool transposed, const auto& config>
Launch mixed(sim::Device& device, const Job& job) {
  using Object = Matmul<In<shareA>, In<shareB, transposed>, Out<float>, Out<float>, config>;
  const auto cube = [=] {
    job.preamble();
    TPipe pipe;
    Object object;
    api::MatmulServer(api::Location::current()).run(object, &job.tiling);
  };
  const auto vector = [=] {
    job.preamble();
    TPipe pipe;
    Object object;
    api::connect_matmul_objects(api::Location::current(), object, &job.tiling);
    constexpr bool kOne = shareA && shareB;
    const auto asker = static_cast<std::uint32_t>(kOne ? GetBlockIdx() / 2 : GetBlockIdx());
    const Part part = Part::of(job, asker);
    if (part.rows > 0) ask<transposed, float>(object, job, part);
  };
  const bool pairs = !(shareA && shareB) && !job.alone;
  const std::uint32_t cores = pairs ? (job.askers + 1) / 2 : job.askers;
  const auto type = job.alone ? isa::KernelType::kMix11 : isa::KernelType::kMix12;
  return launch_of(device, "matmul_object", type, cores, cube, vector);
}

template <class T, bool transposed, const auto& config, class TIn = half, class TBias = T>
Launch on_cubes(sim::Device& device, const Job& job) {
  const auto cube = [=] {
    job.preamble();
    TPipe pipe;
    MatmulImpl<In<false, false, TIn>, In<false, transposed, TIn>, Out<T>, Out<TBias>, config>
        object;
    object.Init(&job.tiling, &pipe);
    const Part part = Part::of(job, static_cast<std::uint32_t>(GetBlockIdx()));
    if (part.rows > 0) ask<transposed, T, TIn>(object, job, part);
  };
  return launch_of(device, "matmul_object", isa::KernelType::kAicOnly, job.askers, cube,
                   std::function<void()>());
}

constexpr MatmulConfig with_unit_flag(MatmulConfig config) {
  config.enUnitFlag = true;
  return config;
}
constexpr MatmulConfig kMdlByBlocks = with_unit_flag(CFG_MDL);

template <class T, bool transposed, class TIn = half, class TBias = T>
Launch on_cubes_as(sim::Device& device, const Params& params, const Job& job) {
  const std::string config = params.choice("config", {"norm", "mdl"});
  if (config == "mdl" && params.number("unit_flag", 0) != 0) {
    return on_cubes<T, transposed, kMdlByBlocks, TIn, TBias>(device, job);
  }
  if (config == "mdl") return on_cubes<T, transposed, CFG_MDL, TIn, TBias>(device, job);
  return on_cubes<T, transposed, CFG_NORM, TIn, TBias>(device, job);
}

TCubeTiling tiling_of(const Params& p) {
  const auto value = [&](const char* key, std::uint32_t otherwise) {
    return static_cast<std::int32_t>(p.size(key, otherwise));
  };
  TCubeTiling t;
  t.M = static_cast<std::int32_t>(p.size("m"));
  t.N = static_cast<std::int32_t>(p.size("n"));
  t.Ka = t.Kb = t.singleCoreK = static_cast<std::int32_t>(p.size("k"));
  t.singleCoreM = value("single_m", p.size("m"));
  t.singleCoreN = value("single_n", p.size("n"));
  t.baseM = value("base_m", 128);
  t.baseN = value("base_n", 256);
  t.baseK = value("base_k", 64);
  t.stepM = t.stepN = 1;
  t.stepKa = value("step_ka", p.size("step_k", 1));
  t.stepKb = value("step_k", 1);
  t.depthA1 = value("depth_a", p.size("step_k", 1));
  t.depthB1 = value("depth_b", p.size("step_k", 1));
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  return t;
}

Launch prepare(sim::Device& device, const Params& params) {
  const std::string asks = params.choice("asks", {"vectors", "vector", "cube"});
  Job job{};
  job.tiling = tiling_of(params);
  job.preamble = Preamble::of(device, params, {.tiling = kCubeTiling});
  job.alone = asks == "vector";
  const TCubeTiling& t = job.tiling;
  const auto parts = [](std::int32_t whole, std::int32_t part) {
    return static_cast<std::uint32_t>((whole + part - 1) / part);
  };
  job.bands = params.size("bands", 1);
  job.askers =
      parts(t.M / static_cast<std::int32_t>(job.bands), t.singleCoreM) * parts(t.N, t.singleCoreN);
  job.askers = std::max(job.askers, params.number("cores", 0));
  job.words = allocate<std::uint64_t>(device, std::uint64_t(t.N), "words");
  job.a = allocate<half>(device, std::uint64_t(t.M) * std::uint64_t(t.Ka), "a");
  job.b = allocate<half>(device, std::uint64_t(t.Ka) * std::uint64_t(t.N), "b");
  job.c = allocate<float>(device, std::uint64_t(t.M) * std::uint64_t(t.N), "c");
  const std::string config = params.choice("config", {"norm", "mdl"}),
                    shared = params.choice("shared", {"none", "b", "ab"});
  const bool transposed = params.number("b_transposed", 0) != 0;
  if (asks == "cube") {
    if (params.choice("in", {"half", "int8"}) == "int8") {
      params.choice("out", {"half"});
      return on_cubes_as<half, false, std::int8_t, std::int32_t>(device, params, job);
    }
    const bool halves = params.choice("out", {"float", "half"}) == "half";
    if (transposed) {
      return halves ? on_cubes_as<half, true>(device, params, job)
                    : on_cubes_as<float, true>(device, params, job);
    }
    return halves ? on_cubes_as<half, false>(device, params, job)
                  : on_cubes_as<float, false>(device, params, job);
  }
  if (shared == "ab") return mixed<true, true, false, CFG_IBSHARE_NORM>(device, job);
  if (shared == "b") return mixed<false, true, false, CFG_IBSHARE_NORM>(device, job);
  if (transposed) return mixed<false, false, true, CFG_NORM>(device, job);
  if (config == "mdl") return mixed<false, false, false, CFG_MDL>(device, job);
  return mixed<false, false, false, CFG_NORM>(device, job);
}

const KernelRegistrar g_matmul_object(by_high_level(
    "Matmul",
    {"matmul_object",
     "C = A x B by the Matmul object: m n k [single_m single_n base_m base_n base_k step_k step_ka "
     "depth_a depth_b config=norm|mdl unit_flag shared=none|b|ab b_transposed bands "
     "out=float|half asks=vectors|vector|cube]; of cube cores alone also in=int8, to half by a "
     "vector of words, and cores, of which some may have no part",
     prepare}));

}  // namespace
}  // namespace davsim::silicon
