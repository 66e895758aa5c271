// How many rows an operator that normalises takes at a time.
#pragma once

#include <algorithm>

#include "bench/silicon/kernels/gm.hpp"
#include "bench/silicon/kernels/row_wise.hpp"

namespace davsim::silicon::row_wise {

/// How an operator that normalises goes about it.
struct Plan {
  std::uint32_t rows;  ///< of a tile, 0 if no row fits into UB

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

inline Plan Plan::of(const Job& job, std::uint32_t type_bytes) {
  constexpr std::uint32_t kRoom = 180 * 1024, kFloats = 2 * 4;
  const std::uint32_t most = job.adds ? most_added_rows(job.pitch(), type_bytes) : 255;
  // Each row needs inputs, a result and two rows of fp32; all share gamma.
  const std::uint32_t row = job.pitch() * ((inputs(job) + 1) * type_bytes + kFloats);
  const std::uint32_t gamma = job.pitch() * 4;
  return {gamma + row <= kRoom ? std::min((kRoom - gamma) / row, most) : 0};
}

}  // namespace davsim::silicon::row_wise
