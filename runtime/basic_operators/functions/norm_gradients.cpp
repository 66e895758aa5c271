// Gradients of norms: functions/gradients.txt.
#include <array>

#include "aclnnop/aclnn_batch_norm_backward.h"
#include "aclnnop/aclnn_group_norm_backward.h"
#include "aclnnop/aclnn_layer_norm_backward.h"
#include "aclnnop/aclnn_rms_norm_grad.h"
#include "runtime/basic_operators/formula.hpp"
#include "runtime/basic_operators/norms.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

struct NamedResult {
  const aclTensor* tensor;
  const char* name;
};

/// The results that the mask wants; null for the others.
std::array<const aclTensor*, 3> wanted(const aclBoolArray* mask,
                                       const std::array<NamedResult, 3>& results) {
  davsim::runtime::require_aclnn(mask, "outputMask");
  if (mask->Size() != 3) {
    refuse_aclnn("outputMask has 3 elements, not " + std::to_string(mask->Size()));
  }
  std::array<const aclTensor*, 3> tensors{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!(*mask)[i]) continue;
    require_kernel_float(required(results[i].tensor, results[i].name), results[i].name);
    tensors[i] = results[i].tensor;
  }
  return tensors;
}

/// Elements of floating numbers, of this count, as rows [rows, length] in float.
Operand rows_of_float(WorkList& work, const aclTensor* tensor, const char* name, int64_t rows,
                      int64_t length) {
  require_kernel_float(required(tensor, name), name);
  if (tensor->Numel() != rows * length) {
    refuse_aclnn(std::string(name) + " has " + std::to_string(rows * length) +
                 " elements, not the shape " + text(tensor->GetViewShape()));
  }
  return {reshaped(work, *as(work, *tensor, ge::DT_FLOAT), {rows, length}), name};
}

/// What is normalized, and what it is divided by.
struct Normalized {
  Operand x, rstd;
  int64_t length;
  bool centred;
};

/// The gradient for the elements of rows, from that of the normalized ones, `dy`: what is left of
/// it without its part along the row of x and, where means were taken off, without its own mean.
Operand through_norm(Formula& f, const Operand& dy, const Normalized& of) {
  const double part = 1 / static_cast<double>(of.length);
  const Operand along = f.row_sums(f.times(dy, of.x));
  Operand left = f.more_product(dy, of.x, along, -part);
  if (of.centred) left = f.more(left, f.row_sums(dy), -part);
  return f.times(left, of.rstd);
}

Operand centred_rows(Formula& f, const Operand& x, const Operand& mean, const Operand& rstd) {
  return f.times(f.less(x, mean), rstd);
}

struct RowsShape {
  int64_t rows = 1, length = 1;
};

/// The rows that the last dimensions of a tensor are, which have the sizes `within`.
RowsShape rows_within(const aclTensor& tensor, const Shape& within, const char* name) {
  const Shape& shape = tensor.GetViewShape();
  const std::size_t rank = shape.GetDimNum(), own = within.GetDimNum();
  RowsShape made;
  bool fits = own > 0 && own <= rank;
  for (std::size_t i = 0; fits && i < rank; ++i) {
    const bool inside = i + own >= rank;
    (inside ? made.length : made.rows) *= shape.GetDim(i);
    fits = !inside || shape.GetDim(i) == within.GetDim(i + own - rank);
  }
  if (fits) return made;
  refuse_aclnn(std::string(name) + " has the last sizes of " + text(shape) + ", not the shape " +
               text(within));
}

void add_layer_gradient(WorkList& work, const aclTensor* dy, const aclTensor* x,
                        const aclTensor* mean, const aclTensor* rstd, const aclTensor* weight,
                        const Shape& within, const std::array<const aclTensor*, 3>& out) {
  const auto [rows, length] = rows_within(required(x, "input"), within, "normalizedShape");
  const Operand gradients = rows_of_float(work, dy, "gradOut", rows, length);
  const Operand means = rows_of_float(work, mean, "mean", rows, 1);
  const Operand deviations = rows_of_float(work, rstd, "rstd", rows, 1);
  if (out[0] != nullptr) require_shape(*out[0], "gradInputOut", x->GetViewShape());
  for (std::size_t i = 1; i < 3; ++i) {
    if (out[i] != nullptr) require_shape(*out[i], i == 1 ? "gradWeightOut" : "gradBiasOut", within);
  }
  Formula f(work);
  const Operand elements = rows_of_float(work, x, "input", rows, length);
  Operand through = gradients;
  if (weight != nullptr) {
    through = f.times(gradients, rows_of_float(work, weight, "weightOptional", 1, length));
  }
  if (x->IsEmpty()) return;
  const Operand normal = centred_rows(f, elements, means, deviations);
  if (out[0] != nullptr) {
    f.finish(through_norm(f, through, {normal, deviations, length, true}), *out[0]);
  }
  if (out[1] != nullptr) f.finish(f.column_sums(f.times(gradients, normal)), *out[1]);
  if (out[2] != nullptr) f.finish(f.column_sums(gradients), *out[2]);
}

