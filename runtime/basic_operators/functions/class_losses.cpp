// Losses of classes and their gradients: functions/losses.txt.
#include "aclnnop/aclnn_cross_entropy_loss.h"
#include "aclnnop/aclnn_cross_entropy_loss_grad.h"
#include "aclnnop/aclnn_nll_loss.h"
#include "aclnnop/aclnn_nll_loss2d.h"
#include "aclnnop/aclnn_nll_loss2d_backward.h"
#include "aclnnop/aclnn_nll_loss_backward.h"
#include "runtime/basic_operators/losses.hpp"
#include "runtime/basic_operators/softmax.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct ClassCall {
  const aclTensor *self, *target, *weight;
  LossReduction reduction;
  int64_t ignored;
  double smoothing = 0;
};

void require_float(const aclTensor* tensor, const char* name) {
  require_kernel_float(required(tensor, name), name);
}

/// The dimension of `self` that has the classes.
std::size_t class_dimension(const aclTensor& self, bool of_images) {
  const std::size_t rank = self.GetViewShape().GetDimNum();
  if (of_images ? rank != 4 : rank != 1 && rank != 2) {
    refuse_aclnn(std::string("self has the shape ") + (of_images ? "[N,C,H,W]" : "[N,C] or [C]") +
                 ", not " + text(self.GetViewShape()));
  }
  return rank == 1 ? 0 : 1;
}

/// The sum over classes, [rows, 1], with labels that are smoothed: those of all classes count.
Operand losses_of_rows(Formula& f, const ClassRows& rows, double smoothing) {
  const Operand picked = f.row_sums(f.choose(rows.named(), rows.elements(), Operand(0.0)));
  const Operand sharp = f.times(f.times(picked, rows.row_weights()), Operand(smoothing - 1));
  if (smoothing == 0) return sharp;
  const Operand all = f.row_sums(f.times(rows.elements(), rows.weights()));
  return f.more_product(sharp, all, rows.counts(),
                        -smoothing / static_cast<double>(rows.view().length()));
}

/// out = the losses, their sum, or that divided by the weights' sum, which is left in `total`.
void add_class_loss(WorkList& work, const ClassCall& call, std::size_t dim, const aclTensor& out,
                    const aclTensor* total) {
  Formula f(work);
  const ClassRows rows(work, f, *call.self, dim, *call.target, call.weight, call.ignored);
  const bool each = call.reduction == LossReduction::kNone;
  const int64_t count = rows.view().rows();
  if (each && out.Numel() != count) require_shape(out, "out", rows.rows_shape());
  if (!each) require_one_element(out, "out");
  if (call.self->IsEmpty()) {
    if (each && out.IsEmpty()) return;
    refuse_aclnn("self has elements where the loss is reduced, not the shape " +
                 text(call.self->GetViewShape()));
  }
  const Operand losses = losses_of_rows(f, rows, call.smoothing);
  if (each) return f.finish(losses, out);
  const Operand sum = f.total(losses), weights = f.total(rows.row_weights());
  f.finish(call.reduction == LossReduction::kMean ? f.over(sum, weights) : sum, out);
  if (total != nullptr) f.finish(weights, *total);
}

void add_nll_loss(WorkList& work, const ClassCall& call, bool of_images, const aclTensor* out,
                  const aclTensor* total) {
  require_float(call.self, "self");
  require_float(call.weight, "weight");
  required(call.target, "target");
  require_float(out, "out");
  require_float(total, "totalWeightOut");
  require_one_element(*total, "totalWeightOut");
  add_class_loss(work, call, class_dimension(*call.self, of_images), *out, total);
}

void add_nll_gradient(WorkList& work, const aclTensor* gradient, const ClassCall& call,
                      bool of_images, const aclTensor* total, const aclTensor* out) {
  require_float(gradient, "gradOutput");
  require_float(call.self, "self");
  require_float(call.weight, "weight");
  required(call.target, "target");
  require_float(total, "totalWeight");
  require_one_element(*total, "totalWeight");
  require_float(out, "out");
  require_shape(*out, "out", call.self->GetViewShape());
  Formula f(work);
  const ClassRows rows(work, f, *call.self, class_dimension(*call.self, of_images), *call.target,
                       call.weight, call.ignored);
  Operand factor = rows.of_rows(*gradient, "gradOutput");
  if (out->IsEmpty()) return;
  if (call.reduction == LossReduction::kMean) {
    factor = f.over(factor, rows.of_rows(*total, "totalWeight"));
  }
  const Operand slope = f.times(f.times(factor, rows.row_weights()), Operand(-1.0));
  rows.finish(f.choose(rows.named(), slope, Operand(0.0)), *out);
}

ClassCall labels(const aclTensor* self, const aclTensor* target, const aclTensor* weight,
                 const char* reduction, int64_t ignored, double smoothing) {
  if (!(smoothing >= 0 && smoothing <= 1)) {
    refuse_aclnn("labelSmoothing is from 0 to 1, not " + std::to_string(smoothing));
  }
  return {self, target, weight, loss_reduction(reduction), ignored, smoothing};
}

void require_matrix(const aclTensor& tensor, const char* name) {
  const Shape& shape = tensor.GetViewShape();
  if (shape.GetDimNum() == 2 && shape.GetDim(1) > 0) return;
  refuse_aclnn(std::string(name) + " has the shape [N,C] with some classes, not " + text(shape));
}

