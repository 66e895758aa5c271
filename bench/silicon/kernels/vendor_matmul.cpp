// MatMulV3 and GroupedMatmul, as the vendor's kernels by their published structure: a Matmul object
// of the cube cores, and tiles dealt to the cores one after the other.
#include <algorithm>
#include <numeric>
#include <sstream>

#include "bench/silicon/kernels/gemm_core.hpp"
#include "bench/silicon/kernels/launch.hpp"
#include "bench/silicon/vendor_cut.hpp"
#include "lib/matmul_intf.h"

namespace davsim::silicon {
namespace {

using namespace AscendC;

std::uint32_t tiles_in_all(const Gemm& g) {
  std::uint64_t down = 0;
  for (std::uint32_t group = 0, row = 0; group < g.groups; row = g.group_end(group++)) {
    down += ceil_div(g.group_end(group) - row, g.base_m);
  }
  return static_cast<std::uint32_t>(down * ceil_div(g.n, g.base_n));
}

/// `ends=256:512`: the row at which each group ends, where they differ; else empty.
std::vector<std::uint32_t> group_ends(const Params& params) {
  std::vector<std::uint32_t> ends;
  std::istringstream text(params.text("ends", ""));
  for (std::string end; std::getline(text, end, ':');) {
    ends.push_back(Params::parse("ends=" + end).number("ends"));
  }
  if (!ends.empty() && ends.size() != params.number("groups", 1)) {
    throw std::invalid_argument("ends has " + std::to_string(ends.size()) + " rows, groups is " +
                                std::to_string(params.number("groups", 1)));
  }
  if (!ends.empty() &&
      (!std::is_sorted(ends.begin(), ends.end()) || ends.back() > params.size("m"))) {
    throw std::invalid_argument("ends=" + params.text("ends", "") +
                                "; its rows ascend, up to m, which is " +
                                std::to_string(params.size("m")));
  }
  return ends;
}

/// What a kernel gets from the host.
struct Job {
  Gemm g;
  std::vector<std::uint32_t> ends;
  TCubeTiling tiling;
  std::uint32_t part_m = 0, part_n = 0;  ///< base blocks of a part of C; 0: groups
  Preamble preamble;
  bool c_past_l2 = false;  ///< L2 keeps no lines of C
};

constexpr MatmulConfig kByBlocks = GetMDLConfig(false, false, 0, false, false, false, true);

/// half has a bias of its own type, bfloat16 and float one of float.
template <class T>
using BiasOf = std::conditional_t<std::is_same_v<T, half>, half, float>;

template <class T>
struct Matrices {
  T *a, *b, *c;
  BiasOf<T>* bias;  ///< a row of each group, or none
  bool c_past_l2;   ///< L2 keeps no lines of C
};

/// What a core multiplies, tile by tile.
template <class T, bool transposed>
class VendorMatmul {
  template <bool turned>
  using In = MatmulType<TPosition::GM, CubeFormat::ND, T, turned>;
  using Out = MatmulType<TPosition::GM, CubeFormat::ND, T>;
  using Bias = MatmulType<TPosition::GM, CubeFormat::ND, BiasOf<T>>;

 public:
  VendorMatmul(const Gemm& g, const TCubeTiling& tiling, const Matrices<T>& gm)
      : g_(g),
        has_bias_(gm.bias != nullptr),
        a_(global(gm.a, std::uint64_t{g.m} * g.k)),
        b_(global(gm.b, std::uint64_t{g.groups} * g.k * g.n)),
        c_(global(gm.c, std::uint64_t{g.m} * g.n)) {
    if (has_bias_) bias_ = global(gm.bias, std::uint64_t{g.groups} * g.n);
    if (gm.c_past_l2) c_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    object_.Init(&tiling, &pipe_);
  }

