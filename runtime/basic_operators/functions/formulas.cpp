// Functions that consist of several pointwise steps: functions/formulas.txt.
#include "runtime/basic_operators/formula.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "lists/formulas.h"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Double for what float does not have: also whole numbers of 32 bits and more.
DataType exact_type(std::initializer_list<Operand> operands) {
  for (const Operand& operand : operands) {
    if (operand.is_number()) continue;
    const DataType type = required(operand.tensor, operand.name).GetDataType();
    if (op::CheckType(type, {ge::DT_DOUBLE, ge::DT_INT64, ge::DT_INT32})) return ge::DT_DOUBLE;
  }
  return ge::DT_FLOAT;
}

void require_real(std::initializer_list<Operand> operands) {
  for (const Operand& operand : operands) {
    if (operand.is_number()) continue;
    const DataType type = required(operand.tensor, operand.name).GetDataType();
    if (!op::IsComplexType(type)) continue;
    refuse_aclnn(std::string(operand.name) + " has real numbers, not " + text(type));
  }
}

/// out = what `make` makes of the operands, which are real numbers.
template <class Make>
void add_formula(WorkList& work, std::initializer_list<Operand> operands, const aclTensor* out,
                 const char* out_name, const Make& make) {
  require_real(operands);
  Formula formula(work, exact_type(operands));
  require_shape(required(out, out_name), out_name, common_shape(operands));
  if (out->GetDataType() != ge::DT_BOOL) require_cast(formula.type(), *out, out_name);
  if (!out->IsEmpty()) formula.finish(make(formula), *out);
}

/// The same of numbers, which bool does not have.
template <class Make>
void add_numbers(WorkList& work, std::initializer_list<Operand> operands, const aclTensor* out,
                 const char* out_name, const Make& make) {
  if (required(out, out_name).GetDataType() == ge::DT_BOOL) {
    refuse_aclnn(std::string(out_name) + " has numbers, not " + text(ge::DT_BOOL));
  }
  add_formula(work, operands, out, out_name, make);
}

/// The greater plus the logarithm of 1 + base^-|x - y|; infinities of one sign stay what they are.
Operand log_of_sum(Formula& f, const Operand& x, const Operand& y, double base_log) {
  const Operand greater = f.of(PointwiseOp::kMaximum, x, y);
  const Operand apart = f.times(f.of(PointwiseOp::kAbs, f.less(x, y)), Operand(-base_log));
  const Operand more = f.of(PointwiseOp::kLog1p, f.of(PointwiseOp::kExp, apart));
  const Operand sum = f.more(greater, more, 1 / base_log);
  return f.choose(f.of(PointwiseOp::kEq, f.of(PointwiseOp::kAbs, greater), Operand(kEndless)),
                  greater, sum);
}

void add_log_of_sum(WorkList& work, const aclTensor* self, const aclTensor* other, double base_log,
                    const aclTensor* out) {
  const Operand x(self, "self"), y(other, "other");
  add_numbers(work, {x, y}, out, "out", [&](Formula& f) { return log_of_sum(f, x, y, base_log); });
}

/// x * log(y): 0 where x is 0, unless y is no number.
void add_xlogy(WorkList& work, const Operand& x, const Operand& y, const aclTensor* out,
               const char* out_name = "out") {
  add_numbers(work, {x, y}, out, out_name, [&](Formula& f) {
    if (y.is_number()) {
      const Operand part = f.times(x, Operand(std::log(y.number)));
      const Operand is_zero = f.of(PointwiseOp::kEq, x, Operand(0.0));
      return std::isnan(y.number) ? part : f.choose(is_zero, Operand(0.0), part);
    }
    const Operand part = f.times(x, f.of(PointwiseOp::kLog, y));
    const Operand there = f.of(PointwiseOp::kEq, y, y);
    if (x.is_number()) return x.number != 0 ? part : f.choose(there, Operand(0.0), y);
    const Operand is_zero = f.times(there, f.of(PointwiseOp::kEq, x, Operand(0.0)));
    return f.choose(is_zero, Operand(0.0), part);
  });
}

void add_is_close(WorkList& work, const Operand& x, const Operand& y, double relative,
                  double absolute, bool equal_nan, const aclTensor* out) {
  if (!(relative >= 0 && absolute >= 0)) refuse_aclnn("rtol and atol are at least 0");
  add_formula(work, {x, y}, out, "out", [&](Formula& f) {
    const Operand apart = f.of(PointwiseOp::kAbs, f.less(x, y));
    const Operand allowed = f.more(Operand(absolute), f.of(PointwiseOp::kAbs, y), relative);
    const Operand finite = f.of(PointwiseOp::kIsFinite, allowed);
    const Operand near = f.times(f.of(PointwiseOp::kLe, apart, allowed), finite);
    const Operand close = f.of(PointwiseOp::kMaximum, near, f.of(PointwiseOp::kEq, x, y));
    if (!equal_nan) return close;
    const Operand numbers =
        f.of(PointwiseOp::kMaximum, f.of(PointwiseOp::kEq, x, x), f.of(PointwiseOp::kEq, y, y));
    return f.of(PointwiseOp::kMaximum, close, f.more(Operand(1.0), numbers, -1));
  });
}

