// Gradients of gated units and of the logarithm of softmax: functions/gradients.txt.
#include "aclnnop/aclnn_geglu_backward.h"
#include "aclnnop/aclnn_glu_backward.h"
#include "aclnnop/aclnn_logsoftmax_backward.h"
#include "aclnnop/aclnn_swi_glu_grad.h"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/basic_operators/slopes.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct GatedGradient {
  const aclTensor* gradient;
  const char* gradient_name;
  const aclTensor* x;
  const char* name;
  int64_t dim;
  const aclTensor* out;
  const char* out_name;
};

struct HalfTensors {
  const aclTensor *left, *right;
};

HalfTensors halves_of(WorkList& work, const aclTensor& tensor, std::size_t dim) {
  const View view = view_of(tensor);
  const int64_t half = view.sizes[dim] / 2;
  return {tensor_of(work, narrowed(view, dim, 0, half)),
          tensor_of(work, narrowed(view, dim, half, half))};
}

/// Checks a call; the shape of the halves.
Shape halved_shape(const GatedGradient& call) {
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {call.x, call.name}, {call.gradient, call.gradient_name}, {call.out, call.out_name}};
  for (const auto& [tensor, name] : tensors) {
    require_type(required(tensor, name), name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    require_type(*tensor, name, {call.x->GetDataType()});
  }
  Shape shape = call.x->GetViewShape();
  require_shape(*call.out, call.out_name, shape);
  const std::size_t dim = dimension(call.dim, shape.GetDimNum(), "dim");
  if (shape.GetDimNum() == 0 || shape.GetDim(dim) % 2 != 0) {
    refuse_aclnn(std::string(call.name) + " has an even size in dimension " +
                 std::to_string(call.dim) + ", not the shape " + text(shape));
  }
  shape.SetDim(dim, shape.GetDim(dim) / 2);
  require_shape(*call.gradient, call.gradient_name, shape);
  return shape;
}

/// Gradients of a * b, where a or b is a function of its half.
struct HalfGradients {
  Operand left, right;
};

/// out = both gradients that `make` makes of that of the result and of both halves.
template <class Make>
void add_gated_gradient(WorkList& work, const GatedGradient& call, const Make& make) {
  halved_shape(call);
  if (call.out->IsEmpty()) return;
  const std::size_t dim = dimension(call.dim, call.x->GetViewShape().GetDimNum(), "dim");
  const HalfTensors from = halves_of(work, *call.x, dim), to = halves_of(work, *call.out, dim);
  Formula formula(work, *call.x);
  const HalfGradients made = make(formula, Operand(call.gradient, call.gradient_name),
                                  Operand(from.left, call.name), Operand(from.right, call.name));
  formula.finish(made.left, *to.left);
  formula.finish(made.right, *to.right);
}

void add_geglu_gradient(WorkList& work, const GatedGradient& call, const aclTensor* gelu,
                        int64_t approximate, bool activates_left) {
  if (approximate != 0 && approximate != 1) {
    refuse_aclnn("approximate is 0 or 1, not " + std::to_string(approximate));
  }
  required(call.x, call.name);
  require_type(required(gelu, "gelu"), "gelu", {call.x->GetDataType()});
  require_shape(*gelu, "gelu", halved_shape(call));
  add_gated_gradient(
      work, call, [&](Formula& f, const Operand& dy, const Operand& left, const Operand& right) {
        const Operand& gate = activates_left ? left : right;
        const Operand& other = activates_left ? right : left;
        const Operand of_other = f.times(dy, {gelu, "gelu"});
        const Operand of_gate = f.times(f.times(dy, other), gelu_slope(f, gate, approximate == 1));
        return activates_left ? HalfGradients{of_gate, of_other} : HalfGradients{of_other, of_gate};
      });
}

/// out = gradient - exp(output) * the sum of the gradients of its row
void add_log_softmax_gradient(WorkList& work, const aclTensor* gradient, const aclTensor* output,
                              int64_t dim, const aclTensor* out) {
  const std::pair<const aclTensor*, const char*> tensors[] = {
      {gradient, "gradOutput"}, {output, "output"}, {out, "out"}};
  for (const auto& [tensor, name] : tensors) {
    require_type(required(tensor, name), name,
                 {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_DOUBLE});
    require_shape(*tensor, name, gradient->GetViewShape());
  }
  require_type(*output, "output", {gradient->GetDataType()});
  const RowView view = rows_along(*gradient, {dim}, "dim");
  if (out->IsEmpty()) return;
  Formula f(work, *gradient);
  const aclTensor* const sums =
      reduced(work, *rows_to_reduce(work, *gradient, view, f.type()), {}, f.type());
  f.finish(f.more_product({gradient, "gradOutput"}, f.of(PointwiseOp::kExp, {output, "output"}),
                          {reshaped(work, *sums, view.values_shape(true)), "gradOutput"}, -1),
           *out);
}

}  // namespace

DAVSIM_FIRST_PHASE(
    GluBackward,
    (const aclTensor* gradOut, const aclTensor* self, int64_t dim, const aclTensor* out), {
      add_gated_gradient(
          work, {gradOut, "gradOut", self, "self", dim, out, "out"},
          [](Formula& f, const Operand& dy, const Operand& a, const Operand& b) {
            const Operand s = f.sigmoid(b), of_left = f.times(dy, s);
            return HalfGradients{of_left, f.times(of_left, f.more_product(a, a, s, -1))};
          });
    })

DAVSIM_FIRST_PHASE(
    SwiGluGrad, (const aclTensor* yGrad, const aclTensor* x, int64_t dim, const aclTensor* out), {
      add_gated_gradient(
          work, {yGrad, "yGrad", x, "x", dim, out, "out"},
          [](Formula& f, const Operand& dy, const Operand& a, const Operand& b) {
            const Operand of_left = f.times(f.times(dy, b), swish_slope(f, a, 1));
            return HalfGradients{of_left, f.times(dy, f.of(PointwiseOp::kSwish, a, 1))};
          });
    })

DAVSIM_FIRST_PHASE(GeGluBackward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu,
                    int64_t dim, int64_t approximate, aclTensor* gradInput),
                   {
                     add_geglu_gradient(
                         work,
                         {gradOutput, "gradOutput", self, "self", dim, gradInput, "gradInput"},
                         gelu, approximate, false);
                   })

DAVSIM_FIRST_PHASE(GeGluV3Backward,
                   (const aclTensor* gradOutput, const aclTensor* self, const aclTensor* gelu,
                    int64_t dim, int64_t approximate, bool activateLeft, aclTensor* gradInput),
                   {
                     add_geglu_gradient(
                         work,
                         {gradOutput, "gradOutput", self, "self", dim, gradInput, "gradInput"},
                         gelu, approximate, activateLeft);
                   })

DAVSIM_FIRST_PHASE(LogSoftmaxBackward,
                   (const aclTensor* gradOutput, const aclTensor* output, int64_t dim,
                    aclTensor* out),
                   { add_log_softmax_gradient(work, gradOutput, output, dim, out); })