  /// The tiles of all groups in their order, of which each core takes the next. B of a group with
  /// one row of tiles is read once, and past L2.
  void run_groups() {
    const auto across = static_cast<std::uint32_t>(ceil_div(g_.n, g_.base_n));
    std::uint32_t first = 0, next = GetBlockIdx();
    for (std::uint32_t group = 0; group < g_.groups; ++group) {
      const std::uint32_t end = g_.group_end(group);
      const auto down = static_cast<std::uint32_t>(ceil_div(end - first, g_.base_m));
      const std::uint32_t tiles = down * across;
      b_.SetL2CacheHint(down == 1 ? CacheMode::CACHE_MODE_DISABLE : CacheMode::CACHE_MODE_NORMAL);
      for (; next < tiles; next += g_.cores) {
        tile(group, first + next / across * g_.base_m, end, next % across * g_.base_n);
      }
      next -= tiles;
      first = end;
    }
    object_.End();
  }

  /// Part by part of C, along diagonals of its tiles: neighbours share neither rows nor columns. A
  /// part begins with the core behind the last one of the part before.
  void run_parts(std::uint32_t part_m, std::uint32_t part_n) {
    const auto down = static_cast<std::uint32_t>(ceil_div(g_.m, g_.base_m));
    const auto across = static_cast<std::uint32_t>(ceil_div(g_.n, g_.base_n));
    std::uint32_t first_core = 0;
    for (std::uint32_t m = 0; m < down; m += part_m) {
      for (std::uint32_t n = 0; n < across; n += part_n) {
        const std::uint32_t rows = std::min(part_m, down - m), cols = std::min(part_n, across - n);
        const std::uint32_t tiles = rows * cols, turn = std::lcm(rows, cols);
        std::uint32_t i = (GetBlockIdx() + g_.cores - first_core) % g_.cores;
        for (; i < tiles; i += g_.cores) {
          tile(0, (m + i % rows) * g_.base_m, g_.m, (n + (i + i / turn) % cols) * g_.base_n);
        }
        first_core = (first_core + tiles) % g_.cores;
      }
    }
    object_.End();
  }

 private:
  void tile(std::uint32_t group, std::uint32_t row, std::uint32_t end, std::uint32_t col) {
    const std::uint64_t b = std::uint64_t{group} * g_.k * g_.n;
    object_.SetSingleShape(static_cast<int>(std::min(g_.base_m, end - row)),
                           static_cast<int>(std::min(g_.base_n, g_.n - col)),
                           static_cast<int>(g_.k));
    object_.SetTensorA(a_[std::uint64_t{row} * g_.k]);
    object_.SetTensorB(b_[b + std::uint64_t{col} * (transposed ? g_.k : 1)], transposed);
    if (has_bias_) object_.SetBias(bias_[std::uint64_t{group} * g_.n + col]);
    object_.IterateAll(c_[std::uint64_t{row} * g_.n + col]);
  }

