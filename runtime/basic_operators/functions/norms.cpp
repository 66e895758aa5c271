// Norms: functions/rows.txt.
#include "runtime/basic_operators/norms.hpp"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_add_rms_norm_cast.h"
#include "aclnnop/aclnn_gemma_rms_norm.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_group_norm_silu.h"
#include "aclnnop/aclnn_group_norm_silu_v2.h"
#include "aclnnop/aclnn_inplace_add_rms_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

/// The last dimensions of x, of this shape, become rows.
void set_rows(RowNorm& norm, const Shape& within, const char* name) {
  const Shape& shape = norm.x->GetViewShape();
  const std::size_t rank = shape.GetDimNum(), own = within.GetDimNum();
  bool fits = own > 0 && own <= rank;
  norm.length = within.GetShapeSize();
  norm.rows = 1;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    if (i < rank - own) {
      norm.rows *= shape.GetDim(i);
    } else {
      fits = shape.GetDim(i) == within.GetDim(i - (rank - own));
    }
  }
  if (fits) return;
  refuse_aclnn(std::string(name) + " has the last sizes of " + text(shape) + ", not the shape " +
               text(within));
}

const aclTensor& required_float(const aclTensor* tensor, const char* name) {
  require_kernel_float(required(tensor, name), name);
  return *tensor;
}

/// A tensor of the type and shape of x.
const aclTensor* like_x(const RowNorm& norm, const aclTensor* tensor, const char* name) {
  require_type(required(tensor, name), name, {norm.x->GetDataType()});
  require_shape(*tensor, name, norm.x->GetViewShape());
  return tensor;
}

/// A tensor that may be missing, with this shape.
const aclTensor* weight(const aclTensor* tensor, const char* name, const Shape& shape) {
  if (tensor == nullptr) return nullptr;
  require_kernel_float(*tensor, name);
  require_shape(*tensor, name, shape);
  return tensor;
}

/// A tensor with an element for each row.
const aclTensor* row_values(const RowNorm& norm, const aclTensor* tensor, const char* name) {
  if (tensor == nullptr) return nullptr;
  require_kernel_float(*tensor, name);
  if (tensor->Numel() == norm.rows) return tensor;
  refuse_aclnn(std::string(name) + " has " + std::to_string(norm.rows) +
               " elements, one for each row, not the shape " + text(tensor->GetViewShape()));
}

void add_unless_empty(WorkList& work, const RowNorm& norm) {
  if (!norm.x->IsEmpty()) add_norm(work, norm);
}

/// Adds a bias of the shape of x to what is added to x, in float as all of it then.
void add_bias(WorkList& work, RowNorm& norm, const aclTensor& bias) {
  aclTensor* const sum = temporary(work, ge::DT_FLOAT, bias.GetViewShape());
  add_pointwise(
      work, {.op = PointwiseOp::kAxpy,
             .operands = {{as(work, *norm.second, ge::DT_FLOAT), "x2"}, {&bias, "biasOptional"}},
             .out = sum,
             .a = 1});
  norm.second = sum;
  norm.x = as(work, *norm.x, ge::DT_FLOAT);
}

/// The same of a tensor that may have more elements, which stay as they are: the device writes the
/// values of rows one after the other, whatever the shape.
const aclTensor* first_row_values(WorkList& work, const RowNorm& norm, const aclTensor& tensor,
                                  const char* name) {
  if (tensor.Numel() <= norm.rows || !tensor.is_contiguous()) {
    return row_values(norm, &tensor, name);
  }
  aclTensor* const first = work.view(tensor);
  first->SetViewShape(shape_of({norm.rows}));
  return row_values(norm, first, name);
}

/// y = rms norm of x + second, where there is a second.
RowNorm rms_norm(WorkList& work, const aclTensor* x, const char* name, const aclTensor* gamma,
                 double epsilon, const aclTensor* rstd) {
  RowNorm norm{.x = &required_float(x, name), .centred = false, .epsilon = epsilon};
  norm.gamma = &required_float(gamma, "gamma");
  set_rows(norm, gamma->GetViewShape(), "gamma");
  norm.rstd = first_row_values(work, norm, required(rstd, "rstdOut"), "rstdOut");
  return norm;
}

void add_layer_norm(WorkList& work, const aclTensor* input, const aclIntArray* normalized,
                    const aclTensor* gamma, const aclTensor* beta, double eps, aclTensor* out,
                    aclTensor* means, aclTensor* rstd) {
  RowNorm norm{.x = &required_float(input, "input"), .epsilon = eps};
  davsim::runtime::require_aclnn(normalized, "normalizedShape");
  Shape within;
  for (uint64_t i = 0; i < normalized->Size(); ++i) within.AppendDim((*normalized)[i]);
  set_rows(norm, within, "normalizedShape");
  norm.gamma = weight(gamma, "weightOptional", within);
  norm.beta = weight(beta, "biasOptional", within);
  norm.y = like_x(norm, out, "out");
  norm.means = row_values(norm, means, "meanOutOptional");
  norm.rstd = row_values(norm, rstd, "rstdOutOptional");
  add_unless_empty(work, norm);
}

