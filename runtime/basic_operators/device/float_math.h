// Pointwise functions of float.
#pragma once

#include "device/float_activations.h"
#include "device/float_pairs.h"
#include "device/float_scratch.h"
#include "device/pointwise_tiling.h"
#include "kernel_operator.h"

namespace davsim_basic {

class FloatMath {
 public:
  __aicore__ static inline float Number(const PointwiseTiling& tiling, uint32_t operand) {
    return tiling.number[operand];
  }

  __aicore__ inline void Init(AscendC::TPipe& pipe, uint32_t tile) { scratch_.Init(pipe, tile); }

  __aicore__ inline void Run(const PointwiseTiling& tiling, const Floats& out,
                             const Floats* operands, uint32_t count) {
    if (Elementary(tiling.op, out, operands[0], count)) return;
    if (Activation(scratch_, tiling, out, operands[0], count)) return;
    if (OfPairs(scratch_, tiling, out, operands, count)) return;
    ASSERT(false && "the host does what is missing here by itself");
  }

 private:
  /// False: it is another kind of function.
  __aicore__ inline bool Elementary(PointwiseOp op, const Floats& out, const Floats& x,
                                    uint32_t count) {
    using namespace AscendC;
    constexpr float kLn2 = 0.693147180559945f, kLn10 = 2.302585092994046f;
    const Floats t = scratch_.First();
    switch (op) {
      case PointwiseOp::kCopy:
        return Adds(out, x, 0.0f, count), true;
      case PointwiseOp::kAbs:
        return Abs(out, x, count), true;
      case PointwiseOp::kAcos:
        return Acos(out, x, count), true;
      case PointwiseOp::kAcosh:
        return Acosh(out, x, count), true;
      case PointwiseOp::kAsin:
        return Asin(out, x, count), true;
      case PointwiseOp::kAsinh:
        return Asinh(out, x, count), true;
      case PointwiseOp::kAtan:
        return Atan(out, x, count), true;
      case PointwiseOp::kAtanh:
        return Atanh(out, x, count), true;
      case PointwiseOp::kCos:
        return Cos(out, x, count), true;
      case PointwiseOp::kCosh:
        return Cosh(out, x, count), true;
      case PointwiseOp::kErf:
        return Erf(out, x, count), true;
      case PointwiseOp::kErfc:
        return Erfc(out, x, count), true;
      case PointwiseOp::kSign:
        return Sign(out, x, count), true;
      case PointwiseOp::kSin:
        return Sin(out, x, count), true;
      case PointwiseOp::kSinh:
        return Sinh(out, x, count), true;
      case PointwiseOp::kTan:
        return Tan(out, x, count), true;
      case PointwiseOp::kTanh:
        return Tanh(out, x, count), true;
      case PointwiseOp::kCeil:
        return Cast(out, x, RoundMode::CAST_CEIL, count), true;
      case PointwiseOp::kFloor:
        return Cast(out, x, RoundMode::CAST_FLOOR, count), true;
      case PointwiseOp::kRound:
        return Cast(out, x, RoundMode::CAST_RINT, count), true;
      case PointwiseOp::kTrunc:
        return Cast(out, x, RoundMode::CAST_TRUNC, count), true;
      case PointwiseOp::kFrac:
        Cast(t, x, RoundMode::CAST_TRUNC, count);
        return Sub(out, x, t, count), true;
      case PointwiseOp::kExp:
        return Exp(out, x, count), true;
      case PointwiseOp::kExp2:
        Muls(t, x, kLn2, count);
        return Exp(out, t, count), true;
      case PointwiseOp::kExpm1:
        return ExpMinusOne(scratch_, out, x, count), true;
      case PointwiseOp::kLog:
        return Ln(out, x, count), true;
      case PointwiseOp::kLog2:
        Ln(t, x, count);
        return Muls(out, t, 1 / kLn2, count), true;
      case PointwiseOp::kLog10:
        Ln(t, x, count);
        return Muls(out, t, 1 / kLn10, count), true;
      case PointwiseOp::kLog1p:
        return LogOnePlus(scratch_, out, x, count), true;
      case PointwiseOp::kNeg:
        return Muls(out, x, -1.0f, count), true;
      case PointwiseOp::kReciprocal:
        Duplicate(t, 1.0f, count);
        return Div(out, t, x, count), true;
      case PointwiseOp::kRsqrt:
        Sqrt(t, x, count);
        Duplicate(out, 1.0f, count);
        return Div(out, out, t, count), true;
      case PointwiseOp::kSqrt:
        return Sqrt(out, x, count), true;
      default:
        return false;
    }
  }

  FloatScratch scratch_;
};

}  // namespace davsim_basic
