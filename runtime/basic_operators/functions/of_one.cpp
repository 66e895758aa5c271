// Functions of one tensor: functions/of_one.txt.
#include <cmath>
#include <limits>

#include "lists/of_one.h"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// What a function makes of `self`, and with which numbers.
struct OfOne {
  PointwiseOp op;
  ResultType result = ResultType::kReal;
  double a = 0, b = 0, c = 0;
};

void add(WorkList& work, const OfOne& call, const aclTensor* self, const aclTensor* out,
         const char* self_name = "self", const char* out_name = "out") {
  add_pointwise(work, {.op = call.op,
                       .operands = {{self, self_name}},
                       .out = out,
                       .out_name = out_name,
                       .result = call.result,
                       .a = call.a,
                       .b = call.b,
                       .c = call.c});
}

void add_in_place(WorkList& work, const OfOne& call, const aclTensor* self) {
  add(work, call, self, self, "selfRef", "selfRef");
}

/// Clamps keep the type of the tensor, whatever that of the bounds.
OfOne clamp(const aclScalar* least, const aclScalar* most) {
  return {PointwiseOp::kClamp, ResultType::kPromoted,
          least == nullptr ? -kInfinite : least->number(),
          most == nullptr ? kInfinite : most->number()};
}

OfOne elu(const aclScalar* alpha, const aclScalar* scale, const aclScalar* input_scale) {
  return {PointwiseOp::kElu, ResultType::kReal, required_number(alpha, "alpha"),
          required_number(scale, "scale"), required_number(input_scale, "inputScale")};
}

OfOne celu(const aclScalar* alpha) {
  const double a = required_number(alpha, "alpha");
  if (a == 0) davsim::runtime::refuse_aclnn("alpha is not 0");
  return {PointwiseOp::kElu, ResultType::kReal, a, 1, 1 / a};
}

OfOne selu() {
  return {PointwiseOp::kElu, ResultType::kReal, 1.6732632423543772, 1.0507009873554805, 1};
}

OfOne threshold(const aclScalar* threshold, const aclScalar* value) {
  return {PointwiseOp::kThreshold, ResultType::kPromoted, required_number(threshold, "threshold"),
          required_number(value, "value")};
}

void clamp_by_tensors(WorkList& work, const aclTensor* self, const aclTensor* least,
                      const aclTensor* most, const aclTensor* out) {
  const aclTensor* x = self;
  const bool both = least != nullptr && most != nullptr;
  if (least == nullptr && most == nullptr) {
    davsim::runtime::refuse_aclnn("one of the bounds is there");
  }
  if (least != nullptr) {
    const Shape shape = broadcast(required(self, "self").GetViewShape(), least->GetViewShape());
    const DataType type = op::PromoteType(self->GetDataType(), least->GetDataType());
    const aclTensor* const raised = both ? temporary(work, type, shape) : out;
    add_pointwise(work, {.op = PointwiseOp::kMaximum,
                         .operands = {{self, "self"}, {least, "clipValueMin"}},
                         .out = raised});
    x = raised;
  }
  if (most != nullptr) {
    add_pointwise(work, {.op = PointwiseOp::kMinimum,
                         .operands = {{x, "self"}, {most, "clipValueMax"}},
                         .out = out});
  }
}

void bitwise_not(WorkList& work, const aclTensor* self, const aclTensor* out) {
  if (required(self, "self").GetDataType() == ge::DT_BOOL) {
    return add(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, self, out);
  }
  require_whole(*self, "self");
  Operand ones(-1.0);
  ones.whole = -1;
  ones.number_type = ge::DT_INT64;
  add_pointwise(work, {.op = PointwiseOp::kBitXor, .operands = {{self, "self"}, ones}, .out = out});
}

/// Rounds to so many digits behind the point.
void round_decimals(WorkList& work, const aclTensor* self, int64_t decimals, const aclTensor* out) {
  required(self, "self");
  const double factor = std::pow(10.0, static_cast<double>(decimals));
  const aclTensor* const scaled = temporary(work, ge::DT_FLOAT, self->GetViewShape());
  add_pointwise(
      work,
      {.op = PointwiseOp::kMul, .operands = {{self, "self"}, Operand(factor)}, .out = scaled});
  add(work, {PointwiseOp::kRound}, scaled, scaled);
  add_pointwise(work, {.op = PointwiseOp::kDiv,
                       .operands = {{scaled, "self"}, Operand(factor)},
                       .out = out,
                       .type = ge::DT_FLOAT});
}

}  // namespace

