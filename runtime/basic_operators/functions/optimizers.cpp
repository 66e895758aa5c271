// Optimizers: functions/optimizers.txt.
#include <cmath>

#include "lists/optimizers.h"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/rows.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct NamedTensor {
  const aclTensor* tensor;
  const char* name;
};

/// The weights and what goes with them: all have one shape and one type of floating numbers.
void require_alike(std::initializer_list<NamedTensor> tensors) {
  const NamedTensor& first = *tensors.begin();
  for (const NamedTensor& each : tensors) {
    require_kernel_float(required(each.tensor, each.name), each.name);
    require_type(*each.tensor, each.name, {first.tensor->GetDataType()});
    require_shape(*each.tensor, each.name, first.tensor->GetViewShape());
  }
}

/// A factor and what it lacks to 1.
struct Share {
  Operand kept, rest;
};

Share share(double factor) {
  return {Operand(factor), Operand(1 - factor)};
}

/// How a step changes the means of the gradient and of its square.
struct Moments {
  Operand mean, square;
};

Moments moved(Formula& f, const Operand& gradient, const Operand& mean, const Operand& square,
              const Share& of_mean, const Share& of_square) {
  return {
      f.more_product(f.times(mean, of_mean.kept), gradient, of_mean.rest),
      f.more_product(f.times(square, of_square.kept), f.times(gradient, gradient), of_square.rest)};
}

/// What both means are divided by, because they begin at 0.
struct Corrections {
  Operand mean, square;
};

/// 1 - factor^step, exact for factors close to 1.
Operand correction(Formula& f, const Operand& step, double factor) {
  const Operand power = f.times(step, Operand(std::log(factor)));
  return f.times(f.of(PointwiseOp::kExpm1, power), Operand(-1.0));
}

/// mean / (sqrt(square) + eps), both corrected
Operand direction(Formula& f, const Moments& moments, const Corrections& corrections,
                  const Operand& eps) {
  const Operand root = f.of(PointwiseOp::kSqrt, f.over(moments.square, corrections.square));
  return f.over(f.over(moments.mean, corrections.mean), f.more(root, eps));
}

/// weights - rate * (towards + decay * weights)
Operand stepped(Formula& f, const Operand& weights, const Operand& towards, const Operand& rate,
                const Operand& decay) {
  return f.more_product(weights, f.more_product(towards, weights, decay), rate, -1);
}

/// What a call of AdamW updates, with its numbers.
struct AdamW {
  const aclTensor *weights, *mean, *square, *gradient;
  Operand rate, decay, eps;
  Share of_mean, of_square;
  Corrections corrections;
  const aclTensor* greatest;  ///< of the squares; null: they are not kept
  bool keeps_greatest;        ///< writes it
  bool maximizes;
};

void add_adam_w(Formula& f, const AdamW& call) {
  Operand gradient(call.gradient, "grad");
  if (call.maximizes) gradient = f.times(gradient, Operand(-1.0));
  const Moments moments =
      moved(f, gradient, {call.mean, "mRef"}, {call.square, "vRef"}, call.of_mean, call.of_square);
  Moments used = moments;
  if (call.greatest != nullptr) {
    used.square =
        f.of(PointwiseOp::kMaximum, moments.square, {call.greatest, "maxGradNormOptional"});
  }
  const Operand towards = direction(f, used, call.corrections, call.eps);
  f.finish(stepped(f, {call.weights, "varRef"}, towards, call.rate, call.decay), *call.weights);
  f.finish(moments.mean, *call.mean);
  f.finish(moments.square, *call.square);
  if (call.keeps_greatest) f.finish(used.square, *call.greatest);
}

void require_step(const aclTensor* step) {
  require_one_element(required(step, "step"), "step");
  require_type(*step, "step", {ge::DT_INT64, ge::DT_FLOAT});
}

}  // namespace

