#include "runtime/basic_operators/tensors.hpp"

#include <algorithm>
#include <cmath>

#include "opdev/shape_utils.h"
#include "runtime/aclnn/element_copy.hpp"
#include "runtime/core/api_error.hpp"

namespace davsim::basic {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& what) {
  runtime::refuse_aclnn(std::string(name) + " " + what);
}

}  // namespace

const aclTensor& required(const aclTensor* tensor, const char* name) {
  runtime::require_aclnn(tensor, name);
  // No memory has more, and sums of a few such numbers stay within 64 bits. Elements that share
  // their memory would be computed all the same.
  constexpr double kMost = 1LL << 48, kMostRepeated = 1LL << 28;
  double elements = 1, reach = 0;
  bool repeated = false;
  for (std::size_t d = 0; d < tensor->shape.GetDimNum(); ++d) {
    const auto size = static_cast<double>(tensor->shape.GetDim(d));
    elements *= size;
    reach += size * std::fabs(static_cast<double>(tensor->strides[d]));
    repeated = repeated || (tensor->strides[d] == 0 && size > 1);
  }
  if (repeated && elements > kMostRepeated) {
    refuse(name,
           "has at most 2^28 elements where a stride is 0, not the shape " + text(tensor->shape));
  }
  if (elements > kMost || reach > kMost) {
    refuse(name, "lies in less than 2^48 elements, not with the shape " + text(tensor->shape));
  }
  return *tensor;
}

const aclScalar& required(const aclScalar* scalar, const char* name) {
  runtime::require_aclnn(scalar, name);
  return *scalar;
}

std::string text(const Shape& shape) {
  return op::ToString(shape).GetString();
}

std::string text(DataType type) {
  return op::ToString(type).GetString();
}

void require_type(const aclTensor& tensor, const char* name,
                  std::initializer_list<DataType> types) {
  if (op::CheckType(tensor.GetDataType(), types)) return;
  refuse(name, "has one of the types " + std::string(op::ToString(types).GetString()) + ", not " +
                   text(tensor.GetDataType()));
}

void require_whole(const aclTensor& tensor, const char* name) {
  if (op::IsIntegralType(tensor.GetDataType(), true)) return;
  refuse(name, "has whole numbers, not " + text(tensor.GetDataType()));
}

void require_shape(const aclTensor& tensor, const char* name, const Shape& shape) {
  if (tensor.GetViewShape() == shape) return;
  refuse(name, "has the shape " + text(shape) + ", not " + text(tensor.GetViewShape()));
}

void require_one_element(const aclTensor& tensor, const char* name) {
  if (tensor.Numel() == 1) return;
  refuse(name, "has one element, not the shape " + text(tensor.GetViewShape()));
}

void require_cast(DataType from, const aclTensor& to, const char* name) {
  if (op::CanCast(from, to.GetDataType()) && runtime::can_copy(to.GetDataType(), from)) return;
  refuse(name, "is " + text(to.GetDataType()) + ", which the result of type " + text(from) +
                   " cannot become");
}

std::size_t dimension(std::int64_t dim, std::size_t rank, const char* name) {
  const auto all = static_cast<std::int64_t>(std::max<std::size_t>(rank, 1));
  if (dim < -all || dim >= all) {
    refuse(name, "is from " + std::to_string(-all) + " to " + std::to_string(all - 1) + ", not " +
                     std::to_string(dim));
  }
  return static_cast<std::size_t>(dim < 0 ? dim + all : dim);
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result;
  if (!op::BroadcastInferShape(a, b, result)) {
    runtime::refuse_aclnn("shapes " + text(a) + " and " + text(b) +
                          " have a size that differs and is not 1");
  }
  return result;
}

aclTensor* temporary(WorkList& work, DataType type, const Shape& shape) {
  return work.tensor(shape, shape, type, op::Format::FORMAT_ND, op::Format::FORMAT_ND);
}

const aclTensor* repeated(WorkList& work, const aclTensor& tensor, const Shape& shape) {
  if (tensor.GetViewShape() == shape) return &tensor;
  aclTensor* const view = work.view(tensor);
  const std::size_t missing = shape.GetDimNum() - tensor.shape.GetDimNum();
  op::Strides strides(shape.GetDimNum(), 0);
  for (std::size_t i = missing; i < shape.GetDimNum(); ++i) {
    if (tensor.shape.GetDim(i - missing) == shape.GetDim(i)) {
      strides[i] = tensor.strides[i - missing];
    }
  }
  view->shape = shape;
  view->strides = std::move(strides);
  return view;
}

const aclTensor* as(WorkList& work, const aclTensor& tensor, DataType type, const Shape& shape) {
  const aclTensor* const view = repeated(work, tensor, shape);
  if (view == &tensor && tensor.GetDataType() == type && tensor.is_contiguous()) return &tensor;
  if (!runtime::can_copy(type, tensor.GetDataType())) {
    runtime::refuse_aclnn("elements of " + text(tensor.GetDataType()) + " cannot become " +
                          text(type));
  }
  aclTensor* const to = temporary(work, type, shape);
  work.add_copy(*to, *view);
  return to;
}

const aclTensor* reshaped(WorkList& work, const aclTensor& tensor, const Shape& shape) {
  aclTensor* const view = work.view(tensor);
  view->SetViewShape(shape);
  view->storage_shape = view->original_shape = shape;
  return view;
}

Result::Result(WorkList& work, const aclTensor& out, DataType type) : work_(work), out_(out) {
  const bool as_it_is = out.GetDataType() == type && out.is_contiguous();
  tensor_ = as_it_is ? &out : temporary(work, type, out.GetViewShape());
}

void Result::finish() {
  if (tensor_ != &out_) work_.add_copy(out_, *tensor_);
}

}  // namespace davsim::basic
