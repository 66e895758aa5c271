// The tiling of a call: tiles, steps and the shares of the cores.
#pragma once

#include <cstdint>

#include "kernels/matmul/matmul_tiling.h"
#include "kernels/matmul/problem.hpp"
#include "sim/soc/timing_table.hpp"

namespace davsim::operators::matmul {

/// The properties of a SoC for the tiling. Sizes are in bytes, times in core cycles.
struct Machine {
  static Machine of(const sim::SocConfig& soc);
  /// The same with the timing table of `soc`, where the caller has it: to read it takes longer than
  /// to launch a small product.
  static Machine of(const sim::SocConfig& soc, const sim::TimingTable& timing);

  std::uint32_t cores = 0;  ///< AICs
  std::int64_t l1 = 0, l0a = 0, l0b = 0, l0c = 0, bias_table = 0;
  double l2_bytes_per_cycle = 0;   ///< the rate of a core at L2 while all cores read
  double hbm_bytes_per_cycle = 0;  ///< a core's share of HBM
  sim::TimingTable timing;         ///< the basis of the estimated cost of a tiling
};

struct Plan {
  std::uint32_t block_dim = 1;
  MatmulTiling tiling{};
};

/// A candidate of the search for a tiling.
struct Candidate {
  std::int64_t tile_m = 0, tile_n = 0;
  std::int64_t unit_m = 1, unit_n = 1;  ///< the tiles that share a panel in L1
  std::int64_t step_k = 0, l0_k = 0;
  std::int64_t a_steps = 1, b_steps = 1;  ///< the steps that a chunk covers
  std::int64_t a_slots = 2, b_slots = 2;
};

/// The tiling with the lowest estimated time. `problem` is that of a call that passed validate().
/// Throws std::invalid_argument if the buffers cannot hold two fractals of each operand.
Plan plan(const Problem& problem, const Machine& machine);
/// The plan of a given tiling, which must fit into the buffers.
Plan plan_with(const Problem& problem, const Machine& machine, const Candidate& candidate);

}  // namespace davsim::operators::matmul