void add_is_infinite(WorkList& work, const aclTensor* self, double what, const aclTensor* out) {
  const Operand x(self, "self");
  require_type(required(out, "out"), "out", {ge::DT_BOOL});
  add_formula(work, {x}, out, "out",
              [&](Formula& f) { return f.of(PointwiseOp::kEq, x, Operand(what)); });
}

void add_outer_sum(WorkList& work, const aclTensor* self, const char* name, const aclTensor* vec1,
                   const aclTensor* vec2, double beta, double alpha, const aclTensor* out) {
  for (const auto& [vector, which] : {std::pair(vec1, "vec1"), {vec2, "vec2"}}) {
    if (required(vector, which).GetViewShape().GetDimNum() == 1) continue;
    refuse_aclnn(std::string(which) + " has one dimension, not the shape " +
                 text(vector->GetViewShape()));
  }
  const Shape shape{vec1->Numel(), vec2->Numel()};
  if (!(broadcast(required(self, name).GetViewShape(), shape) == shape)) {
    refuse_aclnn(std::string(name) + " becomes the shape " + text(shape) + " by repetition, not " +
                 text(self->GetViewShape()));
  }
  const aclTensor* const column = tensor_of(work, with_repeats(view_of(*vec1), 1, 1));
  const Operand x(self, name), a(column, "vec1"), b(vec2, "vec2");
  add_numbers(work, {x, a, b}, out, self == out ? name : "out", [&](Formula& f) {
    // Nothing of self is in the result where beta is 0, not even what is no number.
    if (beta == 0) return f.times(f.times(a, b), Operand(alpha));
    return f.more_product(f.times(x, Operand(beta)), a, b, alpha);
  });
}

void add_prelu(WorkList& work, const aclTensor* self, const aclTensor* weight,
               const aclTensor* out) {
  const Shape& shape = required(self, "self").GetViewShape();
  const std::size_t rank = shape.GetDimNum();
  const int64_t channels = rank < 2 ? 1 : shape.GetDim(1);
  const int64_t count = required(weight, "weight").Numel();
  if (count != 1 && count != channels) {
    refuse_aclnn("weight has one element or " + std::to_string(channels) +
                 ", as self has channels, not the shape " + text(weight->GetViewShape()));
  }
  Shape column{count};
  for (std::size_t d = 2; count > 1 && d < rank; ++d) column.AppendDim(1);
  const Operand x(self, "self");
  const Operand slope(reshaped(work, *as(work, *weight, weight->GetDataType()), column), "weight");
  add_numbers(work, {x, slope}, out, "out", [&](Formula& f) {
    return f.choose(f.of(PointwiseOp::kGt, x, Operand(0.0)), x, f.times(x, slope));
  });
}

/// 0 from -limit to limit, else `other`.
Operand beyond(Formula& f, const Operand& x, double limit, const Operand& other) {
  const Operand inside = f.of(PointwiseOp::kLe, f.of(PointwiseOp::kAbs, x), Operand(limit));
  return f.choose(inside, Operand(0.0), other);
}

double shrinking(const aclScalar* lambd) {
  const double limit = required_number(lambd, "lambd");
  if (!(limit >= 0)) refuse_aclnn("lambd is at least 0, not " + std::to_string(limit));
  return limit;
}

void add_shrink_gradient(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                         double limit, const aclTensor* out) {
  const Operand dy(gradient, "gradOutput"), x(self, "self");
  add_numbers(work, {dy, x}, out, "gradInput", [&](Formula& f) { return beyond(f, x, limit, dy); });
}

}  // namespace

DAVSIM_FIRST_PHASE(Heaviside, (const aclTensor* input, const aclTensor* values, aclTensor* out), {
  const Operand x(input, "input"), at_zero(values, "values");
  add_numbers(work, {x, at_zero}, out, "out", [&](Formula& f) {
    const Operand step = f.of(PointwiseOp::kGt, x, Operand(0.0));
    return f.choose(f.of(PointwiseOp::kEq, x, Operand(0.0)), at_zero, step);
  });
})

DAVSIM_FIRST_PHASE(LogAddExp, (const aclTensor* self, const aclTensor* other, aclTensor* out),
                   { add_log_of_sum(work, self, other, 1, out); })

