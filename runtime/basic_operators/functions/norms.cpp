// Norms: functions/rows.txt.
#include "runtime/basic_operators/norms.hpp"
#include "aclnnop/aclnn_add_layer_norm.h"
#include "aclnnop/aclnn_add_rms_norm.h"
#include "aclnnop/aclnn_group_norm.h"
#include "aclnnop/aclnn_layer_norm.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "runtime/basic_operators/pointwise.hpp"
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

/// The elements of [C] for each of those of [groups, C / groups * size].
const aclTensor* for_each_channel(WorkList& work, const aclTensor* tensor, const char* name,
                                  int64_t channels, int64_t size, int64_t groups) {
  if (tensor == nullptr) return nullptr;
  const aclTensor* const elements = as(work, *weight(tensor, name, {channels}), ge::DT_FLOAT);
  const aclTensor* const column = reshaped(work, *elements, {channels, 1});
  return reshaped(work, *as(work, *column, ge::DT_FLOAT, {channels, size}),
                  {groups, channels / groups * size});
}

}  // namespace

aclnnStatus aclnnRmsNormGetWorkspaceSize(const aclTensor* x, const aclTensor* gamma, double epsilon,
                                         const aclTensor* yOut, const aclTensor* rstdOut,
                                         uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnRmsNorm", workspaceSize, executor, [&](WorkList& work) {
    RowNorm norm{.x = &required_float(x, "x"), .centred = false, .epsilon = epsilon};
    norm.gamma = &required_float(gamma, "gamma");
    set_rows(norm, gamma->GetViewShape(), "gamma");
    norm.y = like_x(norm, yOut, "yOut");
    norm.rstd = row_values(norm, &required(rstdOut, "rstdOut"), "rstdOut");
    add_unless_empty(work, norm);
  });
}

aclnnStatus aclnnAddRmsNormGetWorkspaceSize(const aclTensor* x1, const aclTensor* x2,
                                            const aclTensor* gamma, double epsilon,
                                            const aclTensor* yOut, const aclTensor* rstdOut,
                                            const aclTensor* xOut, uint64_t* workspaceSize,
                                            aclOpExecutor** executor) {
  return first_phase("aclnnAddRmsNorm", workspaceSize, executor, [&](WorkList& work) {
    RowNorm norm{.x = &required_float(x1, "x1"), .centred = false, .epsilon = epsilon};
    norm.second = like_x(norm, x2, "x2");
    norm.gamma = &required_float(gamma, "gamma");
    set_rows(norm, gamma->GetViewShape(), "gamma");
    norm.y = like_x(norm, yOut, "yOut");
    norm.rstd = row_values(norm, &required(rstdOut, "rstdOut"), "rstdOut");
    norm.sum = like_x(norm, xOut, "xOut");
    add_unless_empty(work, norm);
  });
}

aclnnStatus aclnnLayerNormGetWorkspaceSize(
    const aclTensor* input, const aclIntArray* normalizedShape, const aclTensor* weightOptional,
    const aclTensor* biasOptional, double eps, aclTensor* out, aclTensor* meanOutOptional,
    aclTensor* rstdOutOptional, uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnLayerNorm", workspaceSize, executor, [&](WorkList& work) {
    RowNorm norm{.x = &required_float(input, "input"), .epsilon = eps};
    davsim::runtime::require_aclnn(normalizedShape, "normalizedShape");
    Shape within;
    for (uint64_t i = 0; i < normalizedShape->Size(); ++i) within.AppendDim((*normalizedShape)[i]);
    set_rows(norm, within, "normalizedShape");
    norm.gamma = weight(weightOptional, "weightOptional", within);
    norm.beta = weight(biasOptional, "biasOptional", within);
    norm.y = like_x(norm, out, "out");
    norm.means = row_values(norm, meanOutOptional, "meanOutOptional");
    norm.rstd = row_values(norm, rstdOutOptional, "rstdOutOptional");
    add_unless_empty(work, norm);
  });
}

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

aclnnStatus aclnnGroupNormGetWorkspaceSize(const aclTensor* self, const aclTensor* gamma,
                                           const aclTensor* beta, int64_t N, int64_t C, int64_t HxW,
                                           int64_t group, double eps, aclTensor* out,
                                           aclTensor* meanOut, aclTensor* rstdOut,
                                           uint64_t* workspaceSize, aclOpExecutor** executor) {
  return first_phase("aclnnGroupNorm", workspaceSize, executor, [&](WorkList& work) {
    RowNorm norm{.x = &required_float(self, "self"), .epsilon = eps};
    if (group <= 0 || C <= 0 || C % group != 0) {
      refuse_aclnn("group is " + std::to_string(group) +
                   ", which does not divide C = " + std::to_string(C));
    }
    if (self->Numel() != N * C * HxW) {
      refuse_aclnn("self has N * C * HxW = " + std::to_string(N * C * HxW) +
                   " elements, not the shape " + text(self->GetViewShape()));
    }
    norm.rows = N * group;
    norm.length = C / group * HxW;
    norm.weight_rows = group;
    norm.y = like_x(norm, out, "out");
    norm.means = row_values(norm, &required(meanOut, "meanOut"), "meanOut");
    norm.rstd = row_values(norm, &required(rstdOut, "rstdOut"), "rstdOut");
    if (self->IsEmpty()) return;
    norm.gamma = for_each_channel(work, gamma, "gamma", C, HxW, group);
    norm.beta = for_each_channel(work, beta, "beta", C, HxW, group);
    add_norm(work, norm);
  });
}
