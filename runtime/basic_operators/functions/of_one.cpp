// Functions of one tensor: functions/of_one.txt.
#include <cmath>

#include "lists/of_one.h"
#include "runtime/basic_operators/of_one.hpp"

using namespace davsim::basic;

namespace {

/// Rounds to so many digits behind the point.
void round_decimals(WorkList& work, const aclTensor* self, int64_t decimals, const aclTensor* out) {
  required(self, "self");
  const double factor = std::pow(10.0, static_cast<double>(decimals));
  const aclTensor* const scaled = temporary(work, ge::DT_FLOAT, self->GetViewShape());
  add_pointwise(
      work,
      {.op = PointwiseOp::kMul, .operands = {{self, "self"}, Operand(factor)}, .out = scaled});
  add_one(work, {PointwiseOp::kRound}, scaled, scaled);
  add_pointwise(work, {.op = PointwiseOp::kDiv,
                       .operands = {{scaled, "self"}, Operand(factor)},
                       .out = out,
                       .type = ge::DT_FLOAT});
}

void bitwise_not(WorkList& work, const aclTensor* self, const aclTensor* out) {
  if (required(self, "self").GetDataType() == ge::DT_BOOL) {
    return add_one(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, self, out);
  }
  require_whole(*self, "self");
  Operand ones(-1.0);
  ones.whole = -1;
  ones.number_type = ge::DT_INT64;
  add_pointwise(work, {.op = PointwiseOp::kBitXor, .operands = {{self, "self"}, ones}, .out = out});
}

}  // namespace

DAVSIM_FIRST_PHASE(Abs, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kAbs, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(Acos, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAcos}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAcos, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAcos}, selfRef); })
DAVSIM_FIRST_PHASE(Acosh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAcosh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAcosh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAcosh}, selfRef); })
DAVSIM_FIRST_PHASE(Asin, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAsin}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAsin, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAsin}, selfRef); })
DAVSIM_FIRST_PHASE(Asinh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAsinh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAsinh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAsinh}, selfRef); })
DAVSIM_FIRST_PHASE(Atan, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAtan}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAtan, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAtan}, selfRef); })
DAVSIM_FIRST_PHASE(Atanh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kAtanh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceAtanh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kAtanh}, selfRef); })
DAVSIM_FIRST_PHASE(Ceil, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kCeil, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceCeil, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kCeil, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Cos, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kCos}, self, out); })
DAVSIM_FIRST_PHASE(InplaceCos, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kCos}, selfRef); })
DAVSIM_FIRST_PHASE(Cosh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kCosh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceCosh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kCosh}, selfRef); })
DAVSIM_FIRST_PHASE(Erf, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kErf}, self, out); })
DAVSIM_FIRST_PHASE(InplaceErf, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kErf}, selfRef); })
DAVSIM_FIRST_PHASE(Erfc, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kErfc}, self, out); })
DAVSIM_FIRST_PHASE(InplaceErfc, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kErfc}, selfRef); })
DAVSIM_FIRST_PHASE(Exp, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kExp}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExp, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExp}, selfRef); })
DAVSIM_FIRST_PHASE(Exp2, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kExp2}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExp2, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExp2}, selfRef); })
DAVSIM_FIRST_PHASE(Expm1, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kExpm1}, self, out); })
DAVSIM_FIRST_PHASE(InplaceExpm1, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kExpm1}, selfRef); })
DAVSIM_FIRST_PHASE(Floor, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kFloor, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceFloor, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kFloor, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Frac, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kFrac, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceFrac, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kFrac, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Log, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kLog}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog}, selfRef); })
DAVSIM_FIRST_PHASE(Log10, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kLog10}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog10, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog10}, selfRef); })
DAVSIM_FIRST_PHASE(Log1p, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kLog1p}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog1p, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kLog1p}, selfRef); })
DAVSIM_FIRST_PHASE(Log2, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kLog2}, self, out); })
DAVSIM_FIRST_PHASE(InplaceLog2, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kLog2}, selfRef); })
DAVSIM_FIRST_PHASE(Neg, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kNeg, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceNeg, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kNeg, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Reciprocal, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kReciprocal}, self, out); })
DAVSIM_FIRST_PHASE(InplaceReciprocal, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kReciprocal}, selfRef); })
DAVSIM_FIRST_PHASE(Relu, (const aclTensor* self, const aclTensor* out), {
  add_one(work, {PointwiseOp::kRelu, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceRelu, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kRelu, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(Round, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kRound, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceRound, (const aclTensor* selfRef), {
  add_in_place(work, {PointwiseOp::kRound, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(RoundDecimals, (const aclTensor* self, int64_t decimals, aclTensor* out),
                   { round_decimals(work, self, decimals, out); })
DAVSIM_FIRST_PHASE(Rsqrt, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kRsqrt}, self, out); })
DAVSIM_FIRST_PHASE(InplaceRsqrt, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kRsqrt}, selfRef); })
DAVSIM_FIRST_PHASE(Sigmoid, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kSigmoid}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSigmoid, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSigmoid}, selfRef); })
DAVSIM_FIRST_PHASE(Sign, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kSign, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(Silu, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {.op = PointwiseOp::kSwish, .a = 1}, self, out); })
DAVSIM_FIRST_PHASE(Sin, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kSin}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSin, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSin}, selfRef); })
DAVSIM_FIRST_PHASE(InplaceRoundDecimals, (aclTensor * selfRef, int64_t decimals),
                   { round_decimals(work, selfRef, decimals, selfRef); })

DAVSIM_FIRST_PHASE(Sinh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kSinh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSinh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSinh}, selfRef); })

DAVSIM_FIRST_PHASE(Sqrt, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kSqrt}, self, out); })
DAVSIM_FIRST_PHASE(InplaceSqrt, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kSqrt}, selfRef); })
DAVSIM_FIRST_PHASE(Tan, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kTan}, self, out); })
DAVSIM_FIRST_PHASE(InplaceTan, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kTan}, selfRef); })
DAVSIM_FIRST_PHASE(Tanh, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kTanh}, self, out); })
DAVSIM_FIRST_PHASE(InplaceTanh, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kTanh}, selfRef); })
DAVSIM_FIRST_PHASE(Trunc, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kTrunc, ResultType::kPromoted}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceTrunc, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kTrunc, ResultType::kPromoted}, selfRef);
})
DAVSIM_FIRST_PHASE(LogicalNot, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, self, out);
})
DAVSIM_FIRST_PHASE(InplaceLogicalNot, (aclTensor * selfRef), {
  add_in_place(work, {PointwiseOp::kLogicalNot, ResultType::kBool}, selfRef);
})
DAVSIM_FIRST_PHASE(BitwiseNot, (const aclTensor* self, aclTensor* out),
                   { bitwise_not(work, self, out); })
DAVSIM_FIRST_PHASE(IsFinite, (const aclTensor* self, aclTensor* out), {
  add_one(work, {PointwiseOp::kIsFinite, ResultType::kBool}, self, out);
})
DAVSIM_FIRST_PHASE(IsInf, (const aclTensor* x, const aclTensor* out), {
  add_one(work, {PointwiseOp::kIsInf, ResultType::kBool}, x, out, "x");
})
DAVSIM_FIRST_PHASE(Cast, (const aclTensor* self, const aclDataType dtype, aclTensor* out), {
  required(self, "self");
  require_type(required(out, "out"), "out", {op::ToOpDataType(dtype)});
  add_cast(work, *self, *out);
})
