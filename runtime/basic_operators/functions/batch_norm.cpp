// Batch norm, which consists of reductions and pointwise steps: functions/rows.txt.
#include "aclnnop/aclnn_batch_norm.h"
#include "aclnnop/aclnn_batch_norm_elemt.h"
#include "runtime/basic_operators/first_phase.hpp"
#include "runtime/basic_operators/numbers.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;

namespace {

/// A tensor of [C] in float.
const aclTensor* of_channels(WorkList& work, const aclTensor* tensor, const char* name,
                             int64_t channels) {
  require_kernel_float(required(tensor, name), name);
  require_shape(*tensor, name, {channels});
  return as(work, *tensor, ge::DT_FLOAT);
}

/// Steps on [C] in float.
class ChannelSteps {
 public:
  ChannelSteps(WorkList& work, int64_t channels) : work_(work), channels_(channels) {}

  const aclTensor* add(PointwiseOp op, std::vector<Operand> operands, double a = 0) {
    aclTensor* const to = temporary(work_, ge::DT_FLOAT, {channels_});
    add_pointwise(work_, {.op = op, .operands = std::move(operands), .out = to, .a = a});
    return to;
  }
  const aclTensor* all(double value) {
    const aclTensor* const to = temporary(work_, ge::DT_FLOAT, {channels_});
    add_fill(work_, *to, value);
    return to;
  }
  Operand number(double value) { return {float_number(work_, value), "number"}; }

 private:
  WorkList& work_;
  int64_t channels_;
};

struct BatchStatistics {
  const aclTensor *means, *variances;
};

/// The means and the variances, whose divisor is the count, of each channel.
BatchStatistics statistics(WorkList& work, const aclTensor& input) {
  std::vector<int64_t> dims;
  for (std::size_t i = 0; i < input.GetViewShape().GetDimNum(); ++i) {
    if (i != 1) dims.push_back(static_cast<int64_t>(i));
  }
  const RowView view = rows_along(input, dims, "input");
  const aclTensor* const rows = rows_to_reduce(work, input, view, ge::DT_FLOAT);
  const double part = 1 / static_cast<double>(view.length());
  const aclTensor* const means = reduced(work, *rows, {.scale = part}, ge::DT_FLOAT);
  const Reduction squares{.map = ReduceMap::kSquareOfDifference, .scale = part, .shift = means};
  return {means, reduced(work, *rows, squares, ge::DT_FLOAT)};
}

/// running = running + momentum * (now - running)
void add_update(WorkList& work, aclTensor* running, const aclTensor* now, double momentum) {
  if (running == nullptr) return;
  add_pointwise(
      work,
      {.op = PointwiseOp::kLerp,
       .operands = {{running, "running"}, {now, "now"}, {float_number(work, momentum), "momentum"}},
       .out = running});
}

struct OfChannels {
  const aclTensor *means, *rstd;   ///< [C] in float
  const aclTensor *weight, *bias;  ///< may be missing
};

/// output = (input - means) * rstd * weight + bias
void add_normal(WorkList& work, const aclTensor& input, const OfChannels& of, aclTensor* output) {
  const Shape& shape = input.GetViewShape();
  const int64_t channels = shape.GetDim(1);
  ChannelSteps steps(work, channels);
  const aclTensor* factor = of.rstd;
  if (of.weight != nullptr) {
    factor = steps.add(
        PointwiseOp::kMul,
        {{of.rstd, "rstd"}, {of_channels(work, of.weight, "weight", channels), "weight"}});
  }
  const Operand start = of.bias == nullptr
                            ? steps.number(0)
                            : Operand{of_channels(work, of.bias, "bias", channels), "bias"};
  const aclTensor* const summand =
      steps.add(PointwiseOp::kAddcmul, {start, {of.means, "means"}, {factor, "factor"}}, -1);
  Shape column{channels};
  for (std::size_t i = 2; i < shape.GetDimNum(); ++i) column.AppendDim(1);
  add_pointwise(work, {.op = PointwiseOp::kAddcmul,
                       .operands = {{reshaped(work, *summand, column), "summand"},
                                    {&input, "input"},
                                    {reshaped(work, *factor, column), "factor"}},
                       .out = output,
                       .out_name = "output",
                       .a = 1});
}

/// Checks what is normalized and its result.
void require_batches(const aclTensor* input, const aclTensor* output) {
  require_kernel_float(required(input, "input"), "input");
  require_kernel_float(required(output, "output"), "output");
  const Shape& shape = input->GetViewShape();
  if (shape.GetDimNum() < 2) {
    davsim::runtime::refuse_aclnn("input has 2 dimensions or more, not the shape " + text(shape));
  }
  require_shape(*output, "output", shape);
}

}  // namespace

DAVSIM_FIRST_PHASE(BatchNormElemt,
                   (const aclTensor* input, const aclTensor* weight, const aclTensor* bias,
                    aclTensor* mean, aclTensor* invstd, double /*eps: it is in invstd*/,
                    aclTensor* output),
                   {
                     require_batches(input, output);
                     const int64_t channels = input->GetViewShape().GetDim(1);
                     const aclTensor* const means = of_channels(work, mean, "mean", channels);
                     const aclTensor* const rstd = of_channels(work, invstd, "invstd", channels);
                     if (input->IsEmpty()) return;
                     add_normal(work, *input, {means, rstd, weight, bias}, output);
                   })

aclnnStatus aclnnBatchNormGetWorkspaceSize(const aclTensor* input, const aclTensor* weight,
                                           const aclTensor* bias, aclTensor* runningMean,
                                           aclTensor* runningVar, bool training, double momentum,
                                           double eps, aclTensor* output, aclTensor* saveMean,
                                           aclTensor* saveInvstd, uint64_t* workspaceSize,
                                           aclOpExecutor** executor) {
  return first_phase("aclnnBatchNorm", workspaceSize, executor, [&](WorkList& work) {
    require_batches(input, output);
    const int64_t channels = input->GetViewShape().GetDim(1);
    if (input->IsEmpty()) return;
    ChannelSteps steps(work, channels);
    BatchStatistics of{};
    if (training) {
      of = statistics(work, *input);
      const auto count = static_cast<double>(input->Numel() / channels);
      const aclTensor* const unbiased = steps.add(
          PointwiseOp::kMul, {{of.variances, "variances"}, steps.number(count / (count - 1))});
      if (runningMean != nullptr) of_channels(work, runningMean, "runningMean", channels);
      if (runningVar != nullptr) of_channels(work, runningVar, "runningVar", channels);
      add_update(work, runningMean, of.means, momentum);
      add_update(work, runningVar, unbiased, momentum);
    } else {
      of.means = runningMean == nullptr ? steps.all(0)
                                        : of_channels(work, runningMean, "runningMean", channels);
      of.variances = runningVar == nullptr ? steps.all(1)
                                           : of_channels(work, runningVar, "runningVar", channels);
    }
    const aclTensor* const rstd = steps.add(
        PointwiseOp::kRsqrt,
        {{steps.add(PointwiseOp::kAxpy, {{of.variances, "variances"}, steps.number(1)}, eps),
          "variances"}});
    if (training) {
      for (const auto& [values, out] :
           {std::pair{of.means, saveMean}, {of.variances, saveInvstd}}) {
        if (out != nullptr) add_cast(work, *values, *out);
      }
    }
    add_normal(work, *input, {of.means, rstd, weight, bias}, output);
  });
}
