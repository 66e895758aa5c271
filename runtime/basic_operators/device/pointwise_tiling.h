// What the host tells the kernel of pointwise functions. Both sides include this file.
#pragma once

#include <cstdint>

namespace davsim_basic {

/// x, y and z are the operands, a, b and c numbers of the call.
enum class PointwiseOp : std::uint32_t {
  // Of one operand.
  kCopy,
  kAbs,
  kAcos,
  kAcosh,
  kAsin,
  kAsinh,
  kAtan,
  kAtanh,
  kCeil,
  kClamp,  ///< to [a, b]
  kCos,
  kCosh,
  kElu,  ///< x > 0 ? b * x : a * b * (exp(c * x) - 1)
  kErf,
  kErfc,
  kExp,
  kExp2,
  kExpm1,
  kFloor,
  kFrac,
  kGelu,      ///< by the error function
  kGeluTanh,  ///< by the hyperbolic tangent
  kHardsigmoid,
  kHardswish,
  kIsFinite,
  kIsInf,
  kLeakyRelu,  ///< x > 0 ? x : a * x
  kLog,
  kLog10,
  kLog1p,
  kLog2,
  kLogicalNot,
  kLogSigmoid,
  kMish,
  kNanToNum,  ///< NaN to a, inf to b, -inf to c
  kNeg,
  kReciprocal,
  kRelu,
  kRound,  ///< halves to even
  kRsqrt,
  kSigmoid,
  kSign,
  kSin,
  kSinh,
  kSoftplus,  ///< a * x > b ? x : log(1 + exp(a * x)) / a
  kSqrt,
  kSwish,  ///< x * sigmoid(a * x)
  kTan,
  kTanh,
  kThreshold,  ///< x > a ? x : b
  kTrunc,
  // Of two.
  kAtan2,
  kAxpy,  ///< x + a * y
  kBitAnd,
  kBitOr,
  kBitXor,
  kDiv,
  kEq,
  kFloorDivide,
  kFmod,  ///< with the sign of x
  kGe,
  kGt,
  kLe,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kLt,
  kMaximum,
  kMinimum,
  kMul,
  kNe,
  kPow,
  kRemainder,  ///< with the sign of y
  kTruncDivide,
  // Of three.
  kAddcdiv,  ///< x + a * y / z
  kAddcmul,  ///< x + a * y * z
  kLerp,     ///< x + z * (y - x)
  kWhere,    ///< z != 0 ? x : y
};

enum class Element : std::uint32_t { kFloat, kHalf, kBfloat, kInt32, kBool };

inline constexpr std::uint32_t kMostOperands = 3;

struct PointwiseTiling {
  std::uint64_t elements;
  std::uint64_t share;  ///< elements of a core, whole DataBlocks; the last core has what is left
  std::uint32_t tile;   ///< elements that are in UB at a time, whole repeats
  PointwiseOp op;
  Element in, out;
  std::uint32_t operands;
  std::uint32_t is_number[kMostOperands];  ///< 1: the operand is one number, not a tensor
  std::uint32_t whole;                     ///< 1: computed in int32, else in float
  float number[kMostOperands];             ///< the operands that are numbers
  std::int32_t whole_number[kMostOperands];
  float a, b, c;
  std::int32_t whole_a, whole_b;
};

}  // namespace davsim_basic
