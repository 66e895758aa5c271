// MatMulV3 and GroupedMatmul, as the vendor's kernels by their published structure: base tiles of
// 128 x 256, whose 128 bytes of k are a step, several steps at a time in two buffers of L1, and
// tiles dealt to the cores one after the other.
#include <algorithm>
#include <sstream>

#include "bench/silicon/kernels/gemm_core.hpp"
#include "bench/silicon/kernels/launch.hpp"

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
    ends.push_back(static_cast<std::uint32_t>(std::stoul(end)));
  }
  if (!ends.empty() && ends.size() != params.number("groups", 1)) {
    throw std::invalid_argument("ends has as many rows as there are groups");
  }
  return ends;
}

Gemm base_tiles(const sim::Device& device, const Params& params, std::uint32_t type_bytes) {
  constexpr std::uint32_t kStepBytes = 128;
  Gemm g = Gemm::of(device, params);
  g.base_k = kStepBytes / type_bytes;
  g.step_k = 4;
  g.depth = 2;
  g.unit_flag = g.dealt = true;
  return g;
}

/// MatMulV3 makes all rounds of tiles full if there are few rounds: fewer rows then, and as many
/// columns.
void fill_rounds(Gemm& g) {
  constexpr std::uint32_t kRounds = 4;
  const std::uint32_t tiles = tiles_in_all(g);
  if (tiles < g.cores || tiles >= kRounds * g.cores) return;
  const auto across = static_cast<std::uint32_t>(ceil_div(g.n, g.base_n));
  const std::uint32_t down = round_up(tiles, g.cores) / across;
  g.base_m = round_up(static_cast<std::uint32_t>(ceil_div(g.m, down)), 16);
}

template <class T>
std::function<observe::LaunchReport()> launch_of(sim::Device& device, const Gemm& g,
                                                 const std::vector<std::uint32_t>& ends,
                                                 const Preamble& preamble) {
  T* a = allocate<T>(device, std::uint64_t{g.m} * g.k, "a");
  T* b = allocate<T>(device, std::uint64_t{g.groups} * g.k * g.n, "b");
  T* c = allocate<T>(device, std::uint64_t{g.m} * g.n, "c");
  return [=, &device] {
    const isa::KernelEntry entry{"matmul", isa::KernelType::kAicOnly, nullptr, nullptr};
    Gemm cut = g;
    cut.ends = ends.empty() ? nullptr : ends.data();
    const auto run = [=] {
      preamble();
      StoredB<T> stored(cut, b);
      RowMajorOutput<float, T> output(cut, c);
      GemmCore<T, float, StoredB<T>, RowMajorOutput<float, T>>(cut, a, stored, output).run();
    };
    return device.launch(entry, cut.cores, run, {});
  };
}

template <class T>
std::function<observe::LaunchReport()> prepare_as(sim::Device& device, const Params& params,
                                                  bool full_rounds, const KernelReads& reads) {
  Gemm g = base_tiles(device, params, sizeof(T));
  const std::vector<std::uint32_t> ends = group_ends(params);
  if (!ends.empty()) g.ends = ends.data();
  if (full_rounds) fill_rounds(g);
  g.cores = std::min(g.cores, tiles_in_all(g));
  return launch_of<T>(device, g, ends, Preamble::of(device, params, reads));
}

/// MatMulV3 reads TCubeTiling and how the product is cut for L2.
constexpr KernelReads kMatmulReads{.tiling = 288};
/// GroupedMatmul reads GMMBaseParams and TCubeTiling, the lists of m, k and n, the group list, and
/// three descriptors.
constexpr KernelReads kGroupedReads{.tiling = 328, .scalars = 7};

const KernelRegistrar g_matmul(typed_kernel("matmul",
                                            "MatMulV3: m n k [type b_transposed cores tiling]",
                                            []<class T>(sim::Device& device, const Params& params) {
                                              return prepare_as<T>(device, params, true,
                                                                   kMatmulReads);
                                            }));
const KernelRegistrar g_grouped_matmul(
    typed_kernel("grouped_matmul",
                 "GroupedMatmul, one product a group: groups m n k [ends type b_transposed cores "
                 "tiling scalars]",
                 []<class T>(sim::Device& device, const Params& params) {
                   return prepare_as<T>(device, params, false, kGroupedReads);
                 }));

}  // namespace
}  // namespace davsim::silicon
