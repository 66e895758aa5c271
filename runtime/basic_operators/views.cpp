#include "runtime/basic_operators/views.hpp"

#include <algorithm>
#include <utility>

#include "opdev/shape_utils.h"
#include "runtime/aclnn/executor.hpp"
#include "runtime/basic_operators/tensors.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {

std::int64_t View::elements() const {
  return product(sizes, 0, sizes.size());
}

View view_of(const aclTensor& tensor) {
  return {&tensor, numbers_of(tensor.GetViewShape()), tensor.strides, 0};
}

View narrowed(View view, std::size_t dim, std::int64_t start, std::int64_t size,
              std::int64_t step) {
  view.offset += start * view.strides[dim];
  view.sizes[dim] = size;
  view.strides[dim] *= step;
  return view;
}

View sliced(View view, std::size_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
  if (step < 1) runtime::refuse_aclnn("step is at least 1, not " + std::to_string(step));
  const std::int64_t all = view.sizes[dim];
  const auto place = [&](std::int64_t at) {
    return std::clamp<std::int64_t>(at < 0 ? at + all : at, 0, all);
  };
  const std::int64_t from = place(start), length = std::max<std::int64_t>(place(end) - from, 0);
  return narrowed(std::move(view), dim, from, (length + step - 1) / step, step);
}

View permuted(const View& view, const std::vector<std::size_t>& dims) {
  View result{view.of, {}, {}, view.offset};
  for (const std::size_t dim : dims) {
    result.sizes.push_back(view.sizes[dim]);
    result.strides.push_back(view.strides[dim]);
  }
  return result;
}

View flipped(View view, std::size_t dim) {
  view.offset += (view.sizes[dim] - 1) * view.strides[dim];
  view.strides[dim] *= -1;
  return view;
}

View with_repeats(View view, std::size_t dim, std::int64_t size) {
  const auto at = static_cast<std::ptrdiff_t>(dim);
  view.sizes.insert(view.sizes.begin() + at, size);
  view.strides.insert(view.strides.begin() + at, 0);
  return view;
}

View divided(View view, std::size_t dim, std::int64_t inner) {
  const auto behind = static_cast<std::ptrdiff_t>(dim) + 1;
  view.sizes.insert(view.sizes.begin() + behind, inner);
  view.strides.insert(view.strides.begin() + behind, view.strides[dim]);
  view.sizes[dim] = inner == 0 ? 0 : view.sizes[dim] / inner;
  view.strides[dim] *= inner;
  return view;
}

View expanded(const View& view, const op::Shape& shape) {
  const std::size_t rank = shape.GetDimNum();
  View result{view.of, numbers_of(shape), Numbers(rank, 0), view.offset};
  const bool fits = rank >= view.rank();
  const std::size_t missing = fits ? rank - view.rank() : 0;
  for (std::size_t i = 0; i < view.rank(); ++i) {
    if (!fits || (view.sizes[i] != result.sizes[missing + i] && view.sizes[i] != 1)) {
      runtime::refuse_aclnn("elements of the shape " + text(shape_of(view.sizes)) +
                            " cannot be repeated for the shape " + text(shape));
    }
    if (view.sizes[i] == result.sizes[missing + i]) result.strides[missing + i] = view.strides[i];
  }
  return result;
}

const aclTensor* tensor_of(op_api::WorkList& work, const View& view) {
  aclTensor* const tensor = work.view(*view.of);
  tensor->shape = shape_of(view.sizes);
  tensor->strides = view.strides;
  tensor->offset += view.offset;
  return tensor;
}

View flat(op_api::WorkList& work, const aclTensor& tensor) {
  const aclTensor* const from = as(work, tensor, tensor.GetDataType());
  return {from, {from->Numel()}, {1}, 0};
}

Numbers numbers_of(const aclIntArray* array, const char* name) {
  runtime::require_aclnn(array, name);
  return array->values;
}

Numbers numbers_of(const op::Shape& shape) {
  return op::ToShapeVector(shape);
}

std::size_t place_of(std::int64_t dim, std::size_t rank, const char* name) {
  if (rank == 0) {
    runtime::refuse_aclnn(std::string(name) + " names a dimension of a tensor that has some");
  }
  return dimension(dim, rank, name);
}

std::int64_t product(const Numbers& sizes, std::size_t from, std::size_t to) {
  std::int64_t result = 1;
  for (std::size_t i = from; i < to; ++i) result *= sizes[i];
  return result;
}

op::Shape shape_of(const Numbers& sizes) {
  op::Shape shape;
  op::ToShape(sizes, shape);
  return shape;
}

}  // namespace davsim::basic
