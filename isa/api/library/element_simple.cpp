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

namespace {

/// t = 0 or 1: whether the exponent is odd. Whole numbers beyond 2^24 are even.
void odd_exponent(const Piece& p, const Tensor& odd, const Tensor& t) {
  p.clamp(t, p.x1, -33554432, 33554432);
  p.c.muls(odd, t, 0.5, p.n);
  p.c.cast(odd, odd, isa::RoundMode::kTrunc, p.n);
  p.c.muls(odd, odd, -2, p.n);
  p.c.add(odd, odd, t, p.n);
  p.c.abs(odd, odd, p.n);
}

/// t = 0 for a whole exponent, else between 0 and 1.
void broken_part(const Piece& p, const Tensor& t, const Tensor& work) {
  p.clamp(t, p.x1, -33554432, 33554432);
  p.c.cast(work, t, isa::RoundMode::kTrunc, p.n);
  p.c.sub(t, t, work, p.n);
  p.c.abs(t, t, p.n);
}

/// r += NaN where a negative finite base has a broken exponent: the square root of -1 is NaN.
void refuse_broken_exponents(const Piece& p, const Tensor& r, const Tensor& t, const Tensor& s,
                             const Tensor& u) {
  broken_part(p, t, s);
  p.c.muls(t, t, 1e38, p.n);
  p.c.mins(t, t, 1, p.n);
  p.c.muls(s, p.x, -1e38, p.n);
  p.c.muls(s, s, 1e38, p.n);
  p.clamp(s, s, 0, 1);
  p.c.mul(t, t, s, p.n);
  p.c.abs(u, p.x, p.n);
  p.invert(s, u, s);
  p.c.mins(s, s, 1, p.n);
  p.c.mul(t, t, s, p.n);
  p.c.muls(t, t, -1, p.n);
  p.c.sqrt(t, t, p.n);
  p.c.add(r, r, t, p.n);
}

/// y = r, or 1 where the exponent is 0 or the base is 1, NaN on the other side included: chosen by
/// bits, since arithmetic keeps NaN.
void one_where_powers_are(const Piece& p, const Tensor& r, const Tensor& t, const Tensor& s,
                          const Tensor& u) {
  constexpr double kOne = 0x3f800000;  // the bits of 1.0f
  const auto whole = [](const Tensor& tensor) { return tensor.as(isa::DType::kI32); };
  const auto bits = [](const Tensor& tensor) { return tensor.as(isa::DType::kI16); };
  const Tensor ti = whole(t), si = whole(s), ui = whole(u);
  // t = the exponent's magnitude, s = 0 where the base is 1; both become 0 or 1.
  p.c.muls(ti, whole(p.x1), 2, p.n);
  p.c.shift_right(ti, ti, 1, p.n);
  p.c.adds(si, whole(p.x), -kOne, p.n);
  for (const Tensor& tensor : {ti, si}) {
    p.c.muls(ui, tensor, -1, p.n);
    p.c.binary(op::kMax, tensor, tensor, ui, p.n);
    p.clamp(tensor, tensor, -1, 1);  // the magnitude of the smallest number stays negative
    p.c.mul(tensor, tensor, tensor, p.n);
  }
  p.c.mul(ti, ti, si, p.n);
  p.c.muls(si, ti, -1, p.n);
  p.c.binary(op::kAnd, bits(r), bits(r), bits(s), 2 * p.n);
  p.c.adds(si, si, 1, p.n);
  p.c.muls(si, si, kOne, p.n);
  p.c.binary(op::kOr, bits(p.y), bits(r), bits(s), 2 * p.n);
}

}  // namespace

/// exp(y ln|x|), with the sign and the NaN of a negative base.
void formula_Power(const Piece& p) {
  const Tensor &r = p.w[0], &negative = p.w[1], &t = p.w[2], &s = p.w[3];
  // Finite numbers in place of infinite ones: 0 times them is 0.
  p.c.abs(r, p.x, p.n);
  p.c.ln(r, r, p.n);
  p.clamp(r, r, -3e38, 3e38);
  p.clamp(t, p.x1, -3e38, 3e38);
  p.c.mul(r, r, t, p.n);
  p.c.exp(r, r, p.n);
  // -1 where the base has a sign, -0 too, and the exponent is whole
  p.c.shift_right(negative.as(isa::DType::kI32), p.x.as(isa::DType::kI32), 31, p.n);
  p.c.cast(negative, negative.as(isa::DType::kI32), isa::RoundMode::kNone, p.n);
  broken_part(p, t, s);
  p.c.cast(t, t, isa::RoundMode::kCeil, p.n);
  p.c.muls(t, t, -1, p.n);
  p.c.adds(t, t, 1, p.n);
  p.c.mul(negative, negative, t, p.n);
  odd_exponent(p, s, t);
  p.c.mul(s, s, negative, p.n);
  p.c.muls(s, s, 2, p.n);
  p.c.adds(s, s, 1, p.n);
  p.c.mul(r, r, s, p.n);
  refuse_broken_exponents(p, r, t, s, negative);
  one_where_powers_are(p, r, t, s, negative);
}

}  // namespace davsim::api::lib