DAVSIM_FIRST_PHASE(
    ApplyAdamW,
    (aclTensor * varRef, aclTensor* mRef, aclTensor* vRef, const aclTensor* beta1Power,
     const aclTensor* beta2Power, const aclTensor* lr, const aclTensor* weightDecay,
     const aclTensor* beta1, const aclTensor* beta2, const aclTensor* eps, const aclTensor* grad,
     const aclTensor* maxGradNormOptional, bool amsgrad, bool maximize),
    {
      require_alike({{varRef, "varRef"}, {mRef, "mRef"}, {vRef, "vRef"}, {grad, "grad"}});
      if (amsgrad)
        require_alike({{varRef, "varRef"}, {maxGradNormOptional, "maxGradNormOptional"}});
      for (const NamedTensor& number :
           std::initializer_list<NamedTensor>{{beta1Power, "beta1Power"},
                                              {beta2Power, "beta2Power"},
                                              {lr, "lr"},
                                              {weightDecay, "weightDecay"},
                                              {beta1, "beta1"},
                                              {beta2, "beta2"},
                                              {eps, "eps"}}) {
        require_one_element(required(number.tensor, number.name), number.name);
        require_type(*number.tensor, number.name, {varRef->GetDataType()});
      }
      if (varRef->IsEmpty()) return;
      Formula f(work);
      const auto number = [&](const aclTensor* tensor, const char* name) {
        return Operand(reshaped(work, *as(work, *tensor, ge::DT_FLOAT), {1}), name);
      };
      const auto rest = [&](const Operand& of) { return f.more(Operand(1.0), of, -1); };
      const Operand first = number(beta1, "beta1"), second = number(beta2, "beta2");
      const Operand first_power = f.times(number(beta1Power, "beta1Power"), first);
      const Operand second_power = f.times(number(beta2Power, "beta2Power"), second);
      add_adam_w(f, {varRef,
                     mRef,
                     vRef,
                     grad,
                     number(lr, "lr"),
                     number(weightDecay, "weightDecay"),
                     number(eps, "eps"),
                     {first, rest(first)},
                     {second, rest(second)},
                     {rest(first_power), rest(second_power)},
                     amsgrad ? maxGradNormOptional : nullptr,
                     false,
                     maximize});
    })

DAVSIM_FIRST_PHASE(
    ApplyAdamWV2,
    (aclTensor * varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* maxGradNormOptionalRef,
     const aclTensor* grad, const aclTensor* step, float lr, float beta1, float beta2,
     float weightDecay, float eps, bool amsgrad, bool maximize),
    {
      require_alike({{varRef, "varRef"}, {mRef, "mRef"}, {vRef, "vRef"}, {grad, "grad"}});
      if (amsgrad) {
        require_alike({{varRef, "varRef"}, {maxGradNormOptionalRef, "maxGradNormOptionalRef"}});
      }
      require_step(step);
      if (varRef->IsEmpty()) return;
      Formula f(work);
      const Operand number(reshaped(work, *as(work, *step, ge::DT_FLOAT), {1}), "step");
      add_adam_w(f, {varRef,
                     mRef,
                     vRef,
                     grad,
                     Operand(lr),
                     Operand(weightDecay),
                     Operand(eps),
                     share(beta1),
                     share(beta2),
                     {correction(f, number, beta1), correction(f, number, beta2)},
                     amsgrad ? maxGradNormOptionalRef : nullptr,
                     amsgrad,
                     maximize});
    })

DAVSIM_FIRST_PHASE(
    ApplyFusedEmaAdam,
    (const aclTensor* grad, aclTensor* varRef, aclTensor* mRef, aclTensor* vRef, aclTensor* sRef,
     const aclTensor* step, double lr, double emaDecay, double beta1, double beta2, double eps,
     int64_t mode, bool biasCorrection, double weightDecay),
    {
      require_alike(
          {{grad, "grad"}, {varRef, "varRef"}, {mRef, "mRef"}, {vRef, "vRef"}, {sRef, "sRef"}});
      require_one_element(required(step, "step"), "step");
      require_type(*step, "step", {ge::DT_INT64});
      if (mode != 0 && mode != 1) refuse_aclnn("mode is 0 or 1, not " + std::to_string(mode));
      if (grad->IsEmpty()) return;
      Formula f(work);
      const Operand number(reshaped(work, *as(work, *step, ge::DT_FLOAT), {1}), "step");
      const Operand weights(varRef, "varRef");
      Operand gradient(grad, "grad");
      if (mode == 0) gradient = f.more(gradient, weights, weightDecay);
      const Moments moments =
          moved(f, gradient, {mRef, "mRef"}, {vRef, "vRef"}, share(beta1), share(beta2));
      const Corrections corrections =
          biasCorrection ? Corrections{correction(f, number, beta1), correction(f, number, beta2)}
                         : Corrections{Operand(1.0), Operand(1.0)};
      const Operand towards = direction(f, moments, corrections, Operand(eps));
      const Operand made =
          stepped(f, weights, towards, Operand(lr), Operand(mode == 1 ? weightDecay : 0.0));
      const Operand average =
          f.more(f.times({sRef, "sRef"}, Operand(emaDecay)), made, 1 - emaDecay);
      f.finish(made, *varRef);
      f.finish(moments.mean, *mRef);
      f.finish(moments.square, *vRef);
      f.finish(average, *sRef);
    })
