// How many rows a reduction of rows takes at a time, and how many buffers its queues have.
#pragma once

#include <algorithm>

#include "bench/silicon/kernels/gm.hpp"
#include "bench/silicon/kernels/row_wise.hpp"

namespace davsim::silicon::row_wise {

/// How an operator goes about it.
struct Plan {
  bool together;                ///< an instruction does all rows of a tile, else one row
  bool scalars;                 ///< the number of a row passes through the scalar unit
  std::uint32_t buffers, rows;  ///< of a queue; of a tile, 0 if no row fits into UB

  static Plan of(const Job& job, std::uint32_t type_bytes);
};

inline Plan Plan::of(const Job& job, std::uint32_t type_bytes) {
  constexpr std::uint32_t kMostMerged = 2000, kMostRows = 255, kRoom = 180 * 1024;
  Plan plan{true, true, 1, 0};
  if (!job.adds && job.normalise) {
    // Rows that are not merged come one by one.
    plan.together = job.width <= kMostMerged;
    plan.rows = plan.together ? 0 : 1;
    plan.scalars = !plan.together;
  } else if (!job.adds) {
    // Only rows of whole DataBlocks of fp32 are taken together.
    plan.together = job.width % 8 == 0;
    plan.scalars = !plan.together;
    plan.buffers = plan.together ? 1 : 2;
  }
  const std::uint32_t queued =
                          inputs(job) * type_bytes + (job.adds || !job.quantise ? type_bytes : 1),
                      floats = 2 * 4;
  const std::uint32_t row = job.pitch() * (plan.buffers * queued + (plan.together ? floats : 0));
  const std::uint32_t gamma = job.normalise ? job.pitch() * 4 : 0;
  const std::uint32_t others = gamma + (plan.together ? 0 : job.pitch() * floats);
  const std::uint32_t fit = others + row <= kRoom ? std::min((kRoom - others) / row, kMostRows) : 0;
  plan.rows = plan.rows > 0 ? std::min(plan.rows, fit) : fit;
  return plan;
}

}  // namespace davsim::silicon::row_wise
