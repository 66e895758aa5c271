// Comparisons, logical functions and those of bits: functions/comparisons.txt.
#include <algorithm>

#include "lists/comparisons.h"
#include "runtime/basic_operators/pairs.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// Of truth values these are the logical functions.
void add_bitwise(WorkList& work, PointwiseOp op, PointwiseOp logical, const Operand& x,
                 const Operand& y, const aclTensor* out) {
  bool are_bool = true;
  for (const Operand& operand : {x, y}) {
    const DataType type = operand.is_number()
                              ? operand.number_type
                              : required(operand.tensor, operand.name).GetDataType();
    are_bool = are_bool && type == ge::DT_BOOL;
  }
  if (are_bool) return add_pair(work, {logical, ResultType::kBool}, x, y, out);
  for (const Operand& operand : {x, y}) {
    if (!operand.is_number()) {
      require_whole(*operand.tensor, operand.name);
    } else if (!op::IsIntegralType(operand.number_type, true)) {
      davsim::runtime::refuse_aclnn(std::string(operand.name) + " is a whole number, not one of " +
                                    text(operand.number_type));
    }
  }
  add_pair(work, {op}, x, y, out);
}

/// out = whether both have the same shape and elements.
void add_equal(WorkList& work, const aclTensor* self, const aclTensor* other,
               const aclTensor* out) {
  require_type(required(out, "out"), "out", {ge::DT_BOOL});
  const Shape& shape = required(self, "self").GetViewShape();
  const bool alike = shape == required(other, "other").GetViewShape();
  std::vector<const aclTensor*> parts;
  if (alike && !self->IsEmpty()) {
    aclTensor* const equal = temporary(work, ge::DT_BOOL, shape);
    add_pair(work, {PointwiseOp::kEq, ResultType::kBool}, {self, "self"}, {other, "other"}, equal);
    parts.push_back(equal);
  }
  work.add_task({out}, parts, [alike](auto to, auto from) {
    const auto all = [](const auto& tensor) {
      const std::byte* const first = tensor.first();
      return std::all_of(first, first + tensor.elements(),
                         [](std::byte truth) { return truth != std::byte{0}; });
    };
    *to[0].first() = std::byte{alike && (from.empty() || all(from[0]))};
  });
}

}  // namespace

DAVSIM_FIRST_PHASE(EqTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kEq, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceEqTensor, (const aclTensor* selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kEq, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(EqScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kEq, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceEqScalar, (const aclTensor* selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kEq, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(NeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kNe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceNeTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kNe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(NeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kNe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceNeScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kNe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(GtTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceGtTensor, (const aclTensor* selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(GtScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceGtScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(GeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kGe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceGeTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kGe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(GeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kGe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceGeScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kGe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(LtTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLt, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceLtTensor, (const aclTensor* selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kLt, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(LtScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLt, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceLtScalar, (const aclTensor* selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kLt, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(LeTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceLeTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kLe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(LeScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLe, ResultType::kBool}, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceLeScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_pair(work, {PointwiseOp::kLe, ResultType::kBool}, {selfRef, "selfRef"}, {other, "other"},
           selfRef);
})

DAVSIM_FIRST_PHASE(LogicalAnd, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLogicalAnd, ResultType::kBool}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(InplaceLogicalAnd, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kLogicalAnd, ResultType::kBool}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(LogicalOr, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLogicalOr, ResultType::kBool}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(InplaceLogicalOr, (aclTensor * selfRef, const aclTensor* other), {
  add_pair(work, {PointwiseOp::kLogicalOr, ResultType::kBool}, {selfRef, "selfRef"},
           {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(LogicalXor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_pair(work, {PointwiseOp::kLogicalXor, ResultType::kBool}, {self, "self"}, {other, "other"},
           out);
})

DAVSIM_FIRST_PHASE(BitwiseAndTensor,
                   (const aclTensor* self, const aclTensor* other, aclTensor* out), {
                     add_bitwise(work, PointwiseOp::kBitAnd, PointwiseOp::kLogicalAnd,
                                 {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseAndTensor, (const aclTensor* selfRef, const aclTensor* other), {
  add_bitwise(work, PointwiseOp::kBitAnd, PointwiseOp::kLogicalAnd, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(BitwiseAndScalar,
                   (const aclTensor* self, const aclScalar* other, aclTensor* out), {
                     add_bitwise(work, PointwiseOp::kBitAnd, PointwiseOp::kLogicalAnd,
                                 {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseAndScalar, (const aclTensor* selfRef, const aclScalar* other), {
  add_bitwise(work, PointwiseOp::kBitAnd, PointwiseOp::kLogicalAnd, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(BitwiseOrTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out),
                   {
                     add_bitwise(work, PointwiseOp::kBitOr, PointwiseOp::kLogicalOr, {self, "self"},
                                 {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseOrTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_bitwise(work, PointwiseOp::kBitOr, PointwiseOp::kLogicalOr, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(BitwiseOrScalar, (const aclTensor* self, const aclScalar* other, aclTensor* out),
                   {
                     add_bitwise(work, PointwiseOp::kBitOr, PointwiseOp::kLogicalOr, {self, "self"},
                                 {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseOrScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_bitwise(work, PointwiseOp::kBitOr, PointwiseOp::kLogicalOr, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(BitwiseXorTensor,
                   (const aclTensor* self, const aclTensor* other, aclTensor* out), {
                     add_bitwise(work, PointwiseOp::kBitXor, PointwiseOp::kLogicalXor,
                                 {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseXorTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_bitwise(work, PointwiseOp::kBitXor, PointwiseOp::kLogicalXor, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(BitwiseXorScalar,
                   (const aclTensor* self, const aclScalar* other, aclTensor* out), {
                     add_bitwise(work, PointwiseOp::kBitXor, PointwiseOp::kLogicalXor,
                                 {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceBitwiseXorScalar, (aclTensor * selfRef, const aclScalar* other), {
  add_bitwise(work, PointwiseOp::kBitXor, PointwiseOp::kLogicalXor, {selfRef, "selfRef"},
              {other, "other"}, selfRef);
})

DAVSIM_FIRST_PHASE(Equal, (const aclTensor* self, const aclTensor* other, aclTensor* out),
                   { add_equal(work, self, other, out); })
DAVSIM_FIRST_PHASE(Signbit, (const aclTensor* self, aclTensor* out), {
  require_type(required(out, "out"), "out", {ge::DT_BOOL});
  Operand zero(0.0);
  zero.number_type = ge::DT_INT64;  // which leaves self the type it has
  add_pair(work, {PointwiseOp::kLt, ResultType::kBool}, {self, "self"}, zero, out);
})