  Gemm g_;
  bool has_bias_;
  TPipe pipe_;
  MatmulImpl<In<false>, In<transposed>, Out, Bias, kByBlocks> object_;
  GlobalTensor<T> a_, b_, c_;
  GlobalTensor<BiasOf<T>> bias_;
};

TCubeTiling tiling_of(const Gemm& g, std::uint64_t step_ka, std::uint64_t step_kb) {
  const auto of = [](std::uint64_t value) { return static_cast<std::int32_t>(value); };
  TCubeTiling t;
  t.M = of(g.m), t.N = of(g.n), t.Ka = t.Kb = t.singleCoreK = of(g.k);
  t.baseM = t.singleCoreM = of(g.base_m);
  t.baseN = t.singleCoreN = of(g.base_n);
  t.baseK = of(g.base_k);
  t.stepM = t.stepN = 1;
  t.stepKa = of(step_ka), t.stepKb = of(step_kb);
  t.depthA1 = 2 * t.stepKa, t.depthB1 = 2 * t.stepKb;
  t.iterateOrder = 1;
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = 1;
  return t;
}

template <class T, bool transposed>
Launch launch_as(sim::Device& device, const Job& job) {
  const Gemm& g = job.g;
  Matrices<T> gm{allocate<T>(device, std::uint64_t{g.m} * g.k, "a"),
                 allocate<T>(device, std::uint64_t{g.groups} * g.k * g.n, "b"),
                 allocate<T>(device, std::uint64_t{g.m} * g.n, "c"), nullptr, job.c_past_l2};
  if (job.tiling.isBias != 0) {
    gm.bias = allocate<BiasOf<T>>(device, std::uint64_t{g.groups} * g.n, "bias");
  }
  const auto cube = [=] {
    job.preamble();
    Gemm cut = job.g;
    cut.ends = job.ends.empty() ? nullptr : job.ends.data();
    VendorMatmul<T, transposed> kernel(cut, job.tiling, gm);
    if (job.part_m > 0) {
      kernel.run_parts(job.part_m, job.part_n);
    } else {
      kernel.run_groups();
    }
  };
  return launch_of(device, "matmul", isa::KernelType::kAicOnly, g.cores, cube,
                   std::function<void()>());
}

template <class T>
Launch launch_of_type(sim::Device& device, const Job& job) {
  return job.g.b_transposed ? launch_as<T, true>(device, job) : launch_as<T, false>(device, job);
}

/// MatMulV3 reads TCubeTiling and how the product is cut for L2.
constexpr KernelReads kMatmulReads{.tiling = 288};
/// GroupedMatmul reads GMMBaseParams and TCubeTiling, the lists of m, k and n, the group list, and
/// the descriptors of A, B, C and the bias.
constexpr KernelReads grouped_reads(bool bias) {
  return {.tiling = 328, .scalars = bias ? 8u : 7u};
}

template <class T>
Launch prepare_matmul(sim::Device& device, const Params& params) {
  Job job{Gemm::of(device, params), {}, {}, 0, 0, Preamble::of(device, params, kMatmulReads)};
  Gemm& g = job.g;
  const VendorCut cut =
      VendorCut::of({g.m, g.n, g.k, sizeof(T), g.b_transposed, g.cores, device.soc().l2_bytes()});
  const auto of = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  g.base_m = of(cut.base_m), g.base_n = of(cut.base_n), g.base_k = of(cut.base_k);
  job.part_m = of(cut.part_m), job.part_n = of(cut.part_n);
  job.c_past_l2 = std::uint64_t{g.m} * g.n * sizeof(T) > device.soc().l2_bytes();
  job.tiling = tiling_of(g, cut.step_ka, cut.step_kb);
  g.cores = std::min(g.cores, tiles_in_all(g));
  return launch_of_type<T>(device, job);
}

/// The host counts the tiles as if all groups but the last one had a row of tiles that is not full;
/// kernels of float are launched on all cores.
template <class T>
std::uint32_t group_cores(const Gemm& g) {
  if (std::is_same_v<T, float>) return g.cores;
  const std::uint32_t base_m = std::min(g.base_m, round_up(g.m, 16));
  const std::uint64_t down = g.m > g.groups ? g.groups + (g.m - g.groups) / base_m : g.m;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(g.cores, down * ceil_div(g.n, g.base_n)));
}

/// Base tiles of 128 x 256, whose 128 bytes of k are a step, four steps at a time.
template <class T>
Launch prepare_groups(sim::Device& device, const Params& params) {
  constexpr std::uint32_t kStepBytes = 128, kSteps = 4;
  const bool bias = params.number("bias", 0) != 0;
  Job job{Gemm::of(device, params),
          group_ends(params),
          {},
          0,
          0,
          Preamble::of(device, params, grouped_reads(bias))};
  Gemm& g = job.g;
  g.base_k = kStepBytes / sizeof(T);
  if (!job.ends.empty()) g.ends = job.ends.data();
  g.cores = group_cores<T>(g);
  job.tiling = tiling_of(g, kSteps, kSteps);
  job.tiling.isBias = bias ? 1 : 0;
  return launch_of_type<T>(device, job);
}

const KernelRegistrar g_matmul(by_high_level(
    "Matmul", typed_kernel("matmul", "MatMulV3: m n k [type b_transposed cores tiling]",
                           []<class T>(sim::Device& device, const Params& params) {
                             return prepare_matmul<T>(device, params);
                           })));
const KernelRegistrar g_grouped_matmul(by_high_level(
    "Matmul",
    typed_kernel("grouped_matmul",
                 "GroupedMatmul, one product a group: groups m n k [ends bias type b_transposed "
                 "cores tiling scalars]",
                 []<class T>(sim::Device& device, const Params& params) {
                   return prepare_groups<T>(device, params);
                 })));

}  // namespace
}  // namespace davsim::silicon
