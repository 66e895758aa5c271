// An estimate of the time of a tiling. It is good enough to rank tilings. The simulator gives the
// real time.
#pragma once

#include <cstdint>

#include "kernels/common/arithmetic.hpp"
#include "kernels/matmul/tiling.hpp"

namespace davsim::operators::matmul {

/// Whether the rows of the stored matrix run along k.
inline bool k_in_columns_of_a(const Problem& problem) {
  return !problem.a.transposed;
}
inline bool k_in_columns_of_b(const Problem& problem) {
  return problem.b.transposed;
}

/// The bytes of a chunk of `side` x `k` elements in L1: whole fractals, or whole squares if an
/// 8-bit type is transposed.
std::int64_t chunk_bytes(std::int64_t side, std::int64_t k, bool k_in_columns, isa::DType type);

/// The rows of units that the cores work on at a time. The cores share most of their reads if they
/// use as many rows of A as columns of B.
std::int64_t band_rows(const Problem& problem, const Machine& machine, const Candidate& candidate);

/// The core cycles of the busiest core.
double estimated_cycles(const Problem& problem, const Machine& machine, const Candidate& candidate);

}  // namespace davsim::operators::matmul
