#include "runtime/basic_operators/convolution.hpp"

#include <string>
#include <utility>

#include "opdev/shape_utils.h"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

using Sizes = std::vector<std::int64_t>;

void require(bool holds, const std::string& rule) {
  if (!holds) runtime::refuse_aclnn(rule);
}

std::int64_t product_of(const Sizes& sizes) {
  return product(sizes, 0, sizes.size());
}

Sizes spatial_of(const aclTensor& tensor) {
  Sizes sizes = op::ToShapeVector(tensor.GetViewShape());
  sizes.erase(sizes.begin(), sizes.begin() + 2);
  return sizes;
}

Shape planes_of(std::int64_t first, std::int64_t second, Sizes rest) {
  rest.insert(rest.begin(), {first, second});
  return shape_of(rest);
}

/// A view of a tensor whose elements follow each other.
aclTensor* view(WorkList& work, const aclTensor& of, const Shape& shape, op::Strides strides,
                std::int64_t offset) {
  aclTensor* const made = work.view(of);
  made->shape = shape;
  made->strides = std::move(strides);
  made->offset += offset;
  return made;
}

/// What a convolution of an input with zeros around it is computed from.
struct Plain {
  const aclTensor* input;   ///< with its padding; elements follow each other
  const aclTensor* weight;  ///< [Out, C / groups, kernel...]; elements follow each other
  Sizes stride, dilation;
};

/// The input with zeros before, behind and, `apart` elements from each other, between its elements.
const aclTensor* with_zeros(WorkList& work, const aclTensor& input, DataType type,
                            const Sizes& before, const Sizes& behind, const Sizes& apart) {
  const Sizes spatial = spatial_of(input);
  Sizes sizes;
  bool none = true;
  for (std::size_t d = 0; d < spatial.size(); ++d) {
    sizes.push_back((spatial[d] - 1) * apart[d] + 1 + before[d] + behind[d]);
    none = none && sizes[d] == spatial[d];
  }
  if (none) return as(work, input, type);
  const Shape& shape = input.GetViewShape();
  aclTensor* const padded =
      temporary(work, type, planes_of(shape.GetDim(0), shape.GetDim(1), sizes));
  work.add_zeros(*padded);
  op::Strides strides = padded->strides;
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < spatial.size(); ++d) {
    offset += before[d] * strides[d + 2];
    strides[d + 2] *= apart[d];
  }
  work.add_copy(*view(work, *padded, shape, strides, offset), input);
  return padded;
}

/// The weight of a transposed convolution as that of a plain one: its kernel from behind, channels
/// in and out in each other's place.
const aclTensor* turned(WorkList& work, const aclTensor& weight, DataType type,
                        std::int64_t groups) {
  const aclTensor* const source = as(work, weight, type);
  const Shape& shape = weight.GetViewShape();
  const std::int64_t in = shape.GetDim(0) / groups, out = shape.GetDim(1);
  const Sizes kernel = spatial_of(weight);
  const std::int64_t points = product_of(kernel);
  aclTensor* const made = temporary(work, type, planes_of(groups * out, in, kernel));
  // [groups, out, in], for each point of the kernel.
  const Shape planes({groups, out, in});
  for (std::int64_t point = 0; point < points; ++point) {
    work.add_copy(
        *view(work, *made, planes, {out * in * points, in * points, points}, points - 1 - point),
        *view(work, *source, planes, {in * out * points, points, out * points}, point));
  }
  return made;
}

Plain plain_of(WorkList& work, const Convolution& call, DataType type) {
  const Sizes kernel = spatial_of(*call.weight), ones(kernel.size(), 1);
  if (!call.transposed) {
    return {with_zeros(work, *call.input, type, call.padding, call.padding, ones),
            as(work, *call.weight, type), call.stride, call.dilation};
  }
  Sizes before, behind;
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    before.push_back(call.dilation[d] * (kernel[d] - 1) - call.padding[d]);
    behind.push_back(before[d] + call.output_padding[d]);
    require(before[d] >= 0,
            "padding is at most dilation * (kernel - 1), not " + std::to_string(call.padding[d]));
  }
  return {with_zeros(work, *call.input, type, before, behind, call.stride),
          turned(work, *call.weight, type, call.groups), ones, call.dilation};
}