DAVSIM_FIRST_PHASE(Abs, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kAbs, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(Acos, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAcos}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAcos, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAcos}, selfRef); })
DAVSIM_FIRST_PHASE(Acosh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAcosh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAcosh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAcosh}, selfRef); })
DAVSIM_FIRST_PHASE(Asin, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAsin}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAsin, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAsin}, selfRef); })
DAVSIM_FIRST_PHASE(Asinh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAsinh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAsinh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAsinh}, selfRef); })
DAVSIM_FIRST_PHASE(Atan, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAtan}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAtan, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAtan}, selfRef); })
DAVSIM_FIRST_PHASE(Atanh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kAtanh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAtanh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAtanh}, selfRef); })
DAVSIM_FIRST_PHASE(Ceil, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kCeil, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceCeil, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kCeil, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Cos, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kCos}, self, out); })
DAVSIM_FIRST_PHASE(InplaceCos, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kCos}, selfRef); })
DAVSIM_FIRST_PHASE(Cosh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kCosh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceCosh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kCosh}, selfRef); })
DAVSIM_FIRST_PHASE(Erf, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kErf}, self, out); })
DAVSIM_FIRST_PHASE(InplaceErf, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kErf}, selfRef); })
DAVSIM_FIRST_PHASE(Erfc, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kErfc}, self, out); })
DAVSIM_FIRST_PHASE(InplaceErfc, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kErfc}, selfRef); })
DAVSIM_FIRST_PHASE(Exp, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kExp}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExp, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExp}, selfRef); })
DAVSIM_FIRST_PHASE(Exp2, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kExp2}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExp2, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExp2}, selfRef); })
DAVSIM_FIRST_PHASE(Expm1, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kExpm1}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExpm1, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExpm1}, selfRef); })
DAVSIM_FIRST_PHASE(Floor, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kFloor, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceFloor, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kFloor, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Frac, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kFrac, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceFrac, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kFrac, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Log, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kLog}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog}, selfRef); })
DAVSIM_FIRST_PHASE(Log10, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kLog10}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog10, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog10}, selfRef); })
DAVSIM_FIRST_PHASE(Log1p, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kLog1p}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog1p, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog1p}, selfRef); })
DAVSIM_FIRST_PHASE(Log2, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kLog2}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog2, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kLog2}, selfRef); })
DAVSIM_FIRST_PHASE(Neg, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kNeg, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceNeg, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kNeg, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Reciprocal, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kReciprocal}, self, out); })
DAVSIM_FIRST_PHASE(InplaceReciprocal, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kReciprocal}, selfRef); })
DAVSIM_FIRST_PHASE(Relu, (const aclTensor* self, const aclTensor* out), {
  add(work, {PointwiseOp::kRelu, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceRelu, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kRelu, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Round, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kRound, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceRound, (const aclTensor* selfRef), {
  add_in_place(work, {PointwiseOp::kRound, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(RoundDecimals, (const aclTensor* self, int64_t decimals, aclTensor* out),
                   { round_decimals(work, self, decimals, out); })
DAVSIM_FIRST_PHASE(Rsqrt, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kRsqrt}, self, out); })
DAVSIM_FIRST_PHASE(InplaceRsqrt, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kRsqrt}, selfRef); })
DAVSIM_FIRST_PHASE(Sigmoid, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kSigmoid}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSigmoid, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSigmoid}, selfRef); })
DAVSIM_FIRST_PHASE(Sign, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kSign, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(Silu, (const aclTensor* self, aclTensor* out),
                   { add(work, {.op = PointwiseOp::kSwish, .a = 1}, self, out); })
DAVSIM_FIRST_PHASE(Sin, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kSin}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSin, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSin}, selfRef); })
DAVSIM_FIRST_PHASE(InplaceRoundDecimals, (aclTensor * selfRef, int64_t decimals),
                   { round_decimals(work, selfRef, decimals, selfRef); })

DAVSIM_FIRST_PHASE(Sinh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kSinh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSinh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSinh}, selfRef); })