DAVSIM_FIRST_PHASE(LogAddExp2, (const aclTensor* self, const aclTensor* other, aclTensor* out),
                   { add_log_of_sum(work, self, other, std::numbers::ln2, out); })

DAVSIM_FIRST_PHASE(XLogYTensor, (const aclTensor* self, const aclTensor* other, aclTensor* out), {
  add_xlogy(work, {self, "self"}, {other, "other"}, out);
})

DAVSIM_FIRST_PHASE(InplaceXLogYTensor, (aclTensor * selfRef, const aclTensor* other), {
  add_xlogy(work, {selfRef, "selfRef"}, {other, "other"}, selfRef, "selfRef");
})

DAVSIM_FIRST_PHASE(XLogYScalarOther,
                   (const aclTensor* self, const aclScalar* other, aclTensor* out), {
                     add_xlogy(work, {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(InplaceXLogYScalarOther, (aclTensor * selfRef, const aclScalar* other), {
  add_xlogy(work, {selfRef, "selfRef"}, {other, "other"}, selfRef, "selfRef");
})

DAVSIM_FIRST_PHASE(XLogYScalarSelf, (const aclScalar* self, const aclTensor* other, aclTensor* out),
                   {
                     add_xlogy(work, {self, "self"}, {other, "other"}, out);
                   })

DAVSIM_FIRST_PHASE(
    IsClose,
    (const aclTensor* self, const aclTensor* other, double rtol, double atol, bool equal_nan,
     aclTensor* out),
    {
      require_type(required(out, "out"), "out", {ge::DT_BOOL});
      add_is_close(work, {self, "self"}, {other, "other"}, rtol, atol, equal_nan, out);
    })

DAVSIM_FIRST_PHASE(IsPosInf, (const aclTensor* self, aclTensor* out),
                   { add_is_infinite(work, self, kEndless, out); })

DAVSIM_FIRST_PHASE(IsNegInf, (const aclTensor* self, aclTensor* out),
                   { add_is_infinite(work, self, -kEndless, out); })

DAVSIM_FIRST_PHASE(Addr,
                   (const aclTensor* self, const aclTensor* vec1, const aclTensor* vec2,
                    const aclScalar* beta, const aclScalar* alpha, aclTensor* out),
                   {
                     add_outer_sum(work, self, "self", vec1, vec2, required_number(beta, "beta"),
                                   required_number(alpha, "alpha"), out);
                   })

DAVSIM_FIRST_PHASE(InplaceAddr,
                   (aclTensor * selfRef, const aclTensor* vec1, const aclTensor* vec2,
                    const aclScalar* beta, const aclScalar* alpha),
                   {
                     add_outer_sum(work, selfRef, "selfRef", vec1, vec2,
                                   required_number(beta, "beta"), required_number(alpha, "alpha"),
                                   selfRef);
                   })

DAVSIM_FIRST_PHASE(Prelu, (const aclTensor* self, const aclTensor* weight, aclTensor* out),
                   { add_prelu(work, self, weight, out); })

DAVSIM_FIRST_PHASE(Hardshrink, (const aclTensor* self, const aclScalar* lambd, aclTensor* out), {
  const Operand x(self, "self");
  const double limit = shrinking(lambd);
  add_numbers(work, {x}, out, "out", [&](Formula& f) { return beyond(f, x, limit, x); });
})

DAVSIM_FIRST_PHASE(HardshrinkBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* lambd,
                    aclTensor* gradInput),
                   { add_shrink_gradient(work, gradOutput, self, shrinking(lambd), gradInput); })

DAVSIM_FIRST_PHASE(Softshrink, (const aclTensor* self, const aclScalar* lambd, aclTensor* out), {
  const Operand x(self, "self");
  const double limit = shrinking(lambd);
  add_numbers(work, {x}, out, "out", [&](Formula& f) {
    const Operand moved = f.more(x, f.of(PointwiseOp::kSign, x), -limit);
    // What is no number is not beyond it.
    const Operand outside = f.of(PointwiseOp::kGt, f.of(PointwiseOp::kAbs, x), Operand(limit));
    return f.choose(outside, moved, Operand(0.0));
  });
})

DAVSIM_FIRST_PHASE(SoftshrinkBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* lambd,
                    aclTensor* gradInput),
                   { add_shrink_gradient(work, gradOutput, self, shrinking(lambd), gradInput); })

DAVSIM_FIRST_PHASE(Logit, (const aclTensor* self, double eps, aclTensor* out), {
  const Operand x(self, "self");
  add_numbers(work, {x}, out, "out", [&](Formula& f) {
    const Operand cut = eps < 0 ? x : f.of(PointwiseOp::kClamp, x, eps, 1 - eps);
    return f.of(PointwiseOp::kLog, f.over(cut, f.more(Operand(1.0), cut, -1)));
  });
})
