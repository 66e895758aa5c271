// Slopes of activations as steps of a formula.
#pragma once

#include "runtime/basic_operators/formula.hpp"

namespace davsim::basic {

inline constexpr double kSeluAlpha = 1.6732632423543772, kSeluScale = 1.0507009873554805;

/// Of x * sigmoid(factor * x).
Operand swish_slope(Formula& formula, const Operand& x, double factor);
/// Of gelu by the error function, or by the hyperbolic tangent.
Operand gelu_slope(Formula& formula, const Operand& x, bool by_tanh);
/// Of x * tanh(log(1 + exp(x))).
Operand mish_slope(Formula& formula, const Operand& x);

}  // namespace davsim::basic