DAVSIM_FIRST_PHASE(Sqrt, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kSqrt}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSqrt, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSqrt}, selfRef); })
DAVSIM_FIRST_PHASE(Tan, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kTan}, self, out); })
DAVSIM_FIRST_PHASE(InplaceTan, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kTan}, selfRef); })
DAVSIM_FIRST_PHASE(Tanh, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kTanh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceTanh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kTanh}, selfRef); })
DAVSIM_FIRST_PHASE(Trunc, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kTrunc, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceTrunc, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kTrunc, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Gelu, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kGelu}, self, out); })
DAVSIM_FIRST_PHASE(GeluV2, (const aclTensor* x, int64_t approximate, aclTensor* y), {
  add(work, {approximate == 1 ? PointwiseOp::kGeluTanh : PointwiseOp::kGelu}, x, y, "x", "y");
})
DAVSIM_FIRST_PHASE(FastGelu, (const aclTensor* self, aclTensor* out),
                   { add(work, {.op = PointwiseOp::kSwish, .a = 1.702}, self, out); })
DAVSIM_FIRST_PHASE(Hardswish, (const aclTensor* self, const aclTensor* out),
                   { add(work, {PointwiseOp::kHardswish}, self, out); })
DAVSIM_FIRST_PHASE(InplaceHardswish, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kHardswish}, selfRef); })
DAVSIM_FIRST_PHASE(Hardsigmoid, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kHardsigmoid}, self, out); })
DAVSIM_FIRST_PHASE(InplaceHardsigmoid, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kHardsigmoid}, selfRef); })
DAVSIM_FIRST_PHASE(Mish, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kMish}, self, out); })
DAVSIM_FIRST_PHASE(InplaceMish, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kMish}, selfRef); })
DAVSIM_FIRST_PHASE(Selu, (const aclTensor* self, aclTensor* out), { add(work, selu(), self, out); })
DAVSIM_FIRST_PHASE(InplaceSelu, (aclTensor * selfRef), { add_in_place(work, selu(), selfRef); })
DAVSIM_FIRST_PHASE(Softplus,
                   (const aclTensor* self, const aclScalar* beta, const aclScalar* threshold,
                    aclTensor* out),
                   {
                     add(work,
                         {PointwiseOp::kSoftplus, ResultType::kReal, required_number(beta, "beta"),
                          required_number(threshold, "threshold")},
                         self, out);
                   })
DAVSIM_FIRST_PHASE(Elu,
                   (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
                    const aclScalar* inputScale, aclTensor* out),
                   { add(work, elu(alpha, scale, inputScale), self, out); })
DAVSIM_FIRST_PHASE(InplaceElu,
                   (aclTensor * selfRef, const aclScalar* alpha, const aclScalar* scale,
                    const aclScalar* inputScale),
                   { add_in_place(work, elu(alpha, scale, inputScale), selfRef); })
DAVSIM_FIRST_PHASE(Celu, (const aclTensor* self, const aclScalar* alpha, aclTensor* out),
                   { add(work, celu(alpha), self, out); })
DAVSIM_FIRST_PHASE(InplaceCelu, (aclTensor * selfRef, const aclScalar* alpha),
                   { add_in_place(work, celu(alpha), selfRef); })
DAVSIM_FIRST_PHASE(LeakyRelu,
                   (const aclTensor* self, const aclScalar* negativeSlope, aclTensor* out), {
                     add(work,
                         {PointwiseOp::kLeakyRelu, ResultType::kReal,
                          required_number(negativeSlope, "negativeSlope")},
                         self, out);
                   })
DAVSIM_FIRST_PHASE(InplaceLeakyRelu, (aclTensor * selfRef, const aclScalar* negativeSlope), {
  add_in_place(
      work,
      {PointwiseOp::kLeakyRelu, ResultType::kReal, required_number(negativeSlope, "negativeSlope")},
      selfRef);
})
DAVSIM_FIRST_PHASE(Hardtanh,
                   (const aclTensor* self, const aclScalar* clipValueMin,
                    const aclScalar* clipValueMax, aclTensor* out),
                   {
                     required(clipValueMin, "clipValueMin");
                     add(work, clamp(clipValueMin, &required(clipValueMax, "clipValueMax")), self,
                         out);
                   })
DAVSIM_FIRST_PHASE(
    InplaceHardtanh,
    (aclTensor * selfRef, const aclScalar* clipValueMin, const aclScalar* clipValueMax), {
      required(clipValueMin, "clipValueMin");
      add_in_place(work, clamp(clipValueMin, &required(clipValueMax, "clipValueMax")), selfRef);
    })
DAVSIM_FIRST_PHASE(Threshold,
                   (const aclTensor* self, const aclScalar* threshold, const aclScalar* value,
                    aclTensor* out),
                   { add(work, ::threshold(threshold, value), self, out); })
