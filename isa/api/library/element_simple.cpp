// Roundings, activations, exponentials and powers.
#include <cmath>

#include "isa/api/library/element_formulas.hpp"

namespace davsim::api::lib {

namespace {

/// t = 1 + exp(scale * x)
void one_plus_exp(const Piece& p, const Tensor& t, const Tensor& x, double scale) {
  p.c.muls(t, x, scale, p.n);
  p.c.exp(t, t, p.n);
  p.c.adds(t, t, 1, p.n);
}
/// t = x + 0.044715 x^3
void gelu_argument(const Piece& p, const Tensor& t, const Tensor& x) {
  p.c.mul(t, x, x, p.n);
  p.c.mul(t, t, x, p.n);
  p.c.muls(t, t, 0.044715, p.n);
  p.c.add(t, t, x, p.n);
}
constexpr double kGelu = -1.5957691216;  ///< -sqrt(8 / pi)

}  // namespace

void formula_Ceil(const Piece& p) {
  p.c.cast(p.y, p.x, isa::RoundMode::kCeil, p.n);
}
void formula_Floor(const Piece& p) {
  p.c.cast(p.y, p.x, isa::RoundMode::kFloor, p.n);
}
void formula_Trunc(const Piece& p) {
  p.c.cast(p.y, p.x, isa::RoundMode::kTrunc, p.n);
}
void formula_Round(const Piece& p) {
  p.c.cast(p.y, p.x, isa::RoundMode::kRint, p.n);
}
void formula_Frac(const Piece& p) {
  p.c.cast(p.w[0], p.x, isa::RoundMode::kTrunc, p.n);
  p.c.sub(p.y, p.x, p.w[0], p.n);
}
void formula_Sign(const Piece& p) {
  p.c.muls(p.w[0], p.x, 1e38, p.n);
  p.c.muls(p.w[0], p.w[0], 1e38, p.n);
  p.c.maxs(p.w[0], p.w[0], -1, p.n);
  p.c.mins(p.y, p.w[0], 1, p.n);
}

/// 1 - 2 / (1 + exp(2 x)); exp may overflow
void formula_Tanh(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x, 2);
  p.c.fill(p.w[1], -2, p.n);
  p.c.div(p.w[0], p.w[1], p.w[0], p.n);
  p.c.adds(p.y, p.w[0], 1, p.n);
}
void formula_Sigmoid(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x, -1);
  p.c.fill(p.w[1], 1, p.n);
  p.c.div(p.y, p.w[1], p.w[0], p.n);
}
void formula_Silu(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x, -1);
  p.c.div(p.y, p.x, p.w[0], p.n);
}
void formula_Swish(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x, -p.scalar);
  p.c.div(p.y, p.x, p.w[0], p.n);
}
void formula_Gelu(const Piece& p) {
  gelu_argument(p, p.w[0], p.x);
  one_plus_exp(p, p.w[0], p.w[0], kGelu);
  p.c.div(p.y, p.x, p.w[0], p.n);
}
void formula_FasterGelu(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x, -1.702);
  p.c.div(p.y, p.x, p.w[0], p.n);
}
void formula_FasterGeluV2(const Piece& p) {
  const Tensor &t = p.w[0], &s = p.w[1];
  p.c.muls(t, p.x, 0.7071, p.n);
  p.c.abs(t, t, p.n);
  p.c.mins(t, t, 1.769, p.n);
  p.c.adds(t, t, -1.769, p.n);
  p.c.mul(t, t, t, p.n);
  p.c.muls(t, t, -0.1444, p.n);
  p.c.adds(t, t, 0.5, p.n);
  p.c.adds(s, p.x, 1e-12, p.n);
  p.sign(s, s);
  p.c.mul(t, t, s, p.n);
  p.c.adds(t, t, 0.5, p.n);
  p.c.mul(p.y, p.x, t, p.n);
}
void formula_SwiGLU(const Piece& p) {
  one_plus_exp(p, p.w[0], p.x1, -p.scalar);
  p.c.div(p.w[0], p.x1, p.w[0], p.n);
  p.c.mul(p.y, p.x, p.w[0], p.n);
}
void formula_GeGLU(const Piece& p) {
  gelu_argument(p, p.w[0], p.x1);
  one_plus_exp(p, p.w[0], p.w[0], kGelu);
  p.c.div(p.w[0], p.x1, p.w[0], p.n);
  p.c.mul(p.y, p.x, p.w[0], p.n);
}
void formula_ReGlu(const Piece& p) {
  p.c.unary(op::kRelu, p.w[0], p.x1, p.n);
  p.c.mul(p.y, p.x, p.w[0], p.n);
}

