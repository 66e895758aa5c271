#include "runtime/basic_operators/quantised_products.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "runtime/basic_operators/pairs.hpp"
#include "runtime/basic_operators/views.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

std::int64_t last_size(const aclTensor& tensor, std::size_t from_last) {
  const Shape& shape = tensor.GetViewShape();
  return shape.GetDim(shape.GetDimNum() - from_last);
}

/// Scales in float: those of 64 bits have one in their lower half.
const aclTensor* scales(WorkList& work, const Named& scale) {
  const aclTensor& tensor = required(scale.tensor, scale.name);
  const DataType type = tensor.GetDataType();
  if (type != ge::DT_UINT64 && type != ge::DT_INT64) {
    require_type(tensor, scale.name, {ge::DT_FLOAT, ge::DT_BF16, ge::DT_UINT64, ge::DT_INT64});
    return as(work, tensor, ge::DT_FLOAT);
  }
  aclTensor* const made = temporary(work, ge::DT_FLOAT, tensor.GetViewShape());
  work.add_task({made}, {as(work, tensor, type)}, [](auto to, auto from) {
    for (std::uint64_t i = 0; i < from[0].elements(); ++i) {
      std::memcpy(to[0].first() + i * sizeof(float), from[0].first() + i * sizeof(std::uint64_t),
                  sizeof(float));
    }
  });
  return made;
}

void require_count(const Named& given, std::int64_t count) {
  const std::int64_t found = given.tensor->Numel();
  if (found == count || found == 1) return;
  runtime::refuse_aclnn(std::string(given.name) + " has " + std::to_string(count) +
                        " numbers or one, not the shape " + text(given.tensor->GetViewShape()));
}

/// The numbers as one row, for all rows of a result.
const aclTensor* as_row(WorkList& work, const aclTensor& numbers) {
  return reshaped(work, *as(work, numbers, numbers.GetDataType()), Shape({numbers.Numel()}));
}

/// x * y in float.
const aclTensor* scaled(WorkList& work, const aclTensor& x, const Named& y) {
  aclTensor* const made = temporary(work, ge::DT_FLOAT, x.GetViewShape());
  add_pointwise(work, {.op = PointwiseOp::kMul,
                       .operands = {{&x, "product"}, {y.tensor, y.name}},
                       .out = made,
                       .type = ge::DT_FLOAT});
  return made;
}

const aclTensor* increased(WorkList& work, const aclTensor& x, const Named& y) {
  aclTensor* const made = temporary(work, ge::DT_FLOAT, x.GetViewShape());
  add_pointwise(work, {.op = PointwiseOp::kAxpy,
                       .operands = {{&x, "product"}, {y.tensor, y.name}},
                       .out = made,
                       .type = ge::DT_FLOAT,
                       .a = 1});
  return made;
}

/// The dimensions from the one with the largest distance between its elements to the smallest.
std::vector<std::size_t> order_in_memory(const View& view) {
  std::vector<std::size_t> order(view.rank());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return view.strides[a] > view.strides[b]; });
  return order;
}

}  // namespace

void add_quantised_product(WorkList& work, const QuantisedProduct& call, const aclTensor& out) {
  for (const Named& factor : {call.x1, call.x2}) {
    require_type(required(factor.tensor, factor.name), factor.name, {ge::DT_INT8});
  }
  require_type(out, "out", {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32});
  const std::int64_t columns = last_size(*call.x2.tensor, 1);
  const bool early = call.bias.tensor != nullptr && call.bias.tensor->GetDataType() == ge::DT_INT32;
  Named bias{nullptr, "bias"};
  if (call.bias.tensor != nullptr) {
    require_count(call.bias, columns);
    bias = {as_row(work, *call.bias.tensor), call.bias.name};
  }
  const Named early_bias{early ? bias.tensor : nullptr, "bias"};
  if (out.GetDataType() == ge::DT_INT32 && call.scale.tensor == nullptr) {
    return add_product_with_bias(work, call.x1, call.x2, early_bias, out, CubeMath::kKeep);
  }
  const Named scale{as_row(work, *scales(work, call.scale)), call.scale.name};
  require_count(call.scale, columns);
  aclTensor* const sums = temporary(work, ge::DT_INT32, out.GetViewShape());
  add_product_with_bias(work, call.x1, call.x2, early_bias, *sums, CubeMath::kKeep);
  const aclTensor* result = scaled(work, *sums, scale);
  if (call.per_token.tensor != nullptr) {
    const std::int64_t rows = last_size(*call.x1.tensor, 2);
    require_count(call.per_token, rows);
    const aclTensor* const numbers = as_row(work, *call.per_token.tensor);
    const aclTensor* const column = reshaped(work, *numbers, Shape({numbers->Numel(), 1}));
    result = scaled(work, *result, {column, call.per_token.name});
  }
  if (bias.tensor != nullptr && !early) result = increased(work, *result, bias);
  if (call.offset.tensor != nullptr) {
    require_count(call.offset, columns);
    result = increased(work, *result, {as_row(work, *call.offset.tensor), call.offset.name});
  }
  if (out.GetDataType() == ge::DT_INT8) {
    aclTensor* const whole = temporary(work, ge::DT_FLOAT, out.GetViewShape());
    add_pointwise(work,
                  {.op = PointwiseOp::kRound, .operands = {{result, "product"}}, .out = whole});
    return work.add_copy(out, *whole);  // which saturates
  }
  add_cast(work, *result, out);
}

