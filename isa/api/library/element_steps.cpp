// Steps that the formulas of element-wise functions share. Lanes are chosen by factors of 0 and 1,
// which clamped differences give.
#include "isa/api/library/element_formulas.hpp"

namespace davsim::api::lib {

namespace {
constexpr double kFar = 1e30, kFarther = 1e38;
}

void Piece::exceeds(const Tensor& t, const Tensor& from, double limit, double sign) const {
  // A difference of floats of this size is 1e-7 and more, or 0.
  if (sign < 0) {
    c.muls(t, from, -1, n);
    c.adds(t, t, limit, n);
  } else {
    c.adds(t, from, -limit, n);
  }
  c.muls(t, t, kFar, n);
  clamp(t, t, 0, 1);
}

void Piece::sign(const Tensor& t, const Tensor& from) const {
  c.muls(t, from, kFarther, n);
  c.muls(t, t, kFarther, n);
  clamp(t, t, -1, 1);
}

void Piece::clamp(const Tensor& t, const Tensor& from, double lowest, double highest) const {
  c.maxs(t, from, lowest, n);
  c.mins(t, t, highest, n);
}

void Piece::invert(const Tensor& t, const Tensor& of, const Tensor& ones) const {
  c.fill(ones, 1, n);
  c.div(t, ones, of, n);
}

void Piece::polynomial(const Tensor& t, const Tensor& z,
                       std::initializer_list<double> terms) const {
  const double* term = terms.begin();
  c.muls(t, z, *term++, n);
  for (; term + 1 != terms.end(); ++term) {
    c.adds(t, t, *term, n);
    c.mul(t, t, z, n);
  }
  c.adds(t, t, *term, n);
}

void Piece::choose(const Tensor& big, const Tensor& small, const Tensor& gate) const {
  c.sub(big, big, small, n);
  c.mul(big, big, gate, n);
  c.add(big, big, small, n);
}

void Piece::sine(const Tensor& out, const Tensor& z, const Tensor& r) const {
  c.mul(z, r, r, n);
  polynomial(out, z,
             {-2.50521083854417e-8, 2.75573192239859e-6, -1.98412698412698e-4, 8.33333333333333e-3,
              -1.66666666666667e-1});
  c.mul(out, out, z, n);
  c.mul(out, out, r, n);
  c.add(out, out, r, n);
}

void Piece::arctangent(const Tensor& v) const {
  constexpr double kTangent = 0.414213562373095, kEighth = 0.392699081698724,
                   kHalfPi = 1.5707963267949;
  const Tensor &a = w[1], &t = w[2], &gate = w[3], &s = w[4], &tmp = w[5];
  // t = |v|, or 1 / |v| where that is smaller; its angle or the rest of a right angle
  c.abs(a, v, n);
  invert(t, a, s);
  c.binary(op::kMin, t, t, a, n);
  // From 0.2 on, the difference to an eighth of a half turn.
  exceeds(gate, t, 0.2);
  c.muls(s, gate, kTangent, n);
  c.mul(tmp, t, s, n);
  c.adds(tmp, tmp, 1, n);
  c.sub(t, t, s, n);
  c.div(t, t, tmp, n);
  c.mul(s, t, t, n);
  polynomial(tmp, s, {1.0 / 13, -1.0 / 11, 1.0 / 9, -1.0 / 7, 1.0 / 5, -1.0 / 3, 1.0});
  c.mul(t, t, tmp, n);
  c.muls(gate, gate, kEighth, n);
  c.add(t, t, gate, n);
  exceeds(gate, a, 1);
  c.muls(s, t, -2, n);
  c.adds(s, s, kHalfPi, n);
  c.mul(s, s, gate, n);
  c.add(t, t, s, n);
  sign(s, v);
}

}  // namespace davsim::api::lib
