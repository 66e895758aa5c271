// Functions of each tensor of a list: functions/foreach.txt.
#include "runtime/basic_operators/foreach.hpp"

#include "lists/foreach.h"

using namespace davsim::basic;

DAVSIM_FIRST_PHASE(ForeachAbs, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kAbs, x, out); })
DAVSIM_FIRST_PHASE(ForeachAcos, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kAcos, x, out); })
DAVSIM_FIRST_PHASE(ForeachAsin, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kAsin, x, out); })
DAVSIM_FIRST_PHASE(ForeachAtan, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kAtan, x, out); })
DAVSIM_FIRST_PHASE(ForeachCos, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kCos, x, out); })
DAVSIM_FIRST_PHASE(ForeachCosh, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kCosh, x, out); })
DAVSIM_FIRST_PHASE(ForeachErf, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kErf, x, out); })
DAVSIM_FIRST_PHASE(ForeachErfc, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kErfc, x, out); })
DAVSIM_FIRST_PHASE(ForeachExp, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kExp, x, out); })
DAVSIM_FIRST_PHASE(ForeachExpm1, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kExpm1, x, out); })
DAVSIM_FIRST_PHASE(ForeachLog, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kLog, x, out); })
DAVSIM_FIRST_PHASE(ForeachLog10, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kLog10, x, out); })
DAVSIM_FIRST_PHASE(ForeachLog1p, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kLog1p, x, out); })
DAVSIM_FIRST_PHASE(ForeachLog2, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kLog2, x, out); })
DAVSIM_FIRST_PHASE(ForeachNeg, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kNeg, x, out); })
DAVSIM_FIRST_PHASE(ForeachReciprocal, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kReciprocal, x, out); })
DAVSIM_FIRST_PHASE(ForeachSigmoid, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kSigmoid, x, out); })
DAVSIM_FIRST_PHASE(ForeachSign, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kSign, x, out); })
DAVSIM_FIRST_PHASE(ForeachSin, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kSin, x, out); })
DAVSIM_FIRST_PHASE(ForeachSinh, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kSinh, x, out); })
DAVSIM_FIRST_PHASE(ForeachSqrt, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kSqrt, x, out); })
DAVSIM_FIRST_PHASE(ForeachTan, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kTan, x, out); })
DAVSIM_FIRST_PHASE(ForeachTanh, (const aclTensorList* x, const aclTensorList* out),
                   { each_of_one(work, PointwiseOp::kTanh, x, out); })
DAVSIM_FIRST_PHASE(ForeachAddScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kAxpy, ResultType::kPromoted, 1}, x,
                               one_number(work, scalar, "scalar"), out);
                   })
DAVSIM_FIRST_PHASE(
    ForeachAddScalarV2, (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out),
    {
      each_with(work, {PointwiseOp::kAxpy, ResultType::kPromoted, 1}, x, {scalar, "scalar"}, out);
    })
DAVSIM_FIRST_PHASE(
    ForeachAddScalarList,
    (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out), {
      each_with_numbers(work, {PointwiseOp::kAxpy, ResultType::kPromoted, 1}, x, scalars, out);
    })
DAVSIM_FIRST_PHASE(ForeachSubScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kAxpy, ResultType::kPromoted, -1}, x,
                               one_number(work, scalar, "scalar"), out);
                   })
DAVSIM_FIRST_PHASE(
    ForeachSubScalarV2, (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out),
    {
      each_with(work, {PointwiseOp::kAxpy, ResultType::kPromoted, -1}, x, {scalar, "scalar"}, out);
    })
DAVSIM_FIRST_PHASE(
    ForeachSubScalarList,
    (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out), {
      each_with_numbers(work, {PointwiseOp::kAxpy, ResultType::kPromoted, -1}, x, scalars, out);
    })
DAVSIM_FIRST_PHASE(ForeachMulScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMul}, x, one_number(work, scalar, "scalar"),
                               out);
                   })
DAVSIM_FIRST_PHASE(ForeachMulScalarV2,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMul}, x, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachMulScalarList,
                   (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
                   { each_with_numbers(work, {PointwiseOp::kMul}, x, scalars, out); })
DAVSIM_FIRST_PHASE(ForeachDivScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kDiv}, x, one_number(work, scalar, "scalar"),
                               out);
                   })
DAVSIM_FIRST_PHASE(ForeachDivScalarV2,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kDiv}, x, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachDivScalarList,
                   (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
                   { each_with_numbers(work, {PointwiseOp::kDiv}, x, scalars, out); })
DAVSIM_FIRST_PHASE(ForeachPowScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kPow}, x, one_number(work, scalar, "scalar"),
                               out);
                   })
DAVSIM_FIRST_PHASE(ForeachPowScalarV2,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kPow}, x, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachPowScalarList,
                   (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
                   { each_with_numbers(work, {PointwiseOp::kPow}, x, scalars, out); })
DAVSIM_FIRST_PHASE(ForeachMaximumScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMaximum}, x, one_number(work, scalar, "scalar"),
                               out);
                   })
DAVSIM_FIRST_PHASE(ForeachMaximumScalarV2,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMaximum}, x, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachMaximumScalarList,
                   (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
                   { each_with_numbers(work, {PointwiseOp::kMaximum}, x, scalars, out); })
DAVSIM_FIRST_PHASE(ForeachMinimumScalar,
                   (const aclTensorList* x, const aclTensor* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMinimum}, x, one_number(work, scalar, "scalar"),
                               out);
                   })
