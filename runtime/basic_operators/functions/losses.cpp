// Losses of pairs of elements and their gradients: functions/losses.txt.
#include "runtime/basic_operators/losses.hpp"

#include <limits>

#include "lists/losses.h"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

void require_pair(const aclTensor* self, const aclTensor* target, const aclTensor* out) {
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {self, "self"}, {target, "target"}, {out, "out"}};
  for (const auto& [tensor, name] : tensors) require_kernel_float(required(tensor, name), name);
}

/// out = what `make` makes of self and target, reduced.
template <class Make>
void add_loss(WorkList& work, const aclTensor* self, const aclTensor* target,
              LossReduction reduction, const aclTensor* out, const Make& make) {
  require_pair(self, target, out);
  Formula formula(work);
  add_reduced_loss(work, formula, make(formula, Operand(self, "self"), Operand(target, "target")),
                   reduction, *out);
}

struct LossGradient {
  const aclTensor *gradient, *self, *target;
  LossReduction reduction;
  const aclTensor* out;
};

/// out = the gradient times what `make` makes of self and target, as the mean has it.
template <class Make>
void add_loss_gradient(WorkList& work, const LossGradient& call, const Make& make) {
  require_pair(call.self, call.target, call.out);
  require_kernel_float(required(call.gradient, "gradOutput"), "gradOutput");
  const Shape shape = broadcast(call.self->GetViewShape(), call.target->GetViewShape());
  require_shape(*call.out, "out", broadcast(shape, call.gradient->GetViewShape()));
  if (call.out->IsEmpty()) return;
  Formula f(work);
  const Operand slope = make(f, Operand(call.self, "self"), Operand(call.target, "target"));
  const Operand part = f.times({call.gradient, "gradOutput"}, slope);
  const double divisor = loss_divisor(shape, call.reduction);
  f.finish(divisor == 1 ? part : f.times(part, Operand(1 / divisor)), *call.out);
}

Operand distance(Formula& f, const Operand& x, const Operand& y) {
  return f.of(PointwiseOp::kAbs, f.less(x, y));
}

void add_squares(WorkList& work, const aclTensor* self, const aclTensor* target, int64_t reduction,
                 const aclTensor* out) {
  add_loss(work, self, target, loss_reduction(reduction), out,
           [](Formula& f, const Operand& x, const Operand& y) {
             const Operand d = f.less(x, y);
             return f.times(d, d);
           });
}

double smooth_width(float beta) {
  if (!(beta >= 0)) refuse_aclnn("beta is at least 0, not " + std::to_string(beta));
  return beta;
}

Operand smooth_l1(Formula& f, const Operand& x, const Operand& y, double beta) {
  const Operand d = distance(f, x, y);
  if (beta == 0) return d;
  const Operand bowl = f.times(f.times(d, d), Operand(0.5 / beta));
  return f.choose(f.of(PointwiseOp::kLt, d, Operand(beta)), bowl,
                  f.more(d, Operand(1.0), -0.5 * beta));
}

Operand smooth_l1_slope(Formula& f, const Operand& x, const Operand& y, double beta) {
  const Operand d = f.less(x, y);
  if (beta == 0) return f.of(PointwiseOp::kSign, d);
  return f.of(PointwiseOp::kClamp, f.times(d, Operand(1 / beta)), -1, 1);
}

/// weight * x, where there is a weight.
Operand weighted(Formula& f, const Operand& x, const aclTensor* weight, const char* name) {
  if (weight == nullptr) return x;
  require_kernel_float(*weight, name);
  const Shape& shape = x.tensor->GetViewShape();
  if (!(broadcast(shape, weight->GetViewShape()) == shape)) {
    refuse_aclnn(std::string(name) + " becomes the shape " + text(shape) + " by repetition, not " +
                 text(weight->GetViewShape()));
  }
  return f.times(x, {weight, name});
}

/// -(y * log(x) + (1 - y) * log(1 - x)), where no logarithm is less than -100.
Operand cross_entropy(Formula& f, const Operand& x, const Operand& y) {
  constexpr double kLeast = -100;
  const Operand yes = f.of(PointwiseOp::kMaximum, f.of(PointwiseOp::kLog, x), Operand(kLeast));
  const Operand no = f.of(PointwiseOp::kMaximum,
                          f.of(PointwiseOp::kLog1p, f.times(x, Operand(-1.0))), Operand(kLeast));
  return f.less(f.more_product(f.times(y, no), y, yes, -1), no);
}

