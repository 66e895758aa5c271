// An estimate of the time of a tiling. It is good enough to rank tilings. The simulator gives the
// real time.
#pragma once

#include <cstdint>

#include "kernels/common/arithmetic.hpp"
#include "kernels/matmul/tiling.hpp"

namespace davsim::operators::matmul {

/// True if a row of the stored matrix runs along k.
inline bool k_in_columns_of_a(const Problem& problem) {
  return !problem.a.transposed;
}
inline bool k_in_columns_of_b(const Problem& problem) {
  return problem.b.transposed;
}

/// Bytes of a chunk of `side` x `k` elements in L1: whole fractals, whole squares where an 8-bit
/// type is turned.
std::int64_t chunk_bytes(std::int64_t side, std::int64_t k, bool k_in_columns, isa::DType type);

/// Rows of units that the cores work on at a time: with as many rows of A as columns of B in use,
/// the cores share most of what they read.
std::int64_t band_rows(const Problem& problem, const Machine& machine, const Candidate& candidate);

/// Core cycles of the busiest core.
double estimated_cycles(const Problem& problem, const Machine& machine, const Candidate& candidate);

}  // namespace davsim::operators::matmul
