// Gradients of functions of one tensor: functions/gradients.txt.
#include <cmath>
#include <string_view>

#include "lists/gradients.h"
#include "runtime/basic_operators/pairs.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/basic_operators/slopes.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

/// The gradient of a result, what it is the gradient for, and where that of the operand goes.
struct GradientCall {
  const aclTensor* gradient;
  const aclTensor* other;
  const char* name;
  const aclTensor* out;
  const char* out_name = "gradInput";
};

void require_gradient(const GradientCall& call, const Shape& shape) {
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {call.gradient, "gradOutput"}, {call.other, call.name}, {call.out, call.out_name}};
  for (const auto& [tensor, name] : tensors) {
    require_kernel_float(required(tensor, name), name);
    require_shape(*tensor, name, shape);
  }
}

/// out = what `make` makes of the gradient and of the other tensor, in float, step by step.
template <class Make>
void add_gradient(WorkList& work, const GradientCall& call, const Make& make) {
  require_gradient(call, required(call.other, call.name).GetViewShape());
  if (call.out->IsEmpty()) return;
  Formula formula(work);
  formula.finish(
      make(formula, Operand(call.gradient, "gradOutput"), Operand(call.other, call.name)),
      *call.out);
}

void add_gelu_gradient(WorkList& work, const GradientCall& call, bool by_tanh) {
  for (const auto& [tensor, name] :
       {std::pair(call.gradient, "gradOutput"), {call.other, "self"}, {call.out, "gradInput"}}) {
    require_kernel_float(required(tensor, name), name);
  }
  require_shape(*call.out, "gradInput",
                broadcast(call.gradient->GetViewShape(), call.other->GetViewShape()));
  if (call.out->IsEmpty()) return;
  Formula f(work);
  const Operand slope = gelu_slope(f, {call.other, "self"}, by_tanh);
  f.finish(f.times({call.gradient, "gradOutput"}, slope), *call.out);
}

/// What selects the formula of elu's gradient. The result of elu is known where `is_result`.
struct EluGradient {
  double alpha, scale, input_scale;
  bool is_result;

  Operand operator()(Formula& f, const Operand& dy, const Operand& x) const {
    const Operand below =
        is_result ? f.times(f.more(x, Operand(1.0), alpha * scale), Operand(input_scale))
                  : f.times(f.of(PointwiseOp::kExp, f.times(x, Operand(input_scale))),
                            Operand(input_scale * alpha * scale));
    const Operand slope = f.choose(f.of(PointwiseOp::kGt, x, Operand(0.0)), Operand(scale), below);
    return f.times(dy, slope);
  }
};

/// dy where `low` < x < `high`, else 0.
Operand between(Formula& f, const Operand& dy, const Operand& x, double low, double high) {
  const Operand above = f.of(PointwiseOp::kGt, x, Operand(low));
  const Operand inside = f.times(above, f.of(PointwiseOp::kLt, x, Operand(high)));
  return f.choose(inside, dy, Operand(0.0));
}

/// `below` and `beyond` compare with -3 and 3: where they are true the function is 0, or its
/// operand.
Operand hardswish_gradient(Formula& f, const Operand& dy, const Operand& x, PointwiseOp below,
                           PointwiseOp beyond) {
  const Operand middle = f.times(dy, f.more(Operand(0.5), x, 1.0 / 3));
  const Operand upper = f.choose(f.of(beyond, x, Operand(3.0)), dy, middle);
  return f.choose(f.of(below, x, Operand(-3.0)), Operand(0.0), upper);
}

void add_leaky_gradient(WorkList& work, const aclTensor* gradient, const aclTensor* self,
                        double slope, bool is_result, const aclTensor* out) {
  if (is_result && slope < 0) {
    refuse_aclnn("negativeSlope is at least 0 where self is the result, not " +
                 std::to_string(slope));
  }
  const DataType type = required(self, "self").GetDataType();
  for (const auto& [tensor, name] :
       {std::pair(self, "self"), {gradient, "gradOutput"}, {out, "out"}}) {
    require_type(required(tensor, name), name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    require_shape(*tensor, name, self->GetViewShape());
  }
  require_type(*gradient, "gradOutput", {type});
  if (out->IsEmpty()) return;
  Formula f(work, *self);
  const Operand dy(gradient, "gradOutput");
  f.finish(f.choose(f.of(PointwiseOp::kGt, {self, "self"}, Operand(0.0)), dy,
                    f.times(dy, Operand(slope))),
           *out);
}

/// "none" or "tanh".
bool is_by_tanh(const char* approximate) {
  davsim::runtime::require_aclnn(approximate, "approximate");
  const std::string_view how = approximate;
  if (how != "none" && how != "tanh") {
    refuse_aclnn("approximate is none or tanh, not " + std::string(how));
  }
  return how == "tanh";
}

}  // namespace

DAVSIM_FIRST_PHASE(TanhBackward,
                   (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, output, "output", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& y) {
                                    return f.more_product(dy, f.times(dy, y), y, -1);
                                  });
                   })

DAVSIM_FIRST_PHASE(SigmoidBackward,
                   (const aclTensor* gradOutput, const aclTensor* output, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, output, "output", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& y) {
                                    const Operand part = f.times(dy, y);
                                    return f.more_product(part, part, y, -1);
                                  });
                   })

DAVSIM_FIRST_PHASE(SiluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return f.times(dy, swish_slope(f, x, 1));
                                  });
                   })

