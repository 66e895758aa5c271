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
  half *a, *b;
  float* c;
};

/// Parts of C lie along m first.
struct Part {
  std::uint32_t row, col, rows, cols;

  static Part of(const TCubeTiling& t, std::uint32_t asker) {
    const auto at = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
    const auto high = static_cast<std::uint32_t>(ceil_div(at(t.M), at(t.singleCoreM)));
    const std::uint32_t row = asker % high * at(t.singleCoreM),
                        col = asker / high * at(t.singleCoreN);
    if (col >= at(t.N)) return {};
    return {row, col, std::min(at(t.singleCoreM), at(t.M) - row),
            std::min(at(t.singleCoreN), at(t.N) - col)};
  }
};

template <bool shared, bool transposed = false>
using In = MatmulType<TPosition::GM, CubeFormat::ND, half, transposed, LayoutMode::NONE, shared>;
using Out = MatmulType<TPosition::GM, CubeFormat::ND, float>;

template <bool transposed, class Object>
void ask(Object& object, const Job& job, const Part& part) {
  const TCubeTiling& t = job.tiling;
  const auto k = static_cast<std::uint64_t>(t.Ka), n = static_cast<std::uint64_t>(t.N);
  const auto m = static_cast<std::uint64_t>(t.M);
  object.SetTensorA(global(job.a, m * k)[part.row * k]);
  object.SetTensorB(global(job.b, k * n)[part.col * (transposed ? k : 1)], transposed);
  object.SetTail(static_cast<int>(part.rows), static_cast<int>(part.cols));
  object.IterateAll(global(job.c, m * n)[part.row * n + part.col]);
  object.End();
}

template <bool shareA, bool shareB, bool transposed, const auto& config>
Launch mixed(sim::Device& device, const Job& job) {
  using Object = Matmul<In<shareA>, In<shareB, transposed>, Out, Out, config>;
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
    const Part part = Part::of(job.tiling, asker);
    if (part.rows > 0) ask<transposed>(object, job, part);
  };
  const bool pairs = !(shareA && shareB) && !job.alone;
  const std::uint32_t cores = pairs ? (job.askers + 1) / 2 : job.askers;
  const auto type = job.alone ? isa::KernelType::kMix11 : isa::KernelType::kMix12;
  return launch_of(device, "matmul_object", type, cores, cube, vector);
}

template <const auto& config>
Launch on_cubes(sim::Device& device, const Job& job) {
  const auto cube = [=] {
    job.preamble();
    TPipe pipe;
    MatmulImpl<In<false>, In<false>, Out, Out, config> object;
    object.Init(&job.tiling, &pipe);
    const Part part = Part::of(job.tiling, static_cast<std::uint32_t>(GetBlockIdx()));
    if (part.rows > 0) ask<false>(object, job, part);
  };
  return launch_of(device, "matmul_object", isa::KernelType::kAicOnly, job.askers, cube,
                   std::function<void()>());
}

TCubeTiling tiling_of(const Params& p) {
  const auto value = [&](const char* key, std::uint32_t otherwise) {
    return static_cast<std::int32_t>(p.number(key, otherwise));
  };
  TCubeTiling t;
  t.M = value("m", 0);
  t.N = value("n", 0);
  t.Ka = t.Kb = t.singleCoreK = value("k", 0);
  t.singleCoreM = value("single_m", p.number("m"));
  t.singleCoreN = value("single_n", p.number("n"));
  t.baseM = value("base_m", 128);
  t.baseN = value("base_n", 256);
  t.baseK = value("base_k", 64);
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = value("step_k", 1);
  t.depthA1 = value("depth_a", p.number("step_k", 1));
  t.depthB1 = value("depth_b", p.number("step_k", 1));
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  return t;
}

Launch prepare(sim::Device& device, const Params& params) {
  Job job{};
  job.tiling = tiling_of(params);
  job.preamble = Preamble::of(device, params, {.tiling = kCubeTiling});
  job.alone = params.text("asks", "vectors") == "vector";
  const TCubeTiling& t = job.tiling;
  const auto parts = [](std::int32_t whole, std::int32_t part) {
    return static_cast<std::uint32_t>((whole + part - 1) / part);
  };
  job.askers = parts(t.M, t.singleCoreM) * parts(t.N, t.singleCoreN);
  job.a = allocate<half>(device, std::uint64_t(t.M) * std::uint64_t(t.Ka), "a");
  job.b = allocate<half>(device, std::uint64_t(t.Ka) * std::uint64_t(t.N), "b");
  job.c = allocate<float>(device, std::uint64_t(t.M) * std::uint64_t(t.N), "c");
  const std::string config = params.text("config", "norm"), shared = params.text("shared", "none");
  if (params.text("asks", "vectors") == "cube") {
    if (config == "mdl") return on_cubes<CFG_MDL>(device, job);
    return on_cubes<CFG_NORM>(device, job);
  }
  const bool transposed = params.number("b_transposed", 0) != 0;
  if (shared == "ab") return mixed<true, true, false, CFG_IBSHARE_NORM>(device, job);
  if (shared == "b") return mixed<false, true, false, CFG_IBSHARE_NORM>(device, job);
  if (transposed) return mixed<false, false, true, CFG_NORM>(device, job);
  if (config == "mdl") return mixed<false, false, false, CFG_MDL>(device, job);
  return mixed<false, false, false, CFG_NORM>(device, job);
}

const KernelRegistrar g_matmul_object(
    {"matmul_object",
     "C = A x B by the Matmul object: m n k [single_m single_n base_m base_n base_k step_k depth_a "
     "depth_b config=norm|mdl shared=none|b|ab b_transposed asks=vectors|vector|cube]",
     prepare});

}  // namespace
}  // namespace davsim::silicon
