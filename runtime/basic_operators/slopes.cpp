#include "runtime/basic_operators/slopes.hpp"

#include <cmath>
#include <numbers>

namespace davsim::basic {
namespace {

/// (1 + erf(x / sqrt(2))) / 2 + x * exp(-x^2 / 2) / sqrt(2 pi)
Operand gelu_slope_by_erf(Formula& f, const Operand& x) {
  const Operand error = f.of(PointwiseOp::kErf, f.times(x, Operand(std::numbers::sqrt2 / 2)));
  const Operand below = f.more(Operand(0.5), error, 0.5);
  const Operand bell = f.of(PointwiseOp::kExp, f.times(f.times(x, x), Operand(-0.5)));
  return f.more_product(below, x, bell, std::numbers::inv_sqrtpi / std::numbers::sqrt2);
}

/// With t = tanh(u), u = k (x + c x^3): (1 + t) / 2 + x (1 - t^2) k (1 + 3 c x^2) / 2
Operand gelu_slope_by_tanh(Formula& f, const Operand& x) {
  constexpr double kCubic = 0.044715;
  constexpr double kRoot = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const Operand square = f.times(x, x);
  const Operand inner = f.times(x, f.more(Operand(kRoot), square, kRoot * kCubic));
  const Operand t = f.of(PointwiseOp::kTanh, inner);
  const Operand steep = f.more(Operand(kRoot), square, 3 * kRoot * kCubic);
  const Operand level = f.more_product(Operand(1.0), t, t, -1);
  return f.more_product(f.more(Operand(0.5), t, 0.5), f.times(x, steep), level, 0.5);
}

}  // namespace

Operand swish_slope(Formula& f, const Operand& x, double factor) {
  const Operand s = f.sigmoid(factor == 1 ? x : f.times(x, Operand(factor)));
  return f.more_product(s, x, f.more_product(s, s, s, -1), factor);
}

Operand gelu_slope(Formula& f, const Operand& x, bool by_tanh) {
  return by_tanh ? gelu_slope_by_tanh(f, x) : gelu_slope_by_erf(f, x);
}

Operand mish_slope(Formula& f, const Operand& x) {
  constexpr double kFar = 20;
  const Operand t = f.of(PointwiseOp::kTanh, f.of(PointwiseOp::kSoftplus, x, 1, kFar));
  return f.more_product(t, f.times(x, f.sigmoid(x)), f.more_product(Operand(1.0), t, t, -1));
}

}  // namespace davsim::basic
