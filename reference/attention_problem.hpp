// Computes an attention problem on the host, in double and element by element. The result tells a
// wrong problem, made by an operator's adapter, from a wrong kernel.
#pragma once

#include "kernels/attention/problem.hpp"

namespace davsim::reference {

/// Writes `out` of the problem and, if requested, `lse`, each rounded once to its type.
void evaluate(const operators::attention::Problem& problem);

}  // namespace davsim::reference
