// An attention problem computed on the host, in double and element by element: what a launch of it
// must leave, and what an operator's adapter asked for.
#pragma once

#include "kernels/attention/problem.hpp"

namespace davsim::reference {

/// Writes `out` and, where asked for, `lse` of the problem, each rounded once to its type.
void evaluate(const ops::attention::Problem& problem);

}  // namespace davsim::reference
