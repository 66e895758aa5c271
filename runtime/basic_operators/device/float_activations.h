// Activations, and what asks what numbers are.
#pragma once

#include "device/float_scratch.h"
#include "device/pointwise_tiling.h"

namespace davsim_basic {

/// out = x / (1 + exp(-factor * y)). `out` is neither x nor y.
__aicore__ inline void TimesSigmoid(const Floats& out, const Floats& x, const Floats& y,
                                    float factor, uint32_t count) {
  using namespace AscendC;
  Muls(out, y, -factor, count);
  Exp(out, out, count);
  Adds(out, out, 1.0f, count);
  Div(out, x, out, count);
}

/// out = log(1 + exp(factor * x))
__aicore__ inline void LogOnePlusExp(FloatScratch& scratch, const Floats& out, const Floats& x,
                                     float factor, uint32_t count) {
  using namespace AscendC;
  // max(factor * x, 0) + log(1 + exp(-|factor * x|))
  const Floats t = scratch.Third();
  Muls(t, x, factor, count);
  Abs(t, t, count);
  Muls(t, t, -1.0f, count);
  Exp(t, t, count);
  LogOnePlus(scratch, out, t, count);
  Muls(t, x, factor, count);
  Maxs(t, t, 0.0f, count);
  Add(out, out, t, count);
}

/// out = x > 0 ? b * x : a * b * (exp(c * x) - 1)
__aicore__ inline void Elu(FloatScratch& scratch, const Floats& out, const Floats& x, float a,
                           float b, float c, uint32_t count) {
  using namespace AscendC;
  Muls(out, x, b, count);
  const Floats least = scratch.First(), exponent = scratch.Second();
  Mins(least, x, 0.0f, count);
  Muls(exponent, least, c, count);
  Exp(exponent, exponent, count);
  Adds(exponent, exponent, -1.0f, count);
  Muls(exponent, exponent, a * b, count);
  scratch.Compare(x, 0.0f, CMPMODE::GT, count);
  scratch.Choose(out, out, exponent, count);
}

__aicore__ inline void Gelu(FloatScratch& scratch, const Floats& out, const Floats& x,
                            uint32_t count) {
  using namespace AscendC;
  constexpr float kRootOfHalf = 0.70710678118654752f;
  const Floats t = scratch.First();
  Muls(t, x, kRootOfHalf, count);
  Erf(out, t, count);
  Adds(out, out, 1.0f, count);
  Mul(out, out, x, count);
  Muls(out, out, 0.5f, count);
}

__aicore__ inline void GeluTanh(FloatScratch& scratch, const Floats& out, const Floats& x,
                                uint32_t count) {
  using namespace AscendC;
  constexpr float kTwiceRoot = 1.5957691216057308f;  // 2 * sqrt(2 / pi)
  const Floats t = scratch.First();
  Mul(t, x, x, count);
  Muls(t, t, 0.044715f, count);
  Adds(t, t, 1.0f, count);
  Mul(t, t, x, count);
  TimesSigmoid(out, x, t, kTwiceRoot, count);
}

/// x * tanh(log(1 + exp(x)))
__aicore__ inline void Mish(FloatScratch& scratch, const Floats& out, const Floats& x,
                            uint32_t count) {
  using namespace AscendC;
  const Floats t = scratch.First();
  Mins(out, x, 20.0f, count);
  Exp(out, out, count);
  Adds(t, out, 2.0f, count);
  Mul(t, t, out, count);
  Adds(out, t, 2.0f, count);
  Div(t, t, out, count);
  Mul(out, t, x, count);
}

__aicore__ inline void NanToNum(FloatScratch& scratch, const Floats& out, const Floats& x,
                                const PointwiseTiling& tiling, uint32_t count) {
  using namespace AscendC;
  constexpr float kGreatest = 3.4028234663852886e38f;
  scratch.Compare(x, x, CMPMODE::EQ, count);
  scratch.Choose(out, x, tiling.a, count);
  scratch.Compare(out, kGreatest, CMPMODE::LE, count);
  scratch.Choose(out, out, tiling.b, count);
  scratch.Compare(out, -kGreatest, CMPMODE::GE, count);
  scratch.Choose(out, out, tiling.c, count);
}

/// False: the function is none of these.
__aicore__ inline bool Activation(FloatScratch& scratch, const PointwiseTiling& tiling,
                                  const Floats& out, const Floats& x, uint32_t count) {
  using namespace AscendC;
  constexpr float kGreatest = 3.4028234663852886e38f;
  const Floats t = scratch.First();
  switch (tiling.op) {
    case PointwiseOp::kClamp:
      Maxs(out, x, tiling.a, count);
      return Mins(out, out, tiling.b, count), true;
    case PointwiseOp::kElu:
      return Elu(scratch, out, x, tiling.a, tiling.b, tiling.c, count), true;
    case PointwiseOp::kGelu:
      return davsim_basic::Gelu(scratch, out, x, count), true;
    case PointwiseOp::kGeluTanh:
      return GeluTanh(scratch, out, x, count), true;
    case PointwiseOp::kHardsigmoid:
      Muls(out, x, 1.0f / 6, count);
      Adds(out, out, 0.5f, count);
      Maxs(out, out, 0.0f, count);
      return Mins(out, out, 1.0f, count), true;
    case PointwiseOp::kHardswish:
      Adds(out, x, 3.0f, count);
      Maxs(out, out, 0.0f, count);
      Mins(out, out, 6.0f, count);
      Muls(out, out, 1.0f / 6, count);
      return Mul(out, out, x, count), true;
    case PointwiseOp::kIsFinite:
      Abs(t, x, count);
      scratch.Compare(t, kGreatest, CMPMODE::LE, count);
      return scratch.Truth(out, count), true;
    case PointwiseOp::kIsInf:
      Abs(t, x, count);
      scratch.Compare(t, kGreatest, CMPMODE::GT, count);
      return scratch.Truth(out, count), true;
    case PointwiseOp::kLeakyRelu:
      Muls(out, x, tiling.a, count);
      scratch.Compare(x, 0.0f, CMPMODE::GT, count);
      return scratch.Choose(out, x, out, count), true;
    case PointwiseOp::kLogicalNot:
      scratch.Compare(x, 0.0f, CMPMODE::EQ, count);
      return scratch.Truth(out, count), true;
    case PointwiseOp::kLogSigmoid:  // -log(1 + exp(-x))
      LogOnePlusExp(scratch, out, x, -1.0f, count);
      return Muls(out, out, -1.0f, count), true;
    case PointwiseOp::kMish:
      return Mish(scratch, out, x, count), true;
    case PointwiseOp::kNanToNum:
      return NanToNum(scratch, out, x, tiling, count), true;
    case PointwiseOp::kRelu:
      return Relu(out, x, count), true;
    case PointwiseOp::kSigmoid:
      Duplicate(t, 1.0f, count);
      return TimesSigmoid(out, t, x, 1.0f, count), true;
    case PointwiseOp::kSoftplus:
      LogOnePlusExp(scratch, out, x, tiling.a, count);
      Muls(out, out, 1 / tiling.a, count);
      Muls(t, x, tiling.a, count);
      scratch.Compare(t, tiling.b, CMPMODE::GT, count);
      return scratch.Choose(out, x, out, count), true;
    case PointwiseOp::kSwish:
      return TimesSigmoid(out, x, x, tiling.a, count), true;
    case PointwiseOp::kThreshold:
      scratch.Compare(x, tiling.a, CMPMODE::GT, count);
      return scratch.Choose(out, x, tiling.b, count), true;
    default:
      return false;
  }
}

}  // namespace davsim_basic
