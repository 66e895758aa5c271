// Evenly spaced numbers by the cores.
#pragma once

#include "runtime/basic_operators/tensors.hpp"

namespace davsim::basic {

/// out[i] = first + i * step, a vector. False where the cores do not compute it as exactly as the
/// host: beyond int32, more elements than float counts, or other types.
bool add_steps(WorkList& work, double first, double step, bool whole, const aclTensor& out);

}  // namespace davsim::basic