/// Adds the products of one group: [N * positions, channels * kernel] x [channels * kernel, Out].
void add_group(WorkList& work, const Plain& plain, const Convolution& call, std::int64_t group,
               const aclTensor& out, CubeMath math) {
  const aclTensor &input = *plain.input, &weight = *plain.weight;
  const Sizes kernel = spatial_of(weight), positions = spatial_of(out);
  const std::int64_t batches = out.GetViewShape().GetDim(0);
  const std::int64_t channels = weight.GetViewShape().GetDim(1);
  const std::int64_t made = weight.GetViewShape().GetDim(0) / call.groups;
  Shape covered({batches});
  op::Strides strides = {input.strides[0]};
  for (std::size_t d = 0; d < positions.size(); ++d) {
    covered.AppendDim(positions[d]);
    strides.push_back(input.strides[d + 2] * plain.stride[d]);
  }
  covered.AppendDim(channels);
  strides.push_back(input.strides[1]);
  for (std::size_t d = 0; d < kernel.size(); ++d) {
    covered.AppendDim(kernel[d]);
    strides.push_back(input.strides[d + 2] * plain.dilation[d]);
  }
  const aclTensor* const rows =
      view(work, input, covered, strides, group * channels * input.strides[1]);
  const std::int64_t depth = channels * product_of(kernel), count = batches * product_of(positions);
  aclTensor* const a = temporary(work, input.GetDataType(), Shape({count, depth}));
  work.add_copy(*reshaped(work, *a, covered), *rows);
  const aclTensor* const b =
      view(work, weight, Shape({depth, made}), {1, depth}, group * made * depth);
  const DataType type = out.GetDataType() == ge::DT_FLOAT ? ge::DT_FLOAT : input.GetDataType();
  aclTensor* const c = temporary(work, type, Shape({count, made}));
  Named bias{nullptr, "bias"};
  if (call.bias != nullptr) {
    const aclTensor* const all = as(work, *call.bias, ge::DT_FLOAT);
    bias.tensor = view(work, *all, Shape({made}), {1}, group * made);
  }
  add_product_with_bias(work, {a, "input"}, {b, "weight"}, bias, *c, math);
  // [N, positions, Out] becomes the group's channels of [N, Out, positions].
  aclTensor* const target = work.view(out);
  target->shape.SetDim(1, made);
  target->offset += group * made * out.strides[1];
  op::Strides by_channels = {product_of(positions) * made, 1};
  std::int64_t step = made;
  op::Strides of_positions(positions.size());
  for (std::size_t d = positions.size(); d-- > 0; step *= positions[d]) of_positions[d] = step;
  by_channels.insert(by_channels.end(), of_positions.begin(), of_positions.end());
  work.add_copy(*target, *view(work, *c, target->shape, by_channels, 0));
}

}  // namespace

Shape convolved_shape(const Convolution& call) {
  const aclTensor &input = required(call.input, "input"), &weight = required(call.weight, "weight");
  const std::size_t rank = input.GetViewShape().GetDimNum();
  require(rank >= 3 && rank <= 5, "input has 3, 4 or 5 dimensions, not " + std::to_string(rank));
  require(weight.GetViewShape().GetDimNum() == rank,
          "weight has as many dimensions as input, not " + text(weight.GetViewShape()));
  for (const auto& [numbers, name] : {std::pair{&call.stride, "stride"},
                                      {&call.padding, "padding"},
                                      {&call.dilation, "dilation"},
                                      {&call.output_padding, "outputPadding"}}) {
    require(numbers->size() == rank - 2, std::string(name) + " has " + std::to_string(rank - 2) +
                                             " numbers, not " + std::to_string(numbers->size()));
    const std::int64_t least = numbers == &call.stride || numbers == &call.dilation ? 1 : 0;
    for (const std::int64_t number : *numbers) {
      require(number >= least, std::string(name) + " is at least " + std::to_string(least) +
                                   ", not " + std::to_string(number));
    }
  }
  const std::int64_t in = input.GetViewShape().GetDim(1), first = weight.GetViewShape().GetDim(0);
  const std::int64_t second = weight.GetViewShape().GetDim(1);
  require(call.groups >= 1 && in % call.groups == 0 && first % call.groups == 0,
          "groups divides the channels, " + std::to_string(in) + " and " + std::to_string(first) +
              ": it is " + std::to_string(call.groups));
  require(call.transposed ? first == in : second * call.groups == in,
          "weight has the channels of input, " + std::to_string(in) + ": its shape is " +
              text(weight.GetViewShape()) + " with groups " + std::to_string(call.groups));
  const std::int64_t made = call.transposed ? second * call.groups : first;
  if (call.bias != nullptr) require_shape(*call.bias, "bias", Shape({made}));
  Sizes positions;
  for (std::size_t d = 0; d + 2 < rank; ++d) {
    const std::int64_t size = input.GetViewShape().GetDim(d + 2);
    const std::int64_t reach = call.dilation[d] * (weight.GetViewShape().GetDim(d + 2) - 1);
    positions.push_back(call.transposed
                            ? (size - 1) * call.stride[d] - 2 * call.padding[d] + reach +
                                  call.output_padding[d] + 1
                            : (size + 2 * call.padding[d] - reach - 1) / call.stride[d] + 1);
  }
  return planes_of(input.GetViewShape().GetDim(0), made, positions);
}

void add_convolution(WorkList& work, const Convolution& call, const aclTensor& out, CubeMath math) {
  require_shape(out, "output", convolved_shape(call));
  const DataType type = product_type({call.input, "input"}, {call.weight, "weight"});
  require(type != ge::DT_INT8, "input and weight are float16, bfloat16 or float, not DT_INT8");
  require_cast(type, out, "output");
  if (out.IsEmpty()) return;
  const Plain plain = plain_of(work, call, type);
  for (std::int64_t group = 0; group < call.groups; ++group) {
    add_group(work, plain, call, group, out, math);
  }
}

}  // namespace davsim::basic
