// Pointwise functions of two and three operands.
#pragma once

#include "device/float_scratch.h"
#include "device/pointwise_tiling.h"

namespace davsim_basic {

/// out = 1 where `x mode y`, else 0.
__aicore__ inline void Compared(FloatScratch& scratch, const Floats& out, const Floats& x,
                                const Floats& y, AscendC::CMPMODE mode, uint32_t count) {
  scratch.Compare(x, y, mode, count);
  scratch.Truth(out, count);
}

/// What lies in x becomes 1 where it is not 0.
__aicore__ inline void MakeTruth(FloatScratch& scratch, const Floats& x, uint32_t count) {
  scratch.Compare(x, 0.0f, AscendC::CMPMODE::EQ, count);
  scratch.Untruth(x, count);
}

/// The remainder with the sign of y.
__aicore__ inline void Remainder(FloatScratch& scratch, const Floats& out, const Floats& x,
                                 const Floats& y, uint32_t count) {
  using namespace AscendC;
  Fmod(out, x, y, count);
  const Floats signs = scratch.First(), moved = scratch.Second();
  Add(moved, out, y, count);
  Mul(signs, out, y, count);
  scratch.Compare(signs, 0.0f, CMPMODE::LT, count);
  scratch.Choose(out, moved, out, count);
}

/// False: the function is none of these. Operands may be overwritten where they are tensors.
__aicore__ inline bool OfPairs(FloatScratch& scratch, const PointwiseTiling& tiling,
                               const Floats& out, const Floats* operands, uint32_t count) {
  using namespace AscendC;
  const Floats &x = operands[0], &y = operands[1], &z = operands[2];
  const Floats t = scratch.First();
  switch (tiling.op) {
    case PointwiseOp::kAxpy:
      if (tiling.a == 1) return Add(out, x, y, count), true;
      if (tiling.a == -1) return Sub(out, x, y, count), true;
      Muls(t, y, tiling.a, count);
      return Add(out, x, t, count), true;
    case PointwiseOp::kMul:
      return Mul(out, x, y, count), true;
    case PointwiseOp::kDiv:
      return Div(out, x, y, count), true;
    case PointwiseOp::kFloorDivide:
      Div(t, x, y, count);
      return Cast(out, t, RoundMode::CAST_FLOOR, count), true;
    case PointwiseOp::kTruncDivide:
      Div(t, x, y, count);
      return Cast(out, t, RoundMode::CAST_TRUNC, count), true;
    case PointwiseOp::kFmod:
      return Fmod(out, x, y, count), true;
    case PointwiseOp::kRemainder:
      return Remainder(scratch, out, x, y, count), true;
    case PointwiseOp::kMaximum:
      return Max(out, x, y, count), true;
    case PointwiseOp::kMinimum:
      return Min(out, x, y, count), true;
    case PointwiseOp::kPow:
      return Power(out, x, y, count), true;
    case PointwiseOp::kEq:
      return Compared(scratch, out, x, y, CMPMODE::EQ, count), true;
    case PointwiseOp::kNe:
      scratch.Compare(x, y, CMPMODE::EQ, count);
      return scratch.Untruth(out, count), true;
    case PointwiseOp::kGt:
      return Compared(scratch, out, x, y, CMPMODE::GT, count), true;
    case PointwiseOp::kGe:
      return Compared(scratch, out, x, y, CMPMODE::GE, count), true;
    case PointwiseOp::kLt:
      return Compared(scratch, out, x, y, CMPMODE::LT, count), true;
    case PointwiseOp::kLe:
      return Compared(scratch, out, x, y, CMPMODE::LE, count), true;
    case PointwiseOp::kLogicalAnd:
    case PointwiseOp::kLogicalOr:
    case PointwiseOp::kLogicalXor: {
      const Floats right = scratch.Second();
      Adds(out, x, 0.0f, count);
      Adds(right, y, 0.0f, count);
      MakeTruth(scratch, out, count);
      MakeTruth(scratch, right, count);
      if (tiling.op == PointwiseOp::kLogicalAnd) return Mul(out, out, right, count), true;
      if (tiling.op == PointwiseOp::kLogicalOr) return Max(out, out, right, count), true;
      Sub(out, out, right, count);
      return Abs(out, out, count), true;
    }
    case PointwiseOp::kAddcmul:
      Mul(t, y, z, count);
      Muls(t, t, tiling.a, count);
      return Add(out, x, t, count), true;
    case PointwiseOp::kAddcdiv:
      Div(t, y, z, count);
      Muls(t, t, tiling.a, count);
      return Add(out, x, t, count), true;
    case PointwiseOp::kLerp:
      Sub(t, y, x, count);
      Mul(t, t, z, count);
      return Add(out, x, t, count), true;
    case PointwiseOp::kWhere:
      scratch.Compare(z, 0.0f, CMPMODE::NE, count);
      return scratch.Choose(out, x, y, count), true;
    default:
      return false;
  }
}

}  // namespace davsim_basic
