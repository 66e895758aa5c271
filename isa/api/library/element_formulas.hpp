// The formulas of functions that work element by element, on a piece that fits the temporary
// buffer. A formula writes `y` with its last instruction, because y may be x.
#pragma once

#include "isa/api/library/code.hpp"
#include "kernel_tiling/element_functions.h"

namespace davsim::api::lib {

struct Piece {
  const Code& c;
  Tensor y, x, x1;  ///< floats; x1 only where there are two sources
  Tensor w[6];      ///< as many as the function has
  std::uint32_t n;
  double scalar;

  // Steps that several formulas have in common.

  /// t = 0 or 1: whether the elements of `from` times `sign` exceed `sign` times `limit`. t may be
  /// `from`.
  void exceeds(const Tensor& t, const Tensor& from, double limit, double sign = 1) const;
  /// t = -1, 0 or 1 by the sign of `from`; NaN stays.
  void sign(const Tensor& t, const Tensor& from) const;
  /// t = lowest ... highest of `from`.
  void clamp(const Tensor& t, const Tensor& from, double lowest, double highest) const;
  /// t = 1 / of. `of` may be t.
  void invert(const Tensor& t, const Tensor& of, const Tensor& ones) const;
  /// t = z^k first + ... + last, by Horner's rule.
  void polynomial(const Tensor& t, const Tensor& z, std::initializer_list<double> terms) const;
  /// big = small where gate is 0, big where it is 1.
  void choose(const Tensor& big, const Tensor& small, const Tensor& gate) const;
  /// out = sin(r) for |r| up to pi / 2; z is work.
  void sine(const Tensor& out, const Tensor& z, const Tensor& r) const;
  /// w[2] = arctan(v) but for its sign, which is in w[4]; works on w[1] to w[5].
  void arctangent(const Tensor& v) const;
};

#define DAVSIM_FORMULA(name, sources, work) void formula_##name(const Piece& p);
DAVSIM_ELEMENT_FUNCTIONS(DAVSIM_FORMULA)
#undef DAVSIM_FORMULA

}  // namespace davsim::api::lib
