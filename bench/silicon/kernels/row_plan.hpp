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

/// Rows of a tile of the operator with an addition, as its published tiling counts them: three rows
/// of weights stay in UB, and each row of a tile needs two inputs, two results and two of fp32.
inline std::uint32_t most_added_rows(std::uint32_t pitch, std::uint32_t type_bytes) {
  constexpr std::uint32_t kUb = 192 * 1024 - 256, kReserved = 768, kMost = 16;
  const std::uint32_t weights = 3 * pitch * type_bytes + kReserved;
  if (weights >= kUb) return 1;
  const std::uint32_t row = pitch * (4 * type_bytes + 2 * 4) + 2 * 4;
  return std::clamp((kUb - weights) / row, 1u, kMost);
}

/// Rows of a tile, of at most `most`, for which UB has room beside gamma and, if rows go through
/// one by one, two rows of fp32.
inline std::uint32_t rows_that_fit(const Job& job, const Plan& plan, std::uint32_t type_bytes,
                                   std::uint32_t most) {
  constexpr std::uint32_t kRoom = 180 * 1024, kFloats = 2 * 4;
  const std::uint32_t queued =
      inputs(job) * type_bytes + (job.adds || !job.quantise ? type_bytes : 1);
  const std::uint32_t row = job.pitch() * (plan.buffers * queued + (plan.together ? kFloats : 0));
  const std::uint32_t others =
      job.pitch() * ((job.normalise ? 4 : 0) + (plan.together ? 0 : kFloats));
  return others + row <= kRoom ? std::min((kRoom - others) / row, most) : 0;
}

inline Plan Plan::of(const Job& job, std::uint32_t type_bytes) {
  constexpr std::uint32_t kLeastTogether = 128, kMostTogether = 255 * 64;
  const std::uint32_t most = job.adds ? most_added_rows(job.pitch(), type_bytes) : 255;
  Plan plan{true, true, 1, 0};
  if (!job.adds && job.normalise) {
    plan.scalars = false;
  } else if (!job.adds) {
    // Rows of whole DataBlocks of fp32 are taken together, unless they are short or long.
    plan.together = job.width >= kLeastTogether && job.width <= kMostTogether && job.width % 8 == 0;
    plan.scalars = !plan.together;
    plan.buffers = plan.together ? 1 : 2;
  }
  plan.rows = rows_that_fit(job, plan, type_bytes, most);
  if (plan.rows == 0 && plan.buffers == 2) {
    plan.buffers = 1;
    plan.rows = rows_that_fit(job, plan, type_bytes, most);
  }
  return plan;
}

}  // namespace davsim::silicon::row_wise
