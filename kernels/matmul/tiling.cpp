#include "kernels/matmul/tiling.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/matmul/tiling_cost.hpp"

namespace davsim::operators::matmul {
namespace {

using isa::DType;

/// The bytes of a sum in L0C, and of a word of the bias table. A row of a tile must fit into the
/// bias table.
constexpr std::int64_t kAccumulatorBytes = 4;
/// The longest side of a tile. Longer tiles gain nothing, because L0C is full.
constexpr std::int64_t kMostTile = 256;
/// The largest number of tiles that share a panel in L1. More of them save little.
constexpr std::int64_t kMostShared = 8;

/// The unit of m, n and k: a side of a fractal, or of a square of 8-bit elements.
std::int64_t tile_unit(const Problem& p) {
  return std::max(kFractalRows, fractal_width(p.input));
}

std::int64_t element_bytes(const Problem& p) {
  return static_cast<std::int64_t>(isa::dtype_bytes(p.input));
}

std::int64_t bias_bytes(const Problem& p, std::int64_t tile_n) {
  return p.has_bias() ? 2 * tile_n * kAccumulatorBytes : 0;
}

/// The search for a tiling. It tries all tiles that L0 can hold, with and without shared panels,
/// and several lengths of a step.
class Search {
 public:
  Search(const Problem& problem, const Machine& machine)
      : p_(problem), machine_(machine), unit_(tile_unit(problem)) {}

  Candidate best() {
    for (const std::int64_t tile_m : tile_sizes(p_.m, kMostTile)) {
      for (const std::int64_t tile_n :
           tile_sizes(p_.n, std::min(kMostTile, machine_.bias_table / kAccumulatorBytes))) {
        Candidate candidate;
        candidate.tile_m = tile_m;
        candidate.tile_n = tile_n;
        candidate.l0_k = deepest_piece(tile_m, tile_n);
        if (tile_m * tile_n * kAccumulatorBytes > machine_.l0c || candidate.l0_k == 0) continue;
        try_tile(candidate);
      }
    }
    if (best_.tile_m == 0) {
      throw std::invalid_argument("matmul: not one fractal fits twice in the buffers of this SoC");
    }
    return best_;
  }

 private:
  /// The sizes that cut `extent` into tiles of about the same size, at most `most`.
  std::vector<std::int64_t> tile_sizes(std::int64_t extent, std::int64_t most) const {
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = unit_; size <= most; size += unit_) {
      const std::int64_t even = round_up(ceil_div(extent, ceil_div(extent, size)), unit_);
      if (sizes.empty() || sizes.back() != even) sizes.push_back(even);
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  }

  /// The largest k of a piece that fits into half of L0A and half of L0B.
  std::int64_t deepest_piece(std::int64_t tile_m, std::int64_t tile_n) const {
    const std::int64_t row = element_bytes(p_);
    const std::int64_t fits =
        std::min(machine_.l0a / 2 / (tile_m * row), machine_.l0b / 2 / (tile_n * row));
    return std::min(fits / unit_ * unit_, round_up(p_.k, unit_));
  }

  void try_tile(Candidate candidate) {
    try_steps(candidate);
    const std::int64_t grid_m = ceil_div(p_.m, candidate.tile_m);
    const std::int64_t grid_n = ceil_div(p_.n, candidate.tile_n);
    for (std::int64_t shared = 2; shared <= std::min(grid_m, kMostShared); ++shared) {
      candidate.unit_m = shared;
      try_steps(candidate);
    }
    candidate.unit_m = 1;
    for (std::int64_t shared = 2; shared <= std::min(grid_n, kMostShared); ++shared) {
      candidate.unit_n = shared;
      try_steps(candidate);
    }
  }

  void try_steps(Candidate candidate) {
    constexpr std::int64_t kChunks[][2] = {{1, 1}, {2, 1}, {4, 1}, {1, 2}, {1, 4}};
    const std::int64_t whole = ceil_div(p_.k, candidate.l0_k);
    for (const auto& [a_steps, b_steps] : kChunks) {
      candidate.a_steps = a_steps;
      candidate.b_steps = b_steps;
      // Long steps need fewer moves. Short steps let the first product start earlier.
      for (std::int64_t pieces = most_pieces(candidate, whole); pieces >= 1; --pieces) {
        candidate.step_k = pieces * candidate.l0_k;
        set_slots(candidate);
        consider(candidate);
      }
    }
  }

  /// Gives a panel that stays in L1 a slot for each of its chunks.
  void set_slots(Candidate& c) const {
    c.a_slots = c.unit_n > 1 ? std::max<std::int64_t>(2, ceil_div(p_.k, c.a_steps * c.step_k)) : 2;
    c.b_slots = c.unit_m > 1 ? std::max<std::int64_t>(2, ceil_div(p_.k, c.b_steps * c.step_k)) : 2;
  }

  std::int64_t l1_bytes(const Candidate& c) const {
    const std::int64_t a =
        chunk_bytes(c.tile_m, std::min(c.a_steps * c.step_k, round_up(p_.k, unit_)),
                    k_in_columns_of_a(p_), p_.input);
    const std::int64_t b =
        chunk_bytes(c.tile_n, std::min(c.b_steps * c.step_k, round_up(p_.k, unit_)),
                    k_in_columns_of_b(p_), p_.input);
    return c.a_slots * a + c.b_slots * b + bias_bytes(p_, c.tile_n);
  }