Operand cross_entropy_slope(Formula& f, const Operand& x, const Operand& y) {
  constexpr double kLeast = 1e-12;
  const Operand spread = f.of(PointwiseOp::kMaximum, f.more_product(x, x, x, -1), Operand(kLeast));
  return f.over(f.less(x, y), spread);
}

/// (1 - y) * x + (1 + (weight - 1) * y) * log(1 + exp(-x))
Operand cross_entropy_of_logits(Formula& f, const Operand& x, const Operand& y,
                                const aclTensor* weight) {
  const Operand log_sigmoid = f.of(PointwiseOp::kLogSigmoid, x);
  const Operand line = f.more_product(x, x, y, -1);
  if (weight == nullptr) return f.less(line, log_sigmoid);
  const Operand weighted_y = weighted(f, y, weight, "posWeightOptional");
  return f.more_product(line, f.more(f.more(weighted_y, y, -1), Operand(1.0)), log_sigmoid, -1);
}

Operand cross_entropy_of_logits_slope(Formula& f, const Operand& x, const Operand& y,
                                      const aclTensor* weight) {
  const Operand s = f.sigmoid(x);
  if (weight == nullptr) return f.less(s, y);
  const Operand weighted_y = weighted(f, y, weight, "posWeightOptional");
  return f.less(f.times(f.more(f.more(weighted_y, y, -1), Operand(1.0)), s), weighted_y);
}

void require_same_shape(const aclTensor* self, const aclTensor* target) {
  require_shape(required(target, "target"), "target", required(self, "self").GetViewShape());
}

/// y * (log(y) - x), 0 where y is not positive.
Operand divergence(Formula& f, const Operand& x, const Operand& y, bool of_logarithms) {
  if (of_logarithms) return f.times(f.of(PointwiseOp::kExp, y), f.less(y, x));
  const Operand part = f.times(y, f.less(f.of(PointwiseOp::kLog, y), x));
  return f.choose(f.of(PointwiseOp::kGt, y, Operand(0.0)), part, Operand(0.0));
}

}  // namespace

DAVSIM_FIRST_PHASE(MseLoss,
                   (const aclTensor* self, const aclTensor* target, int64_t reduction,
                    aclTensor* out),
                   { add_squares(work, self, target, reduction, out); })

DAVSIM_FIRST_PHASE(MseLossOut,
                   (const aclTensor* self, const aclTensor* target, int64_t reduction,
                    aclTensor* out),
                   { add_squares(work, self, target, reduction, out); })

DAVSIM_FIRST_PHASE(MseLossBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    int64_t reduction, aclTensor* out),
                   {
                     add_loss_gradient(work,
                                       {gradOutput, self, target, loss_reduction(reduction), out},
                                       [](Formula& f, const Operand& x, const Operand& y) {
                                         return f.times(f.less(x, y), Operand(2.0));
                                       });
                   })

DAVSIM_FIRST_PHASE(L1Loss,
                   (const aclTensor* self, const aclTensor* target, int64_t reduction,
                    aclTensor* out),
                   { add_loss(work, self, target, loss_reduction(reduction), out, distance); })

DAVSIM_FIRST_PHASE(L1LossBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    int64_t reduction, aclTensor* gradInput),
                   {
                     add_loss_gradient(
                         work, {gradOutput, self, target, loss_reduction(reduction), gradInput},
                         [](Formula& f, const Operand& x, const Operand& y) {
                           return f.of(PointwiseOp::kSign, f.less(x, y));
                         });
                   })

DAVSIM_FIRST_PHASE(SmoothL1Loss,
                   (const aclTensor* self, const aclTensor* target, int64_t reduction, float beta,
                    aclTensor* result),
                   {
                     const double width = smooth_width(beta);
                     add_loss(work, self, target, loss_reduction(reduction), result,
                              [&](Formula& f, const Operand& x, const Operand& y) {
                                return smooth_l1(f, x, y, width);
                              });
                   })