void add_cross_entropy(WorkList& work, ClassCall call, const aclTensor* loss,
                       const aclTensor* logarithms) {
  require_float(call.self, "input");
  required(call.target, "target");
  require_float(loss, "lossOut");
  require_float(logarithms, "logProbOut");
  require_matrix(*call.self, "input");
  require_shape(*logarithms, "logProbOut", call.self->GetViewShape());
  aclTensor* const exact = temporary(work, ge::DT_FLOAT, call.self->GetViewShape());
  if (!exact->IsEmpty()) {
    add_softmax(work, *call.self, rows_along(*call.self, {1}, "input"), true, *exact);
  }
  call.self = exact;
  add_class_loss(work, call, 1, *loss, nullptr);
  add_cast(work, *exact, *logarithms);
}

/// Each row is a (p - named) + b (p * the sum of all weights - weights), where p are the
/// exponentials of the logarithms, and a and b have the gradient and the shares of sharp and
/// smoothed labels.
void add_cross_entropy_gradient(WorkList& work, const aclTensor* gradient, const ClassCall& call,
                                const aclTensor* out) {
  require_float(gradient, "gradLoss");
  require_float(call.self, "logProb");
  required(call.target, "target");
  require_float(out, "out");
  require_matrix(*call.self, "logProb");
  require_shape(*out, "out", call.self->GetViewShape());
  Formula f(work);
  const ClassRows rows(work, f, *call.self, 1, *call.target, call.weight, call.ignored);
  Operand given = rows.of_rows(*gradient, "gradLoss");
  if (out->IsEmpty()) return;
  if (call.reduction == LossReduction::kMean) given = f.over(given, f.total(rows.row_weights()));
  const Operand share = f.of(PointwiseOp::kExp, rows.elements());
  const Operand sharp = f.times(f.times(given, rows.row_weights()), Operand(1 - call.smoothing));
  Operand made = f.times(sharp, f.less(share, rows.named()));
  if (call.smoothing > 0) {
    const auto classes = static_cast<double>(rows.view().length());
    const Operand smooth = f.times(given, rows.counts());
    const Operand bent = call.weight == nullptr
                             ? f.more(f.times(share, Operand(classes)), Operand(1.0), -1)
                             : f.less(f.times(share, f.total(rows.weights())), rows.weights());
    made = f.more_product(made, smooth, bent, call.smoothing / classes);
  }
  rows.finish(made, *out);
}

}  // namespace

DAVSIM_FIRST_PHASE(NLLLoss,
                   (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
                    int64_t reduction, int64_t ignoreIndex, aclTensor* out,
                    aclTensor* totalWeightOut),
                   {
                     add_nll_loss(work,
                                  {self, target, weight, loss_reduction(reduction), ignoreIndex},
                                  false, out, totalWeightOut);
                   })

DAVSIM_FIRST_PHASE(NLLLoss2d,
                   (const aclTensor* self, const aclTensor* target, const aclTensor* weight,
                    int64_t reduction, int64_t ignoreIndex, aclTensor* out,
                    aclTensor* totalWeightOut),
                   {
                     add_nll_loss(work,
                                  {self, target, weight, loss_reduction(reduction), ignoreIndex},
                                  true, out, totalWeightOut);
                   })

DAVSIM_FIRST_PHASE(NLLLossBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    const aclTensor* weight, int64_t reduction, int64_t ignoreIndex,
                    const aclTensor* totalWeight, aclTensor* out),
                   {
                     add_nll_gradient(
                         work, gradOutput,
                         {self, target, weight, loss_reduction(reduction), ignoreIndex}, false,
                         totalWeight, out);
                   })

DAVSIM_FIRST_PHASE(NLLLoss2dBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* target,
                    const aclTensor* weight, int64_t reduction, int64_t ignoreIndex,
                    const aclTensor* totalWeight, aclTensor* out),
                   {
                     add_nll_gradient(
                         work, gradOutput,
                         {self, target, weight, loss_reduction(reduction), ignoreIndex}, true,
                         totalWeight, out);
                   })

DAVSIM_FIRST_PHASE(CrossEntropyLoss,
                   (const aclTensor* input, const aclTensor* target,
                    const aclTensor* weightOptional, char* reductionOptional, int64_t ignoreIndex,
                    double labelSmoothing, double lseSquareScaleForZloss, bool returnZloss,
                    const aclTensor* lossOut, const aclTensor* logProbOut,
                    const aclTensor* zlossOut, const aclTensor* lseForZlossOut),
                   {
                     // The documentation says that these have no effect.
                     static_cast<void>(lseSquareScaleForZloss);
                     static_cast<void>(returnZloss);
                     required(zlossOut, "zlossOut");
                     required(lseForZlossOut, "lseForZlossOut");
                     add_cross_entropy(work,
                                       labels(input, target, weightOptional, reductionOptional,
                                              ignoreIndex, labelSmoothing),
                                       lossOut, logProbOut);
                   })

DAVSIM_FIRST_PHASE(CrossEntropyLossGrad,
                   (const aclTensor* gradLoss, const aclTensor* logProb, const aclTensor* target,
                    const aclTensor* weightOptional, const aclTensor* gradZlossOptional,
                    const aclTensor* lseForZlossOptional, char* reductionOptional,
                    int64_t ignoreIndex, double labelSmoothing, double lseSquareScaleForZloss,
                    const aclTensor* out),
                   {
                     static_cast<void>(gradZlossOptional);
                     static_cast<void>(lseForZlossOptional);
                     static_cast<void>(lseSquareScaleForZloss);
                     add_cross_entropy_gradient(
                         work, gradLoss,
                         labels(logProb, target, weightOptional, reductionOptional, ignoreIndex,
                                labelSmoothing),
                         out);
                   })