struct GroupNormCall {
  const aclTensor *self, *gamma, *beta;
  int64_t batch, channels, size, groups;
  double eps;
  aclTensor *out, *means, *rstd;
};

/// `activates`: with silu.
void add_group_norm(WorkList& work, const GroupNormCall& call, bool activates) {
  RowNorm norm{.x = &required_float(call.self, "self"), .epsilon = call.eps};
  require_groups(*call.self, call.batch, call.channels, call.size, call.groups);
  norm.rows = call.batch * call.groups;
  norm.length = call.channels / call.groups * call.size;
  norm.weight_rows = call.groups;
  norm.y = like_x(norm, call.out, "out");
  norm.means = row_values(norm, &required(call.means, "meanOut"), "meanOut");
  norm.rstd = row_values(norm, &required(call.rstd, "rstdOut"), "rstdOut");
  if (call.self->IsEmpty()) return;
  norm.gamma = for_each_channel(work, call.gamma, "gamma", call.channels, call.size, call.groups);
  norm.beta = for_each_channel(work, call.beta, "beta", call.channels, call.size, call.groups);
  if (!activates) return add_norm(work, norm);
  norm.x = as(work, *call.self, ge::DT_FLOAT);
  norm.y = temporary(work, ge::DT_FLOAT, call.self->GetViewShape());
  add_norm(work, norm);
  add_pointwise(
      work, {.op = PointwiseOp::kSwish, .operands = {{norm.y, "self"}}, .out = call.out, .a = 1});
}

/// The same of [N, C, ...].
void add_group_norm_of_images(WorkList& work, const GroupNormCall& call, bool activates) {
  const Shape& shape = required_float(call.self, "self").GetViewShape();
  if (shape.GetDimNum() < 2) {
    refuse_aclnn("self has 2 dimensions or more, not the shape " + text(shape));
  }
  GroupNormCall sized = call;
  sized.batch = shape.GetDim(0);
  sized.channels = shape.GetDim(1);
  sized.size = 1;
  for (std::size_t i = 2; i < shape.GetDimNum(); ++i) sized.size *= shape.GetDim(i);
  add_group_norm(work, sized, activates);
}

}  // namespace

DAVSIM_FIRST_PHASE(RmsNorm,
                   (const aclTensor* x, const aclTensor* gamma, double epsilon,
                    const aclTensor* yOut, const aclTensor* rstdOut),
                   {
                     RowNorm norm = rms_norm(work, x, "x", gamma, epsilon, rstdOut);
                     norm.y = like_x(norm, yOut, "yOut");
                     add_unless_empty(work, norm);
                   })

DAVSIM_FIRST_PHASE(GemmaRmsNorm,
                   (const aclTensor* x, const aclTensor* gamma, double epsilon,
                    const aclTensor* yOut, const aclTensor* rstdOut),
                   {
                     RowNorm norm = rms_norm(work, x, "x", gamma, epsilon, rstdOut);
                     norm.y = like_x(norm, yOut, "yOut");
                     if (x->IsEmpty()) return;
                     aclTensor* const more = temporary(work, ge::DT_FLOAT, gamma->GetViewShape());
                     add_pointwise(work, {.op = PointwiseOp::kAxpy,
                                          .operands = {{gamma, "gamma"}, Operand(1.0)},
                                          .out = more,
                                          .type = ge::DT_FLOAT,
                                          .a = 1});
                     norm.gamma = more;
                     add_norm(work, norm);
                   })

DAVSIM_FIRST_PHASE(AddRmsNorm,
                   (const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
                    double epsilon, const aclTensor* yOut, const aclTensor* rstdOut,
                    const aclTensor* xOut),
                   {
                     RowNorm norm = rms_norm(work, x1, "x1", gamma, epsilon, rstdOut);
                     norm.second = like_x(norm, x2, "x2");
                     norm.y = like_x(norm, yOut, "yOut");
                     norm.sum = like_x(norm, xOut, "xOut");
                     add_unless_empty(work, norm);
                   })

DAVSIM_FIRST_PHASE(InplaceAddRmsNorm,
                   (aclTensor * x1Ref, aclTensor* x2Ref, const aclTensor* gamma, double epsilon,
                    const aclTensor* rstdOut),
                   {
                     RowNorm norm = rms_norm(work, x1Ref, "x1Ref", gamma, epsilon, rstdOut);
                     norm.second = like_x(norm, x2Ref, "x2Ref");
                     norm.y = x1Ref;
                     norm.sum = x2Ref;
                     add_unless_empty(work, norm);
                   })

