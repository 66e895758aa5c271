// The sizes of one Matmul call.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/registry/operator.hpp"

namespace davsim::operators::matmul {

inline constexpr std::int64_t kMostExtent = 16384;  ///< of M, N and K
inline constexpr std::int64_t kFractalRows = 16;

/// One factor, as its tensor stores it.
struct Factor {
  bool transposed = false;
  bool nz = false;
  std::int64_t rows = 0, cols = 0;  ///< of the stored matrix; NZ: padded to whole fractals
  std::int64_t batch_distance = 0;  ///< elements from one batch to the next
};

struct Problem {
  std::int64_t batches = 1;  ///< the number of products of this size; the operator has one
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t c_cols = 0;            ///< elements from one row of C to the next; 0: n
  std::int64_t c_batch_distance = 0;  ///< elements from one result to the next
  Factor a, b;
  isa::DType input = isa::DType::kNone;
  isa::DType output = isa::DType::kNone;
  isa::DType bias = isa::DType::kNone;  ///< kNone: no bias

  bool has_bias() const { return bias != isa::DType::kNone; }
  double macs() const {
    return static_cast<double>(batches) * static_cast<double>(m) * static_cast<double>(n) *
           static_cast<double>(k);
  }
};

/// The sizes that the tensors of a call permit. A row-major tensor has exact sizes. The last
/// fractal of an NZ tensor may be padded.
struct Range {
  std::int64_t low = 1, high = kMostExtent;
  bool empty() const { return low > high; }
  bool holds(std::int64_t value) const { return low <= value && value <= high; }
  Range operator&(const Range& other) const;
};
struct Extents {
  Range m, n;
  Range k_of_a, k_of_b;
  Range k() const { return k_of_a & k_of_b; }
};

/// The width of a fractal in elements: those of 32 bytes.
std::int64_t fractal_width(isa::DType type);
/// The factor "a" or "b" of a call whose tensors have the ranks of their formats.
Factor factor_of(const Call& call, std::string_view name);
/// The factors must have legal shapes. A bias must have rank 1.
Extents extents_of(const Call& call);
/// The type of c by the attribute. kNone if the attribute names no type.
isa::DType output_of(const Call& call);
/// The sizes of a call that passed validate().
Problem problem_of(const Call& call);

/// The operator's own rules, in their documented order. Throws Refusal.
void validate(const Call& call);

/// The documented examples.
std::vector<ExampleCase> cases();
Call make_case(std::string_view id, memory::GlobalMemory& memory);

}  // namespace davsim::operators::matmul