DAVSIM_FIRST_PHASE(InplaceThreshold,
                   (aclTensor * selfRef, const aclScalar* threshold, const aclScalar* value),
                   { add_in_place(work, ::threshold(threshold, value), selfRef); })
DAVSIM_FIRST_PHASE(LogSigmoid, (const aclTensor* self, aclTensor* out),
                   { add(work, {PointwiseOp::kLogSigmoid}, self, out); })
DAVSIM_FIRST_PHASE(Swish, (const aclTensor* self, const aclScalar* betaOptional, aclTensor* out), {
  add(work, {.op = PointwiseOp::kSwish, .a = betaOptional == nullptr ? 1 : betaOptional->number()},
      self, out);
})
DAVSIM_FIRST_PHASE(LogicalNot, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceLogicalNot, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, selfRef);
})
DAVSIM_FIRST_PHASE(BitwiseNot, (const aclTensor* self, aclTensor* out),
                   { bitwise_not(work, self, out); })
DAVSIM_FIRST_PHASE(IsFinite, (const aclTensor* self, aclTensor* out), {
  add(work, {PointwiseOp::kIsFinite, ResultType::kBool}, self, out);
})
DAVSIM_FIRST_PHASE(IsInf, (const aclTensor* x, const aclTensor* out), {
  add(work, {PointwiseOp::kIsInf, ResultType::kBool}, x, out, "x");
})
DAVSIM_FIRST_PHASE(Clamp,
                   (const aclTensor* self, const aclScalar* clipValueMin,
                    const aclScalar* clipValueMax, aclTensor* out),
                   { add(work, clamp(clipValueMin, clipValueMax), self, out); })
DAVSIM_FIRST_PHASE(ClampMin, (const aclTensor* self, const aclScalar* clipValueMin, aclTensor* out),
                   {
                     add(work, clamp(&required(clipValueMin, "clipValueMin"), nullptr), self, out);
                   })
DAVSIM_FIRST_PHASE(ClampMax, (const aclTensor* self, const aclScalar* clipValueMax, aclTensor* out),
                   {
                     add(work, clamp(nullptr, &required(clipValueMax, "clipValueMax")), self, out);
                   })
DAVSIM_FIRST_PHASE(InplaceClampMax, (const aclTensor* selfRef, const aclScalar* clipValueMax), {
  add_in_place(work, clamp(nullptr, &required(clipValueMax, "clipValueMax")), selfRef);
})
DAVSIM_FIRST_PHASE(ClampTensor,
                   (const aclTensor* self, const aclTensor* clipValueMin,
                    const aclTensor* clipValueMax, aclTensor* out),
                   { clamp_by_tensors(work, self, clipValueMin, clipValueMax, out); })
DAVSIM_FIRST_PHASE(ClampMinTensor,
                   (const aclTensor* self, const aclTensor* clipValueMin, aclTensor* out),
                   { clamp_by_tensors(work, self, clipValueMin, nullptr, out); })
DAVSIM_FIRST_PHASE(InplaceClampMinTensor, (aclTensor * selfRef, const aclTensor* clipValueMin),
                   { clamp_by_tensors(work, selfRef, clipValueMin, nullptr, selfRef); })
DAVSIM_FIRST_PHASE(ClampMaxTensor, (const aclTensor* self, const aclTensor* max, aclTensor* out),
                   { clamp_by_tensors(work, self, nullptr, max, out); })
DAVSIM_FIRST_PHASE(InplaceClampMaxTensor, (aclTensor * selfRef, const aclTensor* max),
                   { clamp_by_tensors(work, selfRef, nullptr, max, selfRef); })
DAVSIM_FIRST_PHASE(Cast, (const aclTensor* self, const aclDataType dtype, aclTensor* out), {
  required(self, "self");
  require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
  add_cast(work, *self, *out);
})
DAVSIM_FIRST_PHASE(
    NanToNum, (const aclTensor* self, float nan, float posinf, float neginf, aclTensor* out), {
      add(work, {PointwiseOp::kNanToNum, ResultType::kPromoted, nan, posinf, neginf}, self, out);
    })
DAVSIM_FIRST_PHASE(InplaceNanToNum, (aclTensor * selfRef, float nan, float posinf, float neginf), {
  add_in_place(work, {PointwiseOp::kNanToNum, ResultType::kPromoted, nan, posinf, neginf}, selfRef);
})