DAVSIM_FIRST_PHASE(AddRmsNormCast,
                   (const aclTensor* x1, const aclTensor* x2, const aclTensor* gamma,
                    double epsilon, const aclTensor* y1Out, const aclTensor* y2Out,
                    const aclTensor* rstdOut, const aclTensor* xOut),
                   {
                     RowNorm norm = rms_norm(work, x1, "x1", gamma, epsilon, rstdOut);
                     norm.second = like_x(norm, x2, "x2");
                     like_x(norm, y2Out, "y2Out");
                     norm.sum = like_x(norm, xOut, "xOut");
                     require_type(required(y1Out, "y1Out"), "y1Out", {ge::DT_FLOAT});
                     require_shape(*y1Out, "y1Out", x1->GetViewShape());
                     if (x1->IsEmpty()) return;
                     norm.x = as(work, *x1, ge::DT_FLOAT);
                     norm.second = as(work, *x2, ge::DT_FLOAT);
                     norm.y = y1Out;
                     add_norm(work, norm);
                     add_cast(work, *y1Out, *y2Out);
                   })

DAVSIM_FIRST_PHASE(LayerNorm,
                   (const aclTensor* input, const aclIntArray* normalizedShape,
                    const aclTensor* weightOptional, const aclTensor* biasOptional, double eps,
                    aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional),
                   {
                     add_layer_norm(work, input, normalizedShape, weightOptional, biasOptional, eps,
                                    out, meanOutOptional, rstdOutOptional);
                   })

DAVSIM_FIRST_PHASE(LayerNormWithImplMode,
                   (const aclTensor* input, const aclIntArray* normalizedShape,
                    const aclTensor* weightOptional, const aclTensor* biasOptional, double eps,
                    aclTensor* out, aclTensor* meanOutOptional, aclTensor* rstdOutOptional,
                    int32_t implMode),
                   {
                     if (implMode < 0 || implMode > 2) {
                       refuse_aclnn("implMode is 0 to 2, not " + std::to_string(implMode));
                     }
                     add_layer_norm(work, input, normalizedShape, weightOptional, biasOptional, eps,
                                    out, meanOutOptional, rstdOutOptional);
                   })

aclnnStatus aclnnAddLayerNormGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
                                              const aclTensor* gamma, const aclTensor* beta,
                                              const aclTensor* biasOptional, double epsilon,
                                              bool additionalOutput, const aclTensor* yOut,
                                              const aclTensor* meanOut, const aclTensor* rstdOut,
                                              const aclTensor* xOut, uint64_t* workspaceSize,
                                              aclOpExecutor** executor) {
  return first_phase("aclnnAddLayerNorm", workspaceSize, executor, [&](WorkList& work) {
    RowNorm norm{.x = &required_float(x1, "x1"), .epsilon = epsilon};
    norm.second = like_x(norm, x2, "x2");
    norm.gamma = &required_float(gamma, "gamma");
    const Shape within = gamma->GetViewShape();
    set_rows(norm, within, "gamma");
    norm.beta = weight(&required(beta, "beta"), "beta", within);
    norm.y = like_x(norm, yOut, "yOut");
    norm.means = row_values(norm, meanOut, "meanOut");
    norm.rstd = row_values(norm, rstdOut, "rstdOut");
    if (additionalOutput) norm.sum = like_x(norm, xOut, "xOut");
    if (x1->IsEmpty()) return;
    if (biasOptional != nullptr && biasOptional->GetViewShape() != within) {
      add_bias(work, norm, *like_x(norm, biasOptional, "biasOptional"));
    } else {
      norm.bias = weight(biasOptional, "biasOptional", within);
    }
    add_norm(work, norm);
  });
}

DAVSIM_FIRST_PHASE(GroupNorm,
                   (const aclTensor* self, const aclTensor* gamma, const aclTensor* beta, int64_t N,
                    int64_t C, int64_t HxW, int64_t group, double eps, aclTensor* out,
                    aclTensor* meanOut, aclTensor* rstdOut),
                   {
                     add_group_norm(
                         work, {self, gamma, beta, N, C, HxW, group, eps, out, meanOut, rstdOut},
                         false);
                   })

DAVSIM_FIRST_PHASE(GroupNormSilu,
                   (const aclTensor* self, const aclTensor* gamma, const aclTensor* beta,
                    int64_t group, double eps, aclTensor* out, aclTensor* meanOut,
                    aclTensor* rstdOut),
                   {
                     add_group_norm_of_images(
                         work, {self, gamma, beta, 0, 0, 0, group, eps, out, meanOut, rstdOut},
                         true);
                   })

DAVSIM_FIRST_PHASE(GroupNormSiluV2,
                   (const aclTensor* self, const aclTensor* gamma, const aclTensor* beta,
                    int64_t group, double eps, bool activateSilu, aclTensor* out,
                    aclTensor* meanOut, aclTensor* rstdOut),
                   {
                     add_group_norm_of_images(
                         work, {self, gamma, beta, 0, 0, 0, group, eps, out, meanOut, rstdOut},
                         activateSilu);
                   })