DAVSIM_FIRST_PHASE(SwishBackward,
                   (const aclTensor* gradOutput, const aclTensor* self,
                    const aclScalar* betaOptional, aclTensor* gradInput),
                   {
                     const double beta = betaOptional == nullptr ? 1 : betaOptional->number();
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [&](Formula& f, const Operand& dy, const Operand& x) {
                                    return f.times(dy, swish_slope(f, x, beta));
                                  });
                   })

DAVSIM_FIRST_PHASE(FastGeluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return f.times(dy, swish_slope(f, x, 1.702));
                                  });
                   })

DAVSIM_FIRST_PHASE(GeluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gradInput),
                   {
                     add_gelu_gradient(work, {gradOutput, self, "self", gradInput}, false);
                   })

DAVSIM_FIRST_PHASE(
    GeluBackwardV2,
    (const aclTensor* gradOutput, const aclTensor* self, char* approximate, aclTensor* gradInput), {
      add_gelu_gradient(work, {gradOutput, self, "self", gradInput}, is_by_tanh(approximate));
    })

DAVSIM_FIRST_PHASE(
    EluBackward,
    (const aclTensor* gradOutput, const aclScalar* alpha, const aclScalar* scale,
     const aclScalar* inputScale, bool isResult, const aclTensor* selfOrResult,
     aclTensor* gradInput),
    {
      const EluGradient make{required_number(alpha, "alpha"), required_number(scale, "scale"),
                             required_number(inputScale, "inputScale"), isResult};
      if (isResult && make.alpha < 0) {
        refuse_aclnn("alpha is at least 0 where selfOrResult is the result, not " +
                     std::to_string(make.alpha));
      }
      add_gradient(work, {gradOutput, selfOrResult, "selfOrResult", gradInput}, make);
    })

DAVSIM_FIRST_PHASE(SeluBackward,
                   (const aclTensor* gradOutput, const aclTensor* result, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, result, "result", gradInput},
                                  EluGradient{kSeluAlpha, kSeluScale, 1, true});
                   })

DAVSIM_FIRST_PHASE(SoftplusBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* beta,
                    const aclScalar* threshold, aclTensor* gradInput),
                   {
                     const double factor = required_number(beta, "beta");
                     const double far = required_number(threshold, "threshold");
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [&](Formula& f, const Operand& dy, const Operand& x) {
                                    const Operand bent = f.times(x, Operand(factor));
                                    return f.choose(f.of(PointwiseOp::kGt, bent, Operand(far)), dy,
                                                    f.times(dy, f.sigmoid(bent)));
                                  });
                   })

DAVSIM_FIRST_PHASE(HardswishBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out), {
                     add_gradient(work, {gradOutput, self, "self", out, "out"},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return hardswish_gradient(f, dy, x, PointwiseOp::kLt,
                                                              PointwiseOp::kGt);
                                  });
                   })

DAVSIM_FIRST_PHASE(HardswishBackwardV2,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out), {
                     add_gradient(work, {gradOutput, self, "self", out, "out"},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return hardswish_gradient(f, dy, x, PointwiseOp::kLe,
                                                              PointwiseOp::kGe);
                                  });
                   })

DAVSIM_FIRST_PHASE(HardsigmoidBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* out), {
                     add_gradient(work, {gradOutput, self, "self", out, "out"},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return between(f, f.times(dy, Operand(1.0 / 6)), x, -3, 3);
                                  });
                   })

DAVSIM_FIRST_PHASE(HardtanhBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* min,
                    const aclScalar* max, aclTensor* out),
                   {
                     const double low = required_number(min, "min");
                     const double high = required_number(max, "max");
                     add_gradient(work, {gradOutput, self, "self", out, "out"},
                                  [&](Formula& f, const Operand& dy, const Operand& x) {
                                    return between(f, dy, x, low, high);
                                  });
                   })

DAVSIM_FIRST_PHASE(LeakyReluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self,
                    const aclScalar* negativeSlope, bool selfIsResult, aclTensor* out),
                   {
                     add_leaky_gradient(work, gradOutput, self,
                                        required_number(negativeSlope, "negativeSlope"),
                                        selfIsResult, out);
                   })

DAVSIM_FIRST_PHASE(LogSigmoidBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* buffer,
                    aclTensor* gradInput),
                   {
                     required(buffer, "buffer");
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return f.times(dy, f.sigmoid(f.times(x, Operand(-1.0))));
                                  });
                   })

DAVSIM_FIRST_PHASE(MishBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, aclTensor* gradInput), {
                     add_gradient(work, {gradOutput, self, "self", gradInput},
                                  [](Formula& f, const Operand& dy, const Operand& x) {
                                    return f.times(dy, mish_slope(f, x));
                                  });
                   })

DAVSIM_FIRST_PHASE(ThresholdBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclScalar* threshold,
                    aclTensor* out),
                   {
                     const Shape& shape = required(self, "self").GetViewShape();
                     require_shape(required(gradOutput, "gradOutput"), "gradOutput", shape);
                     aclTensor* const passes = temporary(work, ge::DT_BOOL, shape);
                     add_pair(work, {PointwiseOp::kGt, ResultType::kBool}, {self, "self"},
                              {threshold, "threshold"}, passes);
                     add_triple(work, {PointwiseOp::kWhere}, {gradOutput, "gradOutput"},
                                Operand(0.0), {passes, "self"}, out);
                   })
