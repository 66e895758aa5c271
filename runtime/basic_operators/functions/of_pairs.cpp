// Arithmetic of two and three tensors or numbers: functions/of_pairs.txt.
#include "lists/of_pairs.h"
#include "runtime/basic_operators/pairs.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// out = x + sign * alpha * y
void add_scaled(WorkList& work, const Operand& x, const Operand& y, double sign,
                const aclScalar* alpha, const aclTensor* out) {
  add_pair(work,
           {PointwiseOp::kAxpy, ResultType::kPromoted, sign * required_number(alpha, "alpha")}, x,
           y, out);
}

OfPair division(int mode) {
  switch (mode) {
    case 0:
      return {PointwiseOp::kDiv, ResultType::kReal};
    case 1:
      return {PointwiseOp::kTruncDivide};
    case 2:
      return {PointwiseOp::kFloorDivide};
    default:
      davsim::runtime::refuse_aclnn("mode is 0, 1 (to zero) or 2 (down), not " +
                                    std::to_string(mode));
  }
}

/// out = condition ? x : y
void add_where(WorkList& work, const Operand& x, const Operand& y, const aclTensor* condition,
               const char* condition_name, const aclTensor* out) {
  require_type(required(condition, condition_name), condition_name, {ge::DT_BOOL, ge::DT_UINT8});
  add_triple(work, {PointwiseOp::kWhere}, x, y, {condition, condition_name}, out);
}

/// Puts `value` where the mask is not 0.
void add_masked(WorkList& work, const aclTensor* self, const aclTensor* mask,
                const Operand& value) {
  require_type(required(mask, "mask"), "mask", {ge::DT_BOOL, ge::DT_UINT8, ge::DT_INT8});
  add_pointwise(work, {.op = PointwiseOp::kWhere,
                       .operands = {value, {self, "selfRef"}, {mask, "mask"}},
                       .out = self,
                       .out_name = "selfRef",
                       .type = required(self, "selfRef").GetDataType()});
}

/// Sums of float16 and bfloat16 are rounded once, at the end.
void add_sum(WorkList& work, const aclTensorList& tensors, const aclTensor& out) {
  if (tensors.Size() == 0) davsim::runtime::refuse_aclnn("tensors has at least one tensor");
  DataType type = required(tensors[0], "tensors").GetDataType();
  for (std::uint64_t i = 1; i < tensors.Size(); ++i) {
    type = op::PromoteType(type, required(tensors[i], "tensors").GetDataType());
  }
  require_cast(type, out, "out");
  if (type == ge::DT_FLOAT16 || type == ge::DT_BF16) type = ge::DT_FLOAT;
  const aclTensor* sum = tensors[0];
  for (std::uint64_t i = 1; i < tensors.Size(); ++i) {
    const Shape shape = broadcast(sum->GetViewShape(), tensors[i]->GetViewShape());
    const aclTensor* const made = temporary(work, type, shape);
    add_pointwise(work, {.op = PointwiseOp::kAxpy,
                         .operands = {{sum, "tensors"}, {tensors[i], "tensors"}},
                         .out = made,
                         .type = type,
                         .a = 1});
    sum = made;
  }
  require_shape(out, "out", sum->GetViewShape());
  add_cast(work, *sum, out);
}

void require_vector(const aclTensor* tensor, const char* name) {
  const Shape& shape = required(tensor, name).GetViewShape();
  if (shape.GetDimNum() == 1) return;
  davsim::runtime::refuse_aclnn(std::string(name) + " has one dimension, not the shape " +
                                text(shape));
}

}  // namespace

DAVSIM_FIRST_PHASE(
    Add, (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out), {
      add_scaled(work, {self, "self"}, {other, "other"}, 1, alpha, out);
    })

DAVSIM_FIRST_PHASE(
    Adds, (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out), {
      add_scaled(work, {self, "self"}, {other, "other"}, 1, alpha, out);
    })

DAVSIM_FIRST_PHASE(InplaceAdd,
                   (const aclTensor* selfRef, const aclTensor* other, const aclScalar* alpha), {
                     add_scaled(work, {selfRef, "selfRef"}, {other, "other"}, 1, alpha, selfRef);
                   })

DAVSIM_FIRST_PHASE(InplaceAdds,
                   (const aclTensor* selfRef, const aclScalar* other, const aclScalar* alpha), {
                     add_scaled(work, {selfRef, "selfRef"}, {other, "other"}, 1, alpha, selfRef);
                   })

DAVSIM_FIRST_PHASE(
    Sub, (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out), {
      add_scaled(work, {self, "self"}, {other, "other"}, -1, alpha, out);
    })

DAVSIM_FIRST_PHASE(
    Subs, (const aclTensor* self, const aclScalar* other, const aclScalar* alpha, aclTensor* out), {
      add_scaled(work, {self, "self"}, {other, "other"}, -1, alpha, out);
    })