void add_rms_gradient(WorkList& work, const aclTensor* dy, const aclTensor* x,
                      const aclTensor* rstd, const aclTensor* gamma, const aclTensor* dx,
                      const aclTensor* dgamma) {
  const Shape within = required(gamma, "gamma").GetViewShape();
  const auto [rows, length] = rows_within(required(x, "x"), within, "gamma");
  require_kernel_float(required(dx, "dxOut"), "dxOut");
  require_kernel_float(required(dgamma, "dgammaOut"), "dgammaOut");
  require_shape(*dx, "dxOut", x->GetViewShape());
  require_shape(*dgamma, "dgammaOut", within);
  Formula f(work);
  const Operand gradients = rows_of_float(work, dy, "dy", rows, length);
  const Operand deviations = rows_of_float(work, rstd, "rstd", rows, 1);
  const Operand elements = rows_of_float(work, x, "x", rows, length);
  const Operand weights = rows_of_float(work, gamma, "gamma", 1, length);
  if (x->IsEmpty()) return;
  const Operand normal = f.times(elements, deviations);
  f.finish(through_norm(f, f.times(gradients, weights), {normal, deviations, length, false}), *dx);
  f.finish(f.column_sums(f.times(gradients, normal)), *dgamma);
}

struct Groups {
  int64_t batch, channels, size, groups;

  int64_t rows() const { return batch * groups; }
  int64_t length() const { return channels / groups * size; }
};

/// The sum over batches and places of each channel.
Operand channel_sums(Formula& f, WorkList& work, const Operand& rows, const Groups& of) {
  const aclTensor* const places = reshaped(work, *rows.tensor, {of.batch * of.channels, of.size});
  const Operand sums = f.row_sums({places, rows.name});
  return f.column_sums({reshaped(work, *sums.tensor, {of.batch, of.channels}), rows.name});
}

void add_group_gradient(WorkList& work, const aclTensor* dy, const aclTensor* x,
                        const aclTensor* mean, const aclTensor* rstd, const aclTensor* gamma,
                        const Groups& of, const std::array<const aclTensor*, 3>& out) {
  require_groups(required(x, "input"), of.batch, of.channels, of.size, of.groups);
  const int64_t rows = of.rows(), length = of.length();
  Formula f(work);
  const Operand gradients = rows_of_float(work, dy, "gradOut", rows, length);
  const Operand means = rows_of_float(work, mean, "mean", rows, 1);
  const Operand deviations = rows_of_float(work, rstd, "rstd", rows, 1);
  const Operand elements = rows_of_float(work, x, "input", rows, length);
  if (out[0] != nullptr) require_shape(*out[0], "gradInput", x->GetViewShape());
  for (std::size_t i = 1; i < 3; ++i) {
    if (out[i] == nullptr) continue;
    require_shape(*out[i], i == 1 ? "gradGammaOut" : "gradBetaOut", {of.channels});
  }
  const aclTensor* const weights =
      for_each_channel(work, gamma, "gamma", of.channels, of.size, of.groups);
  if (x->IsEmpty()) return;
  const Operand normal = centred_rows(f, elements, means, deviations);
  if (out[0] != nullptr) {
    Operand through = gradients;
    if (weights != nullptr) {
      const Shape all{of.batch, of.groups, length};
      const aclTensor* const repeated_weights =
          as(work, *reshaped(work, *weights, {1, of.groups, length}), ge::DT_FLOAT, all);
      through = f.times(gradients, {reshaped(work, *repeated_weights, {rows, length}), "gamma"});
    }
    f.finish(through_norm(f, through, {normal, deviations, length, true}), *out[0]);
  }
  if (out[1] != nullptr) {
    f.finish(channel_sums(f, work, f.times(gradients, normal), of), *out[1]);
  }
  if (out[2] != nullptr) f.finish(channel_sums(f, work, gradients, of), *out[2]);
}

struct BatchNormGradient {
  const aclTensor *dy, *x, *weight;
  const aclTensor *mean, *variance;
  const char *mean_name, *variance_name;
  bool training;
  double eps;
};

/// Rows of channels.
RowView channels_of(const aclTensor& x) {
  const Shape& shape = x.GetViewShape();
  if (shape.GetDimNum() < 2) {
    refuse_aclnn("input has 2 dimensions or more, not the shape " + text(shape));
  }
  std::vector<int64_t> dims{0};
  for (std::size_t i = 2; i < shape.GetDimNum(); ++i) dims.push_back(static_cast<int64_t>(i));
  return rows_along(x, dims, "input");
}

