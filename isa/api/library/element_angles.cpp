// Trigonometric and hyperbolic functions and their inverses.
#include "isa/api/library/element_formulas.hpp"

namespace davsim::api::lib {

namespace {

constexpr double kPi = 3.14159265358979, kLn2 = 0.693147180559945;

/// w[0] = k, the multiple of pi next to x (plus a half where `half`), w[1] = x - k pi, whose
/// magnitude is pi / 2 at most. Pi has parts of nine bits, whose products with k are exact.
void reduce(const Piece& p, bool half) {
  constexpr double kParts[] = {3.140625, 0.0009670257568359375, 6.2771141529083251953e-7,
                               1.2154201013012385e-10};
  const Tensor &k = p.w[0], &r = p.w[1], &t = p.w[2];
  p.c.muls(k, p.x, 1 / kPi, p.n);
  if (half) p.c.adds(k, k, 0.5, p.n);
  p.c.cast(k, k, isa::RoundMode::kRint, p.n);
  if (half) p.c.adds(k, k, -0.5, p.n);
  for (const double part : kParts) {
    p.c.muls(t, k, -part, p.n);
    p.c.add(r, part == kParts[0] ? p.x : r, t, p.n);
  }
}

/// y = sin(w[1]), negative where k is odd.
void signed_sine(const Piece& p, bool half) {
  const Tensor &k = p.w[0], &r = p.w[1], &z = p.w[2], &s = p.w[3];
  p.sine(s, z, r);
  if (half) p.c.adds(k, k, 0.5, p.n);
  // 1 - 2 (k mod 2) = 1 - 2 k + 4 floor(k / 2)
  p.c.muls(r, k, 0.5, p.n);
  p.c.cast(r, r, isa::RoundMode::kFloor, p.n);
  p.c.muls(r, r, 4, p.n);
  p.c.muls(k, k, -2, p.n);
  p.c.add(r, r, k, p.n);
  p.c.adds(r, r, 1, p.n);
  p.c.mul(p.y, s, r, p.n);
}

}  // namespace

void formula_Sin(const Piece& p) {
  reduce(p, false);
  signed_sine(p, false);
}
/// cos(x) = sin(x + pi / 2)
void formula_Cos(const Piece& p) {
  reduce(p, true);
  signed_sine(p, true);
}
void formula_Tan(const Piece& p) {
  reduce(p, false);
  const Tensor &r = p.w[1], &z = p.w[2], &s = p.w[3], &cosine = p.w[4], &rest = p.w[0];
  p.sine(s, z, r);
  // cos(r) = sin(pi / 2 - |r|), pi / 2 in two parts
  p.c.abs(rest, r, p.n);
  p.c.muls(rest, rest, -1, p.n);
  p.c.adds(rest, rest, 1.57079637050628662, p.n);
  p.c.adds(rest, rest, -4.37113900018624e-8, p.n);
  p.sine(cosine, z, rest);
  p.c.div(p.y, s, cosine, p.n);
}

void formula_Asin(const Piece& p) {
  const Tensor &v = p.w[0], &t = p.w[1];
  p.c.muls(v, p.x, -1, p.n);
  p.c.adds(v, v, 1, p.n);
  p.c.adds(t, p.x, 1, p.n);
  p.c.mul(v, v, t, p.n);
  p.c.sqrt(v, v, p.n);
  p.c.div(v, p.x, v, p.n);
  p.arctangent(v);
  p.c.mul(p.y, p.w[2], p.w[4], p.n);
}
/// 2 arctan(sqrt((1 - x) / (1 + x)))
void formula_Acos(const Piece& p) {
  const Tensor &v = p.w[0], &t = p.w[1];
  p.c.muls(v, p.x, -1, p.n);
  p.c.adds(v, v, 1, p.n);
  p.c.adds(t, p.x, 1, p.n);
  p.c.div(v, v, t, p.n);
  p.c.sqrt(v, v, p.n);
  p.arctangent(v);
  p.c.muls(p.w[2], p.w[2], 2, p.n);
  p.c.mul(p.y, p.w[2], p.w[4], p.n);
}
void formula_Atan(const Piece& p) {
  p.arctangent(p.x);
  p.c.mul(p.y, p.w[2], p.w[4], p.n);
}

/// (e^x - e^-x) / 2, and a series up to 0.5, where the difference would cancel
void formula_Sinh(const Piece& p) {
  const Tensor &s = p.w[0], &big = p.w[1], &small = p.w[2], &t = p.w[3];
  p.clamp(s, p.x, -1, 1);
  p.c.mul(t, s, s, p.n);
  p.polynomial(small, t, {1.0 / 5040, 1.0 / 120, 1.0 / 6, 1});
  p.c.mul(small, small, s, p.n);
  p.c.adds(big, p.x, -kLn2, p.n);
  p.c.exp(big, big, p.n);
  p.c.muls(t, p.x, -1, p.n);
  p.c.adds(t, t, -kLn2, p.n);
  p.c.exp(t, t, p.n);
  p.c.sub(big, big, t, p.n);
  p.c.abs(t, p.x, p.n);
  p.exceeds(t, t, 0.5);
  p.c.sub(big, big, small, p.n);
  p.c.mul(big, big, t, p.n);
  p.c.add(p.y, big, small, p.n);
}
void formula_Cosh(const Piece& p) {
  p.c.adds(p.w[0], p.x, -kLn2, p.n);
  p.c.exp(p.w[0], p.w[0], p.n);
  p.c.muls(p.w[1], p.x, -1, p.n);
  p.c.adds(p.w[1], p.w[1], -kLn2, p.n);
  p.c.exp(p.w[1], p.w[1], p.n);
  p.c.add(p.y, p.w[0], p.w[1], p.n);
}

/// sign(x) ln(|x| + sqrt(x^2 + 1)), and a series up to 0.25. Squares are of 1e9 at most, from where
/// on the root is |x|.
void formula_Asinh(const Piece& p) {
  const Tensor &a = p.w[0], &m = p.w[1], &root = p.w[2], &t = p.w[3], &small = p.w[4];
  p.c.abs(a, p.x, p.n);
  p.c.mins(m, a, 1e9, p.n);
  p.c.mul(root, m, m, p.n);
  p.c.adds(root, root, 1, p.n);
  p.c.sqrt(root, root, p.n);
  p.c.sub(t, a, m, p.n);
  p.c.add(root, root, t, p.n);
  p.c.muls(root, root, 0.5, p.n);  // halves do not overflow
  p.c.muls(t, a, 0.5, p.n);
  p.c.add(root, root, t, p.n);
  p.c.ln(root, root, p.n);
  p.c.adds(root, root, kLn2, p.n);
  p.c.mins(m, a, 0.5, p.n);
  p.c.mul(t, m, m, p.n);
  p.polynomial(small, t, {105.0 / 3456, -15.0 / 336, 3.0 / 40, -1.0 / 6, 1});
  p.c.mul(small, small, m, p.n);
  p.exceeds(t, a, 0.25);
  p.choose(root, small, t);
  p.sign(t, p.x);
  p.c.mul(p.y, root, t, p.n);
}
void formula_Acosh(const Piece& p) {
  const Tensor &m = p.w[0], &root = p.w[1], &t = p.w[2];
  p.c.mins(m, p.x, 1e9, p.n);
  p.c.maxs(m, m, 0, p.n);  // the root of -1 for all that is negative
  p.c.adds(root, m, -1, p.n);
  p.c.adds(t, m, 1, p.n);
  p.c.mul(root, root, t, p.n);
  p.c.sqrt(root, root, p.n);
  p.c.sub(t, p.x, m, p.n);
  p.c.add(root, root, t, p.n);
  p.c.muls(root, root, 0.5, p.n);
  p.c.muls(t, p.x, 0.5, p.n);
  p.c.add(root, root, t, p.n);
  p.c.ln(root, root, p.n);
  p.c.adds(p.y, root, kLn2, p.n);
}
/// ln((1 + x) / (1 - x)) / 2, and a series up to 0.2
void formula_Atanh(const Piece& p) {
  const Tensor &big = p.w[0], &s = p.w[1], &t = p.w[2], &small = p.w[3];
  p.c.adds(big, p.x, 1, p.n);
  p.c.muls(t, p.x, -1, p.n);
  p.c.adds(t, t, 1, p.n);
  p.c.div(big, big, t, p.n);
  p.c.ln(big, big, p.n);
  p.c.muls(big, big, 0.5, p.n);
  p.clamp(s, p.x, -0.5, 0.5);
  p.c.mul(t, s, s, p.n);
  p.polynomial(small, t, {1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1});
  p.c.mul(small, small, s, p.n);
  p.c.abs(t, p.x, p.n);
  p.exceeds(t, t, 0.2);
  p.c.sub(big, big, small, p.n);
  p.c.mul(big, big, t, p.n);
  p.c.add(p.y, big, small, p.n);
}

}  // namespace davsim::api::lib