/// exp of the whole number below, times the series of the rest. Beyond 200 floats have no more.
void formula_Exp(const Piece& p) {
  const auto terms = static_cast<int>(p.scalar);
  if (terms == 0) return p.c.exp(p.y, p.x, p.n);
  const Tensor &whole = p.w[0], &rest = p.w[1], &sum = p.w[2];
  p.clamp(rest, p.x, -200, 200);
  p.c.cast(whole, rest, isa::RoundMode::kFloor, p.n);
  p.c.sub(rest, rest, whole, p.n);
  p.c.fill(sum, 1, p.n);
  for (int term = terms; term > 0; --term) {
    p.c.mul(sum, sum, rest, p.n);
    p.c.muls(sum, sum, 1.0 / term, p.n);
    p.c.adds(sum, sum, 1, p.n);
  }
  p.c.exp(whole, whole, p.n);
  p.c.mul(p.y, whole, sum, p.n);
}
void formula_Log2(const Piece& p) {
  p.c.ln(p.y, p.x, p.n);
  p.c.muls(p.y, p.y, 1.44269504088896, p.n);
}
void formula_Log10(const Piece& p) {
  p.c.ln(p.y, p.x, p.n);
  p.c.muls(p.y, p.y, 0.434294481903252, p.n);
}
void formula_Fmod(const Piece& p) {
  p.c.div(p.w[0], p.x, p.x1, p.n);
  p.c.cast(p.w[0], p.w[0], isa::RoundMode::kTrunc, p.n);
  p.c.mul(p.w[0], p.w[0], p.x1, p.n);
  p.c.sub(p.y, p.x, p.w[0], p.n);
}

/// exp(y ln|x|), with the sign and the NaN of a negative base.
void formula_Power(const Piece& p) {
  const Tensor &r = p.w[0], &negative = p.w[1], &t = p.w[2], &s = p.w[3];
  // Finite numbers in place of infinite ones: 0 times them is 0.
  p.c.abs(r, p.x, p.n);
  p.c.ln(r, r, p.n);
  p.clamp(r, r, -1e30, 1e30);
  p.clamp(t, p.x1, -1e30, 1e30);
  p.c.mul(r, r, t, p.n);
  p.c.exp(r, r, p.n);
  p.c.muls(negative, p.x, -1e38, p.n);
  p.c.muls(negative, negative, 1e38, p.n);
  p.clamp(negative, negative, 0, 1);
  // Whole numbers beyond 2^24 are even. s = whether the exponent is odd.
  p.clamp(t, p.x1, -33554432, 33554432);
  p.c.muls(s, t, 0.5, p.n);
  p.c.cast(s, s, isa::RoundMode::kTrunc, p.n);
  p.c.muls(s, s, -2, p.n);
  p.c.add(s, s, t, p.n);
  p.c.abs(s, s, p.n);
  p.c.mul(s, s, negative, p.n);
  p.c.muls(s, s, -2, p.n);
  p.c.adds(s, s, 1, p.n);
  p.c.mul(r, r, s, p.n);
  // The square root of a negative number is NaN.
  p.c.cast(s, t, isa::RoundMode::kTrunc, p.n);
  p.c.sub(t, t, s, p.n);
  p.c.abs(t, t, p.n);
  p.c.mul(t, t, negative, p.n);
  p.c.muls(t, t, -1, p.n);
  p.c.sqrt(t, t, p.n);
  p.c.add(p.y, r, t, p.n);
}

}  // namespace davsim::api::lib
