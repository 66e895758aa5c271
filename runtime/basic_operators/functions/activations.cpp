// Activations and clamps: functions/of_one.txt.
#include <limits>

#include "lists/of_one.h"
#include "runtime/basic_operators/of_one.hpp"
#include "runtime/basic_operators/slopes.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

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
  return {PointwiseOp::kElu, ResultType::kReal, kSeluAlpha, kSeluScale, 1};
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

}  // namespace

DAVSIM_FIRST_PHASE(Gelu, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kGelu}, self, out); })
DAVSIM_FIRST_PHASE(GeluV2, (const aclTensor* x, int64_t approximate, aclTensor* y), {
  add_one(work, {approximate == 1 ? PointwiseOp::kGeluTanh : PointwiseOp::kGelu}, x, y, "x", "y");
})
DAVSIM_FIRST_PHASE(FastGelu, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {.op = PointwiseOp::kSwish, .a = 1.702}, self, out); })
DAVSIM_FIRST_PHASE(Hardswish, (const aclTensor* self, const aclTensor* out),
                   { add_one(work, {PointwiseOp::kHardswish}, self, out); })
DAVSIM_FIRST_PHASE(InplaceHardswish, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kHardswish}, selfRef); })
DAVSIM_FIRST_PHASE(Hardsigmoid, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kHardsigmoid}, self, out); })
DAVSIM_FIRST_PHASE(InplaceHardsigmoid, (const aclTensor* selfRef),
                   { add_in_place(work, {PointwiseOp::kHardsigmoid}, selfRef); })
DAVSIM_FIRST_PHASE(Mish, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kMish}, self, out); })
DAVSIM_FIRST_PHASE(InplaceMish, (aclTensor * selfRef),
                   { add_in_place(work, {PointwiseOp::kMish}, selfRef); })
DAVSIM_FIRST_PHASE(Selu, (const aclTensor* self, aclTensor* out),
                   { add_one(work, selu(), self, out); })
DAVSIM_FIRST_PHASE(InplaceSelu, (aclTensor * selfRef), { add_in_place(work, selu(), selfRef); })
DAVSIM_FIRST_PHASE(
    Softplus,
    (const aclTensor* self, const aclScalar* beta, const aclScalar* threshold, aclTensor* out), {
      add_one(work,
              {PointwiseOp::kSoftplus, ResultType::kReal, required_number(beta, "beta"),
               required_number(threshold, "threshold")},
              self, out);
    })
DAVSIM_FIRST_PHASE(Elu,
                   (const aclTensor* self, const aclScalar* alpha, const aclScalar* scale,
                    const aclScalar* inputScale, aclTensor* out),
                   { add_one(work, elu(alpha, scale, inputScale), self, out); })
DAVSIM_FIRST_PHASE(InplaceElu,
                   (aclTensor * selfRef, const aclScalar* alpha, const aclScalar* scale,
                    const aclScalar* inputScale),
                   { add_in_place(work, elu(alpha, scale, inputScale), selfRef); })
DAVSIM_FIRST_PHASE(Celu, (const aclTensor* self, const aclScalar* alpha, aclTensor* out),
                   { add_one(work, celu(alpha), self, out); })
DAVSIM_FIRST_PHASE(InplaceCelu, (aclTensor * selfRef, const aclScalar* alpha),
                   { add_in_place(work, celu(alpha), selfRef); })
DAVSIM_FIRST_PHASE(LeakyRelu,
                   (const aclTensor* self, const aclScalar* negativeSlope, aclTensor* out), {
                     add_one(work,
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
                     add_one(work, clamp(clipValueMin, &required(clipValueMax, "clipValueMax")),
                             self, out);
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
                   { add_one(work, ::threshold(threshold, value), self, out); })
DAVSIM_FIRST_PHASE(InplaceThreshold,
                   (aclTensor * selfRef, const aclScalar* threshold, const aclScalar* value),
                   { add_in_place(work, ::threshold(threshold, value), selfRef); })
DAVSIM_FIRST_PHASE(LogSigmoid, (const aclTensor* self, aclTensor* out),
                   { add_one(work, {PointwiseOp::kLogSigmoid}, self, out); })
DAVSIM_FIRST_PHASE(LogSigmoidForward, (const aclTensor* self, aclTensor* out, aclTensor* buffer), {
  required(buffer, "buffer");
  add_one(work, {PointwiseOp::kLogSigmoid}, self, out);
})
DAVSIM_FIRST_PHASE(Swish, (const aclTensor* self, const aclScalar* betaOptional, aclTensor* out), {
  add_one(work,
          {.op = PointwiseOp::kSwish, .a = betaOptional == nullptr ? 1 : betaOptional->number()},
          self, out);
})
DAVSIM_FIRST_PHASE(Clamp,
                   (const aclTensor* self, const aclScalar* clipValueMin,
                    const aclScalar* clipValueMax, aclTensor* out),
                   { add_one(work, clamp(clipValueMin, clipValueMax), self, out); })
DAVSIM_FIRST_PHASE(ClampMin, (const aclTensor* self, const aclScalar* clipValueMin, aclTensor* out),
                   {
                     add_one(work, clamp(&required(clipValueMin, "clipValueMin"), nullptr), self,
                             out);
                   })
DAVSIM_FIRST_PHASE(ClampMax, (const aclTensor* self, const aclScalar* clipValueMax, aclTensor* out),
                   {
                     add_one(work, clamp(nullptr, &required(clipValueMax, "clipValueMax")), self,
                             out);
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
DAVSIM_FIRST_PHASE(NanToNum,
                   (const aclTensor* self, float nan, float posinf, float neginf, aclTensor* out), {
                     add_one(work,
                             {PointwiseOp::kNanToNum, ResultType::kPromoted, nan, posinf, neginf},
                             self, out);
                   })
DAVSIM_FIRST_PHASE(InplaceNanToNum, (aclTensor * selfRef, float nan, float posinf, float neginf), {
  add_in_place(work, {PointwiseOp::kNanToNum, ResultType::kPromoted, nan, posinf, neginf}, selfRef);
})