DAVSIM_FIRST_PHASE(InplaceSub,
                   (aclTensor * selfRef, const aclTensor* other, const aclScalar* alpha), {
                     add_scaled(work, {selfRef, "selfRef"}, {other, "other"}, -1, alpha, selfRef);
                   })

DAVSIM_FIRST_PHASE(InplaceSubs,
                   (aclTensor * selfRef, const aclScalar* other, const aclScalar* alpha), {
                     add_scaled(work, {selfRef, "selfRef"}, {other, "other"}, -1, alpha, selfRef);
                   })

DAVSIM_FIRST_PHASE(
    Rsub, (const aclTensor* self, const aclTensor* other, const aclScalar* alpha, aclTensor* out), {
      add_scaled(work, {other, "other"}, {self, "self"}, -1, alpha, out);
    })

DAVSIM_FIRST_PHASE(Rsubs,
                   (const aclTensor* self, const aclScalar* other, const aclScalar* alpha,
                    aclTensor* out),
                   {
                     add_scaled(work, {other, "other"}, {self, "self"}, -1, alpha, out);
                   })

DAVSIM_FIRST_PHASE(Mul, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kMul, ResultType::kPromoted}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(Muls, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kMul, ResultType::kPromoted}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceMul, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kMul, ResultType::kPromoted}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(InplaceMuls, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kMul, ResultType::kPromoted}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(Div, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kDiv, ResultType::kReal}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(Divs, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kDiv, ResultType::kReal}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(DivMod,
                   (const aclTensor* self, const aclTensor* other, int mode, aclTensor* out), {
                     add_pair(work, division(mode), {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(DivMods,
                   (const aclTensor* self, const aclScalar* other, int mode, aclTensor* out), {
                     add_pair(work, division(mode), {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceDiv, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kDiv, ResultType::kReal}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(InplaceDivs, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kDiv, ResultType::kReal}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(InplaceDivMod, (aclTensor * selfRef, const aclTensor* other, int mode), {
  add_pair(work, division(mode), {selfRef, "selfRef"}, {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(InplaceDivMods, (aclTensor * selfRef, const aclScalar* other, int mode), {
  add_pair(work, division(mode), {selfRef, "selfRef"}, {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(Maximum, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kMaximum, ResultType::kPromoted}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(Minimum, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kMinimum, ResultType::kPromoted}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(PowTensorScalar,
                   (const aclTensor* self, const aclScalar* exponent, const aclTensor* out), {
                     add_pair(work, {PointwiseOp::kPow, ResultType::kPromoted}, {self, "self"},
                              {exponent, "exponent"}, out);
                   })

DAVSIM_FIRST_PHASE(InplacePowTensorScalar, (const aclTensor* selfRef, const aclScalar* exponent), {
  add_pair(work, {PointwiseOp::kPow, ResultType::kPromoted}, {selfRef, "selfRef"},
           {exponent, "exponent"}, selfRef);
})

DAVSIM_FIRST_PHASE(PowScalarTensor,
                   (const aclScalar* self, const aclTensor* exponent, const aclTensor* out), {
                     add_pair(work, {PointwiseOp::kPow, ResultType::kPromoted}, {self, "self"},
                              {exponent, "exponent"}, out);
                   })

DAVSIM_FIRST_PHASE(PowTensorTensor,
                   (const aclTensor* self, const aclTensor* exponent, aclTensor* out), {
                     add_pair(work, {PointwiseOp::kPow, ResultType::kPromoted}, {self, "self"},
                              {exponent, "exponent"}, out);
                   })

DAVSIM_FIRST_PHASE(InplacePowTensorTensor, (const aclTensor* selfRef, const aclTensor* exponent), {
  add_pair(work, {PointwiseOp::kPow, ResultType::kPromoted}, {selfRef, "selfRef"},
           {exponent, "exponent"}, selfRef);
})

DAVSIM_FIRST_PHASE(RemainderTensorTensor,
                   (const aclTensor* self, const aclTensor* other, aclTensor* out), {
                     add_pair(work, {PointwiseOp::kRemainder, ResultType::kPromoted},
                              {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(RemainderTensorScalar,
                   (const aclTensor* self, const aclScalar* other, aclTensor* out), {
                     add_pair(work, {PointwiseOp::kRemainder, ResultType::kPromoted},
                              {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(RemainderScalarTensor,
                   (const aclScalar* self, const aclTensor* other, aclTensor* out), {
                     add_pair(work, {PointwiseOp::kRemainder, ResultType::kPromoted},
                              {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceRemainderTensorTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kRemainder, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(InplaceRemainderTensorScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kRemainder, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(FmodTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kFmod, ResultType::kPromoted}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(InplaceFmodTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kFmod, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(FmodScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kFmod, ResultType::kPromoted}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(InplaceFmodScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kFmod, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(FloorDivide, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kFloorDivide, ResultType::kPromoted}, {self, "self"},
           {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(FloorDivides, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kFloorDivide, ResultType::kPromoted}, {self, "self"},
           {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceFloorDivide, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kFloorDivide, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(InplaceFloorDivides, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kFloorDivide, ResultType::kPromoted}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(Atan2, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kAtan2, ResultType::kReal}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceAtan2, (aclTensor * selfRef, aclTensor* other), {
  add_pair(work, {PointwiseOp::kAtan2, ResultType::kReal}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(Addcmul,
                   (const aclTensor* self, const aclTensor* tensor1, const aclTensor* tensor2,
                    const aclScalar* value, aclTensor* out),
                   {
                     add_triple(work,
                                {PointwiseOp::kAddcmul, ResultType::kPromoted,
                                 required_number(value, "value")},
                                {self, "self"}, {tensor1, "tensor1"}, {tensor2, "tensor2"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceAddcmul,
                   (const aclTensor* selfRef, const aclTensor* tensor1, const aclTensor* tensor2,
                    const aclScalar* value),
                   {
                     add_triple(work,
                                {PointwiseOp::kAddcmul, ResultType::kPromoted,
                                 required_number(value, "value")},
                                {selfRef, "selfRef"}, {tensor1, "tensor1"}, {tensor2, "tensor2"},
                                selfRef);
                   })

DAVSIM_FIRST_PHASE(Addcdiv,
                   (const aclTensor* self, const aclTensor* tensor1, const aclTensor* tensor2,
                    const aclScalar* value, const aclTensor* out),
                   {
                     add_triple(work,
                                {PointwiseOp::kAddcdiv, ResultType::kReal,
                                 required_number(value, "value")},
                                {self, "self"}, {tensor1, "tensor1"}, {tensor2, "tensor2"}, out);
                   })

DAVSIM_FIRST_PHASE(
    InplaceAddcdiv,
    (const aclTensor* selfRef, const aclTensor* tensor1, const aclTensor* tensor2,
     const aclScalar* value),
    {
      add_triple(work, {PointwiseOp::kAddcdiv, ResultType::kReal, required_number(value, "value")},
                 {selfRef, "selfRef"}, {tensor1, "tensor1"}, {tensor2, "tensor2"}, selfRef);
    })

DAVSIM_FIRST_PHASE(
    Lerp, (const aclTensor* self, const aclTensor* end, const aclTensor* weight, aclTensor* out), {
      add_triple(work, {PointwiseOp::kLerp, ResultType::kReal}, {self, "self"}, {end, "end"},
                 {weight, "weight"}, out);
    })

DAVSIM_FIRST_PHASE(InplaceLerp,
                   (aclTensor * selfRef, const aclTensor* end, const aclTensor* weight), {
                     add_triple(work, {PointwiseOp::kLerp, ResultType::kReal}, {selfRef, "selfRef"},
                                {end, "end"}, {weight, "weight"}, selfRef);
                   })

DAVSIM_FIRST_PHASE(
    Lerps, (const aclTensor* self, const aclTensor* end, const aclScalar* weight, aclTensor* out), {
      add_triple(work, {PointwiseOp::kLerp, ResultType::kReal}, {self, "self"}, {end, "end"},
                 {weight, "weight"}, out);
    })

DAVSIM_FIRST_PHASE(InplaceLerps,
                   (aclTensor * selfRef, const aclTensor* end, const aclScalar* weight), {
                     add_triple(work, {PointwiseOp::kLerp, ResultType::kReal}, {selfRef, "selfRef"},
                                {end, "end"}, {weight, "weight"}, selfRef);
                   })

DAVSIM_FIRST_PHASE(SWhere,
                   (const aclTensor* condition, const aclTensor* self, const aclTensor* other,
                    aclTensor* out),
                   {
                     add_where(work, {self, "self"}, {other, "other"}, condition, "condition", out);
                   })

DAVSIM_FIRST_PHASE(InplaceMaskedFillScalar,
                   (aclTensor * selfRef, const aclTensor* mask, const aclScalar* value), {
                     add_masked(work, selfRef, mask, {value, "value"});
                   })

DAVSIM_FIRST_PHASE(InplaceMaskedFillTensor,
                   (aclTensor * selfRef, const aclTensor* mask, const aclTensor* value), {
                     add_masked(work, selfRef, mask, {value, "value"});
                   })

DAVSIM_FIRST_PHASE(Sum, (const aclTensorList* tensors, aclTensor* out), {
  davsim::runtime::require_aclnn(tensors, "tensors");
  add_sum(work, *tensors, required(out, "out"));
})

DAVSIM_FIRST_PHASE(Ger, (const aclTensor* self, const aclTensor* vec2, aclTensor* out), {
  require_vector(self, "self");
  require_vector(vec2, "vec2");
  const aclTensor* const vector = as(work, *self, self->GetDataType());
  const aclTensor* const column = reshaped(work, *vector, Shape({vector->Numel(), 1}));
  add_pair(work, {PointwiseOp::kMul}, {column, "self"}, {vec2, "vec2"}, out);
})