void add_batch_gradient(WorkList& work, const BatchNormGradient& call,
                        const std::array<const aclTensor*, 3>& out) {
  require_kernel_float(required(call.x, "input"), "input");
  require_kernel_float(required(call.dy, "gradOut"), "gradOut");
  require_shape(*call.dy, "gradOut", call.x->GetViewShape());
  if (out[0] != nullptr) require_shape(*out[0], "gradInput", call.x->GetViewShape());
  const RowView view = channels_of(*call.x);
  const int64_t channels = view.rows();
  Formula f(work);
  const Operand means = rows_of_float(work, call.mean, call.mean_name, channels, 1);
  const Operand variances = rows_of_float(work, call.variance, call.variance_name, channels, 1);
  for (std::size_t i = 1; i < 3; ++i) {
    if (out[i] == nullptr) continue;
    require_shape(*out[i], i == 1 ? "gradWeight" : "gradBias", {channels});
  }
  Operand factor = Operand(1.0);
  if (call.weight != nullptr) factor = rows_of_float(work, call.weight, "weight", channels, 1);
  if (call.x->IsEmpty()) return;
  const Operand dy(as_rows(work, *call.dy, view, ge::DT_FLOAT), "gradOut");
  const Operand x(as_rows(work, *call.x, view, ge::DT_FLOAT), "input");
  const Operand rstd = f.of(PointwiseOp::kRsqrt, f.more(variances, Operand(call.eps)));
  const Operand normal = centred_rows(f, x, means, rstd);
  if (out[0] != nullptr) {
    const Operand through = f.times(dy, factor);
    RowResult result(work, *out[0], view, out[0]->GetDataType());
    f.finish(call.training ? through_norm(f, through, {normal, rstd, view.length(), true})
                           : f.times(through, rstd),
             result.tensor());
    result.finish();
  }
  if (out[1] != nullptr) f.finish(f.row_sums(f.times(dy, normal)), *out[1]);
  if (out[2] != nullptr) f.finish(f.row_sums(dy), *out[2]);
}

}  // namespace

DAVSIM_FIRST_PHASE(LayerNormBackward,
                   (const aclTensor* gradOut, const aclTensor* input,
                    const aclIntArray* normalizedShape, const aclTensor* mean,
                    const aclTensor* rstd, const aclTensor* weightOptional,
                    const aclTensor* biasOptional, const aclBoolArray* outputMask,
                    aclTensor* gradInputOut, aclTensor* gradWeightOut, aclTensor* gradBiasOut),
                   {
                     static_cast<void>(biasOptional);  // No gradient depends on it.
                     davsim::runtime::require_aclnn(normalizedShape, "normalizedShape");
                     Shape within;
                     for (uint64_t i = 0; i < normalizedShape->Size(); ++i) {
                       within.AppendDim((*normalizedShape)[i]);
                     }
                     const auto out = wanted(outputMask, {{{gradInputOut, "gradInputOut"},
                                                           {gradWeightOut, "gradWeightOut"},
                                                           {gradBiasOut, "gradBiasOut"}}});
                     add_layer_gradient(work, gradOut, input, mean, rstd, weightOptional, within,
                                        out);
                   })

DAVSIM_FIRST_PHASE(RmsNormGrad,
                   (const aclTensor* dy, const aclTensor* x, const aclTensor* rstd,
                    const aclTensor* gamma, const aclTensor* dxOut, const aclTensor* dgammaOut),
                   { add_rms_gradient(work, dy, x, rstd, gamma, dxOut, dgammaOut); })

DAVSIM_FIRST_PHASE(
    GroupNormBackward,
    (const aclTensor* gradOut, const aclTensor* input, const aclTensor* mean, const aclTensor* rstd,
     const aclTensor* gamma, int64_t N, int64_t C, int64_t HxW, int64_t group,
     const aclBoolArray* outputMask, aclTensor* gradInput, aclTensor* gradGammaOut,
     aclTensor* gradBetaOut),
    {
      const auto out = wanted(outputMask, {{{gradInput, "gradInput"},
                                            {gradGammaOut, "gradGammaOut"},
                                            {gradBetaOut, "gradBetaOut"}}});
      add_group_gradient(work, gradOut, input, mean, rstd, gamma, {N, C, HxW, group}, out);
    })

DAVSIM_FIRST_PHASE(
    BatchNormBackward,
    (const aclTensor* gradOut, const aclTensor* input, const aclTensor* weight,
     const aclTensor* runningMean, const aclTensor* runningVar, const aclTensor* saveMean,
     const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
     aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias),
    {
      const auto out =
          wanted(outputMask,
                 {{{gradInput, "gradInput"}, {gradWeight, "gradWeight"}, {gradBias, "gradBias"}}});
      BatchNormGradient call{gradOut,    input,        weight,   saveMean, saveInvstd,
                             "saveMean", "saveInvstd", training, eps};
      if (!training) {
        call.mean = runningMean;
        call.variance = runningVar;
        call.mean_name = "runningMean";
        call.variance_name = "runningVar";
      }
      add_batch_gradient(work, call, out);
    })