  /// The longest step, in pieces of L0, with which two chunks of each operand fit into L1. 0 if
  /// none does.
  std::int64_t most_pieces(Candidate c, std::int64_t whole) const {
    const std::int64_t row = element_bytes(p_) * 2 * (c.a_steps * c.tile_m + c.b_steps * c.tile_n);
    std::int64_t pieces = std::min(whole, (machine_.l1 - bias_bytes(p_, c.tile_n)) / row / c.l0_k);
    c.a_slots = c.b_slots = 2;
    for (; pieces >= 1; --pieces) {
      c.step_k = pieces * c.l0_k;
      if (l1_bytes(c) <= machine_.l1) break;
    }
    return pieces;
  }

  void consider(const Candidate& c) {
    if (std::max(c.a_slots, c.b_slots) > kMatmulMostSlots || l1_bytes(c) > machine_.l1) return;
    const double cycles = estimated_cycles(p_, machine_, c);
    if (cycles >= cycles_) return;
    cycles_ = cycles;
    best_ = c;
  }

  const Problem& p_;
  const Machine& machine_;
  std::int64_t unit_;
  Candidate best_;
  double cycles_ = std::numeric_limits<double>::infinity();
};

std::uint32_t u32(std::int64_t value) {
  return static_cast<std::uint32_t>(value);
}

MatmulOperandTiling operand(const Problem& p, const Factor& factor, bool k_in_columns,
                            std::int64_t side, std::int64_t step_k, std::int64_t steps,
                            std::int64_t slots, std::uint32_t l1_base) {
  const std::int64_t k = std::min(steps * step_k, round_up(p.k, tile_unit(p)));
  MatmulOperandTiling tiling{};
  tiling.rows = u32(factor.rows);
  tiling.cols = u32(factor.cols);
  tiling.nz = factor.nz ? 1 : 0;
  tiling.k_in_columns = k_in_columns ? 1 : 0;
  tiling.chunk_steps = u32(steps);
  tiling.slots = u32(slots);
  tiling.slot_bytes = u32(chunk_bytes(side, k, k_in_columns, p.input));
  tiling.l1_base = l1_base;
  tiling.batch_distance = u32(factor.batch_distance);
  return tiling;
}

MatmulTypes types_of(const Problem& p) {
  const bool to_float = p.output == DType::kF32;
  switch (p.input) {
    case DType::kF16:
      return to_float ? MatmulTypes::kHalfToFloat : MatmulTypes::kHalfToHalf;
    case DType::kBF16:
      return to_float ? MatmulTypes::kBfloatToFloat : MatmulTypes::kBfloatToBfloat;
    case DType::kI8:
      return MatmulTypes::kInt8ToInt32;
    default:
      return MatmulTypes::kFloatToFloat;
  }
}

MatmulBias bias_of(const Problem& p) {
  if (!p.has_bias()) return MatmulBias::kNone;
  return p.bias == DType::kF16 ? MatmulBias::kHalf : MatmulBias::kAsAccumulator;
}

}  // namespace

Machine Machine::of(const sim::SocConfig& soc) {
  return of(soc, sim::TimingTable(soc));
}

Machine Machine::of(const sim::SocConfig& soc, const sim::TimingTable& timing) {
  const auto size = [&](const char* key) {
    return static_cast<std::int64_t>(soc.integer("AICoreSpec", key));
  };
  const double cores = soc.aic_count();
  return {.cores = soc.aic_count(),
          .l1 = size("l1_size"),
          .l0a = size("l0_a_size"),
          .l0b = size("l0_b_size"),
          .l0c = size("l0_c_size"),
          .bias_table = size("bt_size"),
          .l2_bytes_per_cycle = timing.memory.l2_bytes_per_cycle / cores,
          .hbm_bytes_per_cycle = timing.memory.hbm_bytes_per_cycle / cores,
          .timing = timing};
}

Plan plan(const Problem& problem, const Machine& machine) {
  return plan_with(problem, machine, Search(problem, machine).best());
}

Plan plan_with(const Problem& problem, const Machine& machine, const Candidate& c) {
  const std::int64_t units = problem.batches * ceil_div(ceil_div(problem.m, c.tile_m), c.unit_m) *
                             ceil_div(ceil_div(problem.n, c.tile_n), c.unit_n);
  Plan plan;
  plan.block_dim = u32(std::min<std::int64_t>(units, machine.cores));
  MatmulTiling& t = plan.tiling;
  t.batches = u32(problem.batches);
  t.m = u32(problem.m);
  t.n = u32(problem.n);
  t.k = u32(problem.k);
  t.c_cols = u32(problem.c_cols == 0 ? problem.n : problem.c_cols);
  t.c_batch_distance = u32(problem.c_batch_distance);
  t.tile_m = u32(c.tile_m);
  t.tile_n = u32(c.tile_n);
  t.step_k = u32(c.step_k);
  t.l0_k = u32(c.l0_k);
  t.unit_m = u32(c.unit_m);
  t.unit_n = u32(c.unit_n);
  t.band = u32(band_rows(problem, machine, c));
  t.l0a_half = u32(machine.l0a / 2);
  t.l0b_half = u32(machine.l0b / 2);
  const bool two_halves = 2 * c.tile_m * c.tile_n * kAccumulatorBytes <= machine.l0c;
  t.l0c_half = two_halves ? u32(machine.l0c / 2) : 0;
  t.a = operand(problem, problem.a, k_in_columns_of_a(problem), c.tile_m, c.step_k, c.a_steps,
                c.a_slots, 0);
  const std::uint32_t b_base = t.a.slots * t.a.slot_bytes;
  t.b = operand(problem, problem.b, k_in_columns_of_b(problem), c.tile_n, c.step_k, c.b_steps,
                c.b_slots, b_base);
  t.bias_base = b_base + t.b.slots * t.b.slot_bytes;
  t.types = types_of(problem);
  t.bias = bias_of(problem);
  return plan;
}

}  // namespace davsim::operators::matmul
