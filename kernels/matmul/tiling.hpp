// How a call is cut into tiles, steps and shares of cores.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_tiling.h"
#include "kernels/matmul/problem.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::operators::matmul {

/// What the tiling needs to know of a SoC; sizes in bytes, times in core cycles.
struct Machine {
  static Machine of(const sim::SocConfig& soc);

  std::uint32_t cores = 0;  ///< AICs
  std::int64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0, bias_table = 0;
  double l2_bytes_per_cycle = 0;   ///< what a core reads from L2 when all do
  double hbm_bytes_per_cycle = 0;  ///< a core's share of HBM
  sim::TimingTable timing;         ///< what the cost of a tiling is estimated from
};

struct Plan {
  std::uint32_t block_dim = 1;
  MatmulTiling tiling{};
};

/// What the search for a tiling chooses between.
struct Candidate {
  std::int64_t tile_m = 0, tile_n = 0;
  std::int64_t unit_m = 1, unit_n = 1;  ///< tiles that share a panel in L1
  std::int64_t step_k = 0, l0_k = 0;
  std::int64_t a_steps = 1, b_steps = 1;  ///< steps a chunk
  std::int64_t a_slots = 2, b_slots = 2;
};

/// The tiling that ought to be fastest. `problem` is that of a call that passed validate(). Throws
/// std::invalid_argument for buffers too small for two fractals of everything.
Plan plan(const Problem& problem, const Machine& machine);
/// The plan of a tiling of one's own choice, which must fit.
Plan plan_with(const Problem& problem, const Machine& machine, const Candidate& candidate);

}  // namespace davsim::operators::matmul
