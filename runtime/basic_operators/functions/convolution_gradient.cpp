// Gradients of convolutions, which are convolutions: functions/products.txt.
#include "aclnnop/aclnn_convolution_backward.h"
#include "runtime/basic_operators/convolution.hpp"
#include "runtime/basic_operators/pointwise.hpp"
#include "runtime/basic_operators/reductions.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

using namespace davsim::basic;
using davsim::runtime::refuse_aclnn;

namespace {

/// As many places of each spatial dimension as the other tensor has.
View first_places(const aclTensor& of, const aclTensor& like) {
  View view = view_of(of);
  for (std::size_t d = 2; d < view.rank(); ++d) {
    view = narrowed(view, d, 0, like.GetViewShape().GetDim(d));
  }
  return view;
}

/// The gradient for the input: the transposed convolution of that of the output, or the other way
/// round.
void add_input_gradient(WorkList& work, const Convolution& call, const aclTensor& gradient,
                        const aclTensor& out, CubeMath math) {
  Convolution back = call;
  back.input = &gradient;
  back.bias = nullptr;
  back.transposed = !call.transposed;
  back.output_padding.assign(call.stride.size(), 0);
  if (back.transposed) {
    // What the steps of the convolution leave over at the end of the input.
    const Shape least = convolved_shape(back);
    for (std::size_t d = 0; d < call.stride.size(); ++d) {
      back.output_padding[d] = out.GetViewShape().GetDim(d + 2) - least.GetDim(d + 2);
    }
  }
  const Shape shape = convolved_shape(back);
  if (shape == out.GetViewShape()) return add_convolution(work, back, out, math);
  // Zeros behind the output of a transposed one have places of their own.
  aclTensor* const all = temporary(work, out.GetDataType(), shape);
  add_convolution(work, back, *all, math);
  work.add_copy(out, *tensor_of(work, first_places(*all, out)));
}

/// Channels first, then batches: [C, N, ...] of some channels of [N, C, ...].
const aclTensor* channels_first(WorkList& work, const aclTensor& tensor, std::int64_t first,
                                std::int64_t count) {
  const View part = narrowed(view_of(tensor), 1, first, count);
  std::vector<std::size_t> order{1, 0};
  for (std::size_t d = 2; d < part.rank(); ++d) order.push_back(d);
  return tensor_of(work, permuted(part, order));
}

/// The gradient for a weight [Made, Taken, kernel...] of one group: the convolution of what the
/// kernel slides over with what it makes, in which channels and batches, and steps and dilations,
/// have changed their places.
void add_weight_gradient(WorkList& work, const Convolution& call, const aclTensor& below,
                         const aclTensor& made, const aclTensor& out, CubeMath math) {
  Convolution back{&below,
                   &made,
                   nullptr,
                   call.dilation,
                   call.padding,
                   call.stride,
                   std::vector<std::int64_t>(call.stride.size(), 0)};
  const Shape shape = convolved_shape(back);
  aclTensor* const all = temporary(work, ge::DT_FLOAT, shape);
  add_convolution(work, back, *all, math);
  const View view = first_places(*all, out);
  std::vector<std::size_t> order{1, 0};
  for (std::size_t d = 2; d < view.rank(); ++d) order.push_back(d);
  work.add_copy(out, *tensor_of(work, permuted(view, order)));
}

void add_weight_gradients(WorkList& work, const Convolution& call, const aclTensor& gradient,
                          const aclTensor& out, CubeMath math) {
  const aclTensor& below = call.transposed ? gradient : *call.input;
  const aclTensor& made = call.transposed ? *call.input : gradient;
  const std::int64_t taken = out.GetViewShape().GetDim(1);
  const std::int64_t each = out.GetViewShape().GetDim(0) / call.groups;
  for (std::int64_t group = 0; group < call.groups; ++group) {
    const aclTensor* const part = tensor_of(work, narrowed(view_of(out), 0, group * each, each));
    add_weight_gradient(work, call, *channels_first(work, below, group * taken, taken),
                        *channels_first(work, made, group * each, each), *part, math);
  }
}

void add_bias_gradient(WorkList& work, const aclTensor& gradient, const aclTensor& out) {
  std::vector<std::int64_t> dims{0};
  for (std::size_t d = 2; d < gradient.GetViewShape().GetDimNum(); ++d) {
    dims.push_back(static_cast<std::int64_t>(d));
  }
  const RowView view = rows_along(gradient, dims, "gradOutput");
  const aclTensor* const rows = rows_to_reduce(work, gradient, view, ge::DT_FLOAT);
  add_cast(work, *reduced(work, *rows, {}, ge::DT_FLOAT), out);
}

const aclTensor* wanted_gradient(const aclBoolArray& mask, std::size_t i, const aclTensor* tensor,
                                 const char* name, const Shape& shape) {
  if (!mask[i]) return nullptr;
  require_kernel_float(required(tensor, name), name);
  require_shape(*tensor, name, shape);
  return tensor;
}

void require_some(const aclTensor& tensor, const char* name) {
  if (!tensor.IsEmpty()) return;
  refuse_aclnn(std::string(name) + " has elements, not the shape " + text(tensor.GetViewShape()));
}

}  // namespace

DAVSIM_FIRST_PHASE(
    ConvolutionBackward,
    (const aclTensor* gradOutput, const aclTensor* input, const aclTensor* weight,
     const aclIntArray* biasSizes, const aclIntArray* stride, const aclIntArray* padding,
     const aclIntArray* dilation, bool transposed, const aclIntArray* outputPadding, int groups,
     const aclBoolArray* outputMask, int8_t cubeMathType, aclTensor* gradInput,
     aclTensor* gradWeight, aclTensor* gradBias),
    {
      static_cast<void>(biasSizes);  // The shape of gradBias says it.
      const std::pair<const aclTensor*, const char*> tensors[] = {
          {gradOutput, "gradOutput"}, {input, "input"}, {weight, "weight"}};
      for (const auto& [tensor, name] : tensors) {
        require_kernel_float(required(tensor, name), name);
        require_some(*tensor, name);
      }
      Convolution call{input,
                       weight,
                       nullptr,
                       numbers_of(stride, "stride"),
                       numbers_of(padding, "padding"),
                       numbers_of(dilation, "dilation"),
                       {},
                       transposed,
                       groups};
      call.output_padding = transposed ? numbers_of(outputPadding, "outputPadding")
                                       : std::vector<std::int64_t>(call.stride.size());
      require_shape(*gradOutput, "gradOutput", convolved_shape(call));
      davsim::runtime::require_aclnn(outputMask, "outputMask");
      if (outputMask->Size() != 3) {
        refuse_aclnn("outputMask has 3 elements, not " + std::to_string(outputMask->Size()));
      }
      const aclTensor* const of_input =
          wanted_gradient(*outputMask, 0, gradInput, "gradInput", input->GetViewShape());
      const aclTensor* const of_weight =
          wanted_gradient(*outputMask, 1, gradWeight, "gradWeight", weight->GetViewShape());
      const aclTensor* const of_bias = wanted_gradient(*outputMask, 2, gradBias, "gradBias",
                                                       {gradOutput->GetViewShape().GetDim(1)});
      const CubeMath math = cube_math(cubeMathType);
      if (of_input != nullptr) add_input_gradient(work, call, *gradOutput, *of_input, math);
      if (of_weight != nullptr) add_weight_gradients(work, call, *gradOutput, *of_weight, math);
      if (of_bias != nullptr) add_bias_gradient(work, *gradOutput, *of_bias);
    })
