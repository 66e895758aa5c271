// Takes a vector instruction through its repeats: packs the lanes of each, computes them, and puts
// the unmasked ones back.
#pragma once

#include <cstddef>

#include "isa/exec/vector/vector_lanes.hpp"
#include "isa/instr/vector_shape.hpp"

namespace davsim::isa {

/// A vector instruction whose operands were found to lie inside UB.
struct VectorWork {
  const VectorShape& shape;
  const LaneMask& mask;  ///< of the instruction's parameters
  LaneFn lanes;
  bool reads_dst;
  std::uint64_t scalar;
  std::byte* ub;  ///< host address of UB's first byte
  /// Given to the lanes in place of a second source that the instruction has not; null for none.
  const void* table = nullptr;
  SaturateFn saturate = nullptr;  ///< applied to results before they are stored; null for none
};

/// True if one call of a lane function does the whole instruction: all lanes of all operands lie
/// one behind the other, and no result lands on a source lane that is still to be read.
bool is_dense(const VectorShape& shape);

/// Repeats come one after another: each reads all its operands before it writes, and sees what the
/// repeats before it wrote. Masked-off lanes of the destination keep their contents.
void run_vector(const VectorWork& work);

}  // namespace davsim::isa