DAVSIM_FIRST_PHASE(ForeachMinimumScalarV2,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out), {
                     each_with(work, {PointwiseOp::kMinimum}, x, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachMinimumScalarList,
                   (const aclTensorList* x, const aclScalarList* scalars, const aclTensorList* out),
                   { each_with_numbers(work, {PointwiseOp::kMinimum}, x, scalars, out); })
DAVSIM_FIRST_PHASE(ForeachMulList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
                   { each_of_two(work, {PointwiseOp::kMul}, x1, x2, out); })
DAVSIM_FIRST_PHASE(ForeachDivList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
                   { each_of_two(work, {PointwiseOp::kDiv}, x1, x2, out); })
DAVSIM_FIRST_PHASE(ForeachPowList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
                   { each_of_two(work, {PointwiseOp::kPow}, x1, x2, out); })
DAVSIM_FIRST_PHASE(ForeachMaximumList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
                   { each_of_two(work, {PointwiseOp::kMaximum}, x1, x2, out); })
DAVSIM_FIRST_PHASE(ForeachMinimumList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* out),
                   { each_of_two(work, {PointwiseOp::kMinimum}, x1, x2, out); })
DAVSIM_FIRST_PHASE(ForeachAddList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensor* alpha,
                    const aclTensorList* out),
                   { each_scaled(work, x1, x2, one_number(work, alpha, "alpha"), 1, out); })
DAVSIM_FIRST_PHASE(ForeachAddListV2,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* alpha,
                    const aclTensorList* out),
                   {
                     each_scaled(work, x1, x2, {alpha, "alpha"}, 1, out);
                   })
DAVSIM_FIRST_PHASE(ForeachSubList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensor* alpha,
                    const aclTensorList* out),
                   { each_scaled(work, x1, x2, one_number(work, alpha, "alpha"), -1, out); })
DAVSIM_FIRST_PHASE(ForeachSubListV2,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* alpha,
                    const aclTensorList* out),
                   {
                     each_scaled(work, x1, x2, {alpha, "alpha"}, -1, out);
                   })
DAVSIM_FIRST_PHASE(ForeachPowScalarAndTensor,
                   (const aclScalar* scalar, const aclTensorList* x, const aclTensorList* out),
                   { each_power_of(work, scalar, x, out); })
DAVSIM_FIRST_PHASE(ForeachLerpScalar,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclScalar* weight,
                    const aclTensorList* out),
                   {
                     each_of_three(work, PointwiseOp::kLerp, x1, x2, {weight, "weight"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachLerpList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* weights,
                    const aclTensorList* out),
                   { each_lerp(work, x1, x2, weights, out); })
DAVSIM_FIRST_PHASE(
    ForeachAddcmulScalar,
    (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
     const aclTensor* scalar, const aclTensorList* out),
    {
      each_sum(work, PointwiseOp::kMul, {x1, x2, x3}, one_number(work, scalar, "scalar"), out);
    })
DAVSIM_FIRST_PHASE(ForeachAddcmulScalarV2,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclScalar* scalar, const aclTensorList* out),
                   {
                     each_sum(work, PointwiseOp::kMul, {x1, x2, x3}, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachAddcmulScalarList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclTensor* scalars, const aclTensorList* out),
                   {
                     each_sum_with_numbers(work, PointwiseOp::kMul, {x1, x2, x3}, scalars, out);
                   })
DAVSIM_FIRST_PHASE(ForeachAddcmulList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclTensor* scalars, const aclTensorList* out),
                   {
                     each_sum_with_numbers(work, PointwiseOp::kMul, {x1, x2, x3}, scalars, out);
                   })
DAVSIM_FIRST_PHASE(
    ForeachAddcdivScalar,
    (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
     const aclTensor* scalar, const aclTensorList* out),
    {
      each_sum(work, PointwiseOp::kDiv, {x1, x2, x3}, one_number(work, scalar, "scalar"), out);
    })
DAVSIM_FIRST_PHASE(ForeachAddcdivScalarV2,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclScalar* scalar, const aclTensorList* out),
                   {
                     each_sum(work, PointwiseOp::kDiv, {x1, x2, x3}, {scalar, "scalar"}, out);
                   })
DAVSIM_FIRST_PHASE(ForeachAddcdivScalarList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclTensor* scalars, const aclTensorList* out),
                   {
                     each_sum_with_numbers(work, PointwiseOp::kDiv, {x1, x2, x3}, scalars, out);
                   })
DAVSIM_FIRST_PHASE(ForeachAddcdivList,
                   (const aclTensorList* x1, const aclTensorList* x2, const aclTensorList* x3,
                    const aclTensor* scalars, const aclTensorList* out),
                   {
                     each_sum_with_numbers(work, PointwiseOp::kDiv, {x1, x2, x3}, scalars, out);
                   })
DAVSIM_FIRST_PHASE(ForeachNorm,
                   (const aclTensorList* x, const aclScalar* scalar, const aclTensorList* out),
                   { each_norm(work, x, required_number(scalar, "scalar"), out); })
DAVSIM_FIRST_PHASE(ForeachCopy, (const aclTensorList* x, const aclTensorList* out),
                   { each_copy(work, x, out); })
DAVSIM_FIRST_PHASE(ForeachZeroInplace, (const aclTensorList* x), { each_zero(work, x); })
DAVSIM_FIRST_PHASE(ForeachNonFiniteCheckAndUnscale,
                   (const aclTensorList* scaledGrads, const aclTensor* foundInf,
                    const aclTensor* invScale),
                   { unscale(work, scaledGrads, foundInf, invScale); })