const aclTensor* unpacked(WorkList& work, const aclTensor& tensor) {
  const DataType type = tensor.GetDataType();
  if (type != ge::DT_INT4 && type != ge::DT_INT32) return &tensor;
  const View given = view_of(tensor);
  const auto order = order_in_memory(given);
  const aclTensor* const packed = tensor_of(work, permuted(given, order));
  if (!packed->is_contiguous()) {
    runtime::refuse_aclnn(
        "a tensor of int4 has elements that follow each other, or is a transposed "
        "view of such a tensor");
  }
  Shape shape = packed->GetViewShape();
  const std::size_t last = shape.GetDimNum() - 1;
  if (type == ge::DT_INT32) shape.SetDim(last, shape.GetDim(last) * 8);
  aclTensor* const made = temporary(work, ge::DT_INT8, shape);
  work.add_task({made}, {packed}, [](auto to, auto from) {
    for (std::uint64_t i = 0; i < to[0].elements(); ++i) {
      const auto byte = std::to_integer<unsigned>(from[0].first()[i / 2]);
      const unsigned bits = i % 2 == 0 ? byte & 15U : byte >> 4;
      to[0].first()[i] = static_cast<std::byte>(bits >= 8 ? bits | 0xF0U : bits);
    }
  });
  std::vector<std::size_t> back(order.size());
  for (std::size_t d = 0; d < order.size(); ++d) back[order[d]] = d;
  return tensor_of(work, permuted(view_of(*made), back));
}

const aclTensor* dequantised(WorkList& work, const QuantisedWeight& of, DataType type) {
  required(of.weight.tensor, of.weight.name);
  const aclTensor* weight = unpacked(work, *of.weight.tensor);
  require_type(*weight, of.weight.name, {ge::DT_INT8});
  const Shape shape = weight->GetViewShape();
  if (shape.GetDimNum() != 2) {
    runtime::refuse_aclnn(std::string(of.weight.name) + " has two dimensions, not the shape " +
                          text(shape));
  }
  const std::int64_t rows = shape.GetDim(0), columns = shape.GetDim(1);
  if (of.group > 0 && rows % of.group != 0) {
    runtime::refuse_aclnn("the size of a group divides the rows of " + std::string(of.weight.name) +
                          ", " + std::to_string(rows) + ": it is " + std::to_string(of.group));
  }
  const std::int64_t each = of.group > 0 ? of.group : rows;
  const Shape by_groups({rows / each, each, columns});
  weight = reshaped(work, *as(work, *weight, ge::DT_FLOAT), by_groups);
  const auto row_of = [&](const Named& numbers) {
    const aclTensor& tensor = required(numbers.tensor, numbers.name);
    const std::int64_t count = tensor.Numel();
    if (count != 1 && count != columns * (rows / each)) {
      runtime::refuse_aclnn(std::string(numbers.name) +
                            " has a number for each column and group, " +
                            std::to_string(columns * (rows / each)) + ", or one, not the shape " +
                            text(tensor.GetViewShape()));
    }
    const Shape row = count == 1 ? Shape({1, 1, 1}) : Shape({rows / each, 1, columns});
    return Named{reshaped(work, *as(work, tensor, ge::DT_FLOAT), row), numbers.name};
  };
  if (of.offset.tensor != nullptr) weight = increased(work, *weight, row_of(of.offset));
  weight = scaled(work, *weight, row_of(of.scale));
  aclTensor* const made = temporary(work, type, by_groups);
  add_cast(work, *weight, *made);
  return reshaped(work, *made, shape);
}

}  // namespace davsim::basic
