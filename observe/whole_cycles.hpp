// Cycles as a rule computes them, and as the clock counts them.
#pragma once

#include <cmath>

#include "observe/cycle_classes.hpp"

namespace davsim::observe {

/// A cycle that has begun is taken whole.
inline Cycle whole_cycles(double cycles) {
  return static_cast<Cycle>(std::ceil(cycles));
}

}  // namespace davsim::observe
