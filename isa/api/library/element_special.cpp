// Error and gamma functions.
#include "isa/api/library/element_formulas.hpp"

namespace davsim::api::lib {

namespace {

/// w[2] = erfc(|x|): t exp(-x^2 + a polynomial in t) with t = 1 / (1 + |x| / 2), a Chebyshev fit to
/// 1.3e-8 of the result up to |x| = 98. w[0] = |x|.
void complement(const Piece& p) {
  const Tensor &z = p.w[0], &t = p.w[1], &e = p.w[2], &square = p.w[3];
  p.c.abs(z, p.x, p.n);
  p.c.muls(t, z, 0.5, p.n);
  p.c.adds(t, t, 1, p.n);
  p.invert(t, t, e);
  p.polynomial(e, t,
               {-0.18614038852, 1.03293983972, -2.30657868738, 2.53926673608, -1.34696814747,
                0.403598741092, -0.258464046814, -0.0690183624212, 0.0817980772279, 0.375080492091,
                0.99999783513, -1.26551210142});
  p.c.mul(square, z, z, p.n);
  p.c.sub(e, e, square, p.n);
  p.c.exp(e, e, p.n);
  p.c.mul(e, e, t, p.n);
}

/// w[0] = a = |x - 0.5| + 0.5, so x or 1 - x; w[1] = whether a < 8; w[2] = a, or a + 8 there.
void shift(const Piece& p) {
  p.c.adds(p.w[0], p.x, -0.5, p.n);
  p.c.abs(p.w[0], p.w[0], p.n);
  p.c.adds(p.w[0], p.w[0], 0.5, p.n);
  p.exceeds(p.w[1], p.w[0], 8, -1);
  p.c.muls(p.w[2], p.w[1], 8, p.n);
  p.c.add(p.w[2], p.w[2], p.w[0], p.n);
}

/// w[1] = whether x < 0.5, w[0] = pi (x - its nearest whole number). From 2^23 on all floats are
/// whole numbers. Works on w[4].
void reflect(const Piece& p) {
  p.exceeds(p.w[1], p.x, 0.5, -1);
  p.clamp(p.w[4], p.x, -8388608, 8388608);
  p.c.cast(p.w[0], p.w[4], isa::RoundMode::kRint, p.n);
  p.c.sub(p.w[0], p.w[4], p.w[0], p.n);
  p.c.muls(p.w[0], p.w[0], 3.14159265358979, p.n);
}

/// t = t where the gate is 1, else 1; `other` is work.
void or_one(const Piece& p, const Tensor& t, const Tensor& gate, const Tensor& other) {
  p.c.mul(t, t, gate, p.n);
  p.c.muls(other, gate, -1, p.n);
  p.c.adds(other, other, 1, p.n);
  p.c.add(t, t, other, p.n);
}

}  // namespace

void formula_Erfc(const Piece& p) {
  complement(p);
  // 2 - erfc(|x|) where x is negative
  const Tensor &t = p.w[1], &e = p.w[2], &negative = p.w[3];
  p.c.muls(negative, p.x, -1e38, p.n);
  p.c.muls(negative, negative, 1e38, p.n);
  p.clamp(negative, negative, 0, 1);
  p.c.muls(t, e, -2, p.n);
  p.c.adds(t, t, 2, p.n);
  p.c.mul(t, t, negative, p.n);
  p.c.add(p.y, e, t, p.n);
}

/// 1 - erfc(|x|), and a series up to 0.4
void formula_Erf(const Piece& p) {
  complement(p);
  const Tensor &z = p.w[0], &s = p.w[1], &big = p.w[2], &t = p.w[3], &small = p.w[4];
  p.c.muls(big, big, -1, p.n);
  p.c.adds(big, big, 1, p.n);
  p.c.mins(s, z, 0.5, p.n);
  p.c.mul(t, s, s, p.n);
  p.polynomial(small, t,
               {-8.54832702304e-4, 5.22397762544e-3, -2.68661706452e-2, 1.12837916710e-1,
                -3.76126389032e-1, 1.12837916709551});
  p.c.mul(small, small, s, p.n);
  p.exceeds(t, z, 0.4);
  p.choose(big, small, t);
  p.sign(t, p.x);
  p.c.mul(p.y, big, t, p.n);
}

/// Stirling's series from 8 on, reached by the recurrence, and the reflection of x < 0.5.
void formula_Lgamma(const Piece& p) {
  const Tensor &a = p.w[0], &gate = p.w[1], &z = p.w[2], &f = p.w[3], &product = p.w[4],
               &t = p.w[5];
  shift(p);
  // product = ln(a (a + 1) ... (a + 7)) where a < 8, else 0
  p.c.mins(f, a, 8, p.n);
  p.c.copy(product, f, p.n);
  for (int i = 1; i < 8; ++i) {
    p.c.adds(t, f, i, p.n);
    p.c.mul(product, product, t, p.n);
  }
  p.c.ln(product, product, p.n);
  p.c.mul(product, product, gate, p.n);
  // f = (z - 1 / 2) (ln z - 1) + 1 / (12 z) - 1 / (360 z^3) + 1 / (1260 z^5) + a constant
  p.c.ln(f, z, p.n);
  p.c.adds(f, f, -1, p.n);
  p.c.adds(t, z, -0.5, p.n);
  p.c.mul(f, f, t, p.n);
  p.invert(t, z, a);
  p.c.mul(z, t, t, p.n);
  p.polynomial(a, z, {1.0 / 1260, -1.0 / 360, 1.0 / 12});
  p.c.mul(a, a, t, p.n);
  p.c.add(f, f, a, p.n);
  p.c.adds(f, f, 0.918938533204673 - 0.5, p.n);
  p.c.sub(f, f, product, p.n);
  // ln(pi) - ln|sin(pi x)| - f
  reflect(p);
  const Tensor& s = p.w[2];
  p.sine(s, p.w[4], p.w[0]);
  p.c.abs(s, s, p.n);
  or_one(p, s, gate, t);
  p.c.ln(s, s, p.n);
  p.c.muls(s, s, -1, p.n);
  p.c.adds(s, s, 1.1447298858494, p.n);
  p.c.mins(t, f, 1e37, p.n);
  p.c.muls(t, t, -2, p.n);
  p.c.add(s, s, t, p.n);
  p.c.mul(s, s, gate, p.n);
  p.c.add(p.y, f, s, p.n);
}

/// The asymptotic series from 8 on, the recurrence, and psi(1 - x) - pi / tan(pi x).
void formula_Digamma(const Piece& p) {
  const Tensor &a = p.w[0], &gate = p.w[1], &z = p.w[2], &f = p.w[3], &t = p.w[4], &u = p.w[5];
  shift(p);
  p.c.ln(f, z, p.n);
  p.invert(t, z, u);
  p.c.mul(u, t, t, p.n);
  p.c.muls(t, t, -0.5, p.n);
  p.c.add(f, f, t, p.n);
  p.polynomial(z, u, {-1.0 / 252, 1.0 / 120, -1.0 / 12});
  p.c.mul(z, z, u, p.n);
  p.c.add(f, f, z, p.n);
  p.c.fill(z, 1, p.n);
  for (int i = 0; i < 8; ++i) {
    p.c.adds(u, a, i, p.n);
    p.c.div(u, z, u, p.n);
    p.c.mul(u, u, gate, p.n);
    p.c.sub(f, f, u, p.n);
  }
  reflect(p);
  const Tensor &r = p.w[0], &s = p.w[2], &cosine = p.w[5];
  p.sine(s, t, r);
  p.c.abs(t, r, p.n);
  p.c.muls(t, t, -1, p.n);
  p.c.adds(t, t, 1.5707963267949, p.n);
  p.sine(cosine, r, t);
  or_one(p, s, gate, t);
  p.c.div(cosine, cosine, s, p.n);
  p.c.muls(cosine, cosine, 3.14159265358979, p.n);
  p.c.mul(cosine, cosine, gate, p.n);
  p.c.sub(p.y, f, cosine, p.n);
}

}  // namespace davsim::api::lib