DAVSIM_FIRST_PHASE(SmoothL1LossBackward,
                   (const aclTensor* gradOut, const aclTensor* self, const aclTensor* target,
                    int64_t reduction, float beta, aclTensor* gradInput),
                   {
                     const double width = smooth_width(beta);
                     add_loss_gradient(
                         work, {gradOut, self, target, loss_reduction(reduction), gradInput},
                         [&](Formula& f, const Operand& x, const Operand& y) {
                           return smooth_l1_slope(f, x, y, width);
                         });
                   })

DAVSIM_FIRST_PHASE(BinaryCrossEntropy,
                   (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
                    int64_t reduction, aclTensor* out),
                   {
                     require_same_shape(self, target);
                     add_loss(work, self, target, loss_reduction(reduction), out,
                              [&](Formula& f, const Operand& x, const Operand& y) {
                                return weighted(f, cross_entropy(f, x, y), weight, "weight");
                              });
                   })

DAVSIM_FIRST_PHASE(BinaryCrossEntropyBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    const aclTensor* weightOptional, int64_t reduction, aclTensor* out),
                   {
                     require_same_shape(self, target);
                     add_loss_gradient(work,
                                       {gradOutput, self, target, loss_reduction(reduction), out},
                                       [&](Formula& f, const Operand& x, const Operand& y) {
                                         return weighted(f, cross_entropy_slope(f, x, y),
                                                         weightOptional, "weightOptional");
                                       });
                   })

DAVSIM_FIRST_PHASE(BinaryCrossEntropyWithLogits,
                   (const aclTensor* self, const aclTensor* target, const aclTensor* weightOptional,
                    const aclTensor* posWeightOptional, int64_t reduction, aclTensor* out),
                   {
                     require_same_shape(self, target);
                     add_loss(work, self, target, loss_reduction(reduction), out,
                              [&](Formula& f, const Operand& x, const Operand& y) {
                                return weighted(f,
                                                cross_entropy_of_logits(f, x, y, posWeightOptional),
                                                weightOptional, "weightOptional");
                              });
                   })

DAVSIM_FIRST_PHASE(BinaryCrossEntropyWithLogitsBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    const aclTensor* weightOptional, const aclTensor* posWeightOptional,
                    int64_t reduction, aclTensor* out),
                   {
                     require_same_shape(self, target);
                     add_loss_gradient(
                         work, {gradOutput, self, target, loss_reduction(reduction), out},
                         [&](Formula& f, const Operand& x, const Operand& y) {
                           return weighted(
                               f, cross_entropy_of_logits_slope(f, x, y, posWeightOptional),
                               weightOptional, "weightOptional");
                         });
                   })

DAVSIM_FIRST_PHASE(KlDiv,
                   (const aclTensor* self, const aclTensor* target, int64_t reduction,
                    bool logTarget, aclTensor* out),
                   {
                     add_loss(work, self, target,
                              loss_reduction(reduction, LossReduction::kMeanOfBatch), out,
                              [&](Formula& f, const Operand& x, const Operand& y) {
                                return divergence(f, x, y, logTarget);
                              });
                   })

DAVSIM_FIRST_PHASE(KlDivBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    int64_t reduction, bool logTarget, aclTensor* out),
                   {
                     const LossGradient call{gradOutput, self, target,
                                             loss_reduction(reduction, LossReduction::kMeanOfBatch),
                                             out};
                     add_loss_gradient(
                         work, call, [&](Formula& f, const Operand&, const Operand& y) {
                           return logTarget ? f.times(f.of(PointwiseOp::kExp, y), Operand(-1.0))
                                            : f.times(f.of(PointwiseOp::kRelu, y), Operand(-1.0));
                         });
                   })

DAVSIM_FIRST_PHASE(
    SoftMarginLoss,
    (const aclTensor* self, const aclTensor* target, int64_t reduction, aclTensor* out), {
      add_loss(work, self, target, loss_reduction(reduction), out,
               [](Formula& f, const Operand& x, const Operand& y) {
                 return f.times(f.of(PointwiseOp::kLogSigmoid, f.times(x, y)), Operand(-1.0));
               });
    })

DAVSIM_FIRST_PHASE(SoftMarginLossBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    int64_t reduction, aclTensor* out),
                   {
                     add_loss_gradient(work,
                                       {gradOutput, self, target, loss_reduction(reduction), out},
                                       [](Formula& f, const Operand& x, const Operand& y) {
                                         const Operand minus = f.times(y, Operand(-1.0));
                                         return f.times(minus, f.sigmoid(f.times(x, minus)));
                                       });
                   })
