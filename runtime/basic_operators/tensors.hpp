// Tensors of a call: checks, and what kernels take, which is elements of one type that follow each
// other. Where a tensor is something else it is copied, which takes no simulated time.
#pragma once

#include <initializer_list>
#include <string>

#include "opdev/common_types.h"
#include "opdev/data_type_utils.h"
#include "runtime/op_api/work_list.hpp"

namespace davsim::basic {

using op::DataType;
using op::Shape;
using op_api::WorkList;

/// Throws ApiError(161001) for a null pointer.
const aclTensor& required(const aclTensor* tensor, const char* name);
const aclScalar& required(const aclScalar* scalar, const char* name);
inline double required_number(const aclScalar* scalar, const char* name) {
  return required(scalar, name).number();
}

/// "[2,3]"
std::string text(const Shape& shape);
std::string text(DataType type);

/// These throw ApiError(161002) with the rule, the parameter's name and what it is.
void require_type(const aclTensor& tensor, const char* name, std::initializer_list<DataType> types);
void require_whole(const aclTensor& tensor, const char* name);
void require_shape(const aclTensor& tensor, const char* name, const Shape& shape);
/// Whatever the shape.
void require_one_element(const aclTensor& tensor, const char* name);
/// The result of type `from` has to become one of the tensor's type.
void require_cast(DataType from, const aclTensor& to, const char* name);
/// A dimension that may be counted from the last one, as one from the first. `rank` 0 is as 1.
std::size_t dimension(std::int64_t dim, std::size_t rank, const char* name);

/// The shape that both become by repetition along sizes of 1.
Shape broadcast(const Shape& a, const Shape& b);

/// A view that repeats the tensor along sizes of 1, for a shape that broadcast() gives.
const aclTensor* repeated(WorkList& work, const aclTensor& tensor, const Shape& shape);
/// The tensor's elements with this type and this shape, which it may have to be repeated for.
const aclTensor* as(WorkList& work, const aclTensor& tensor, DataType type, const Shape& shape);
inline const aclTensor* as(WorkList& work, const aclTensor& tensor, DataType type) {
  return as(work, tensor, type, tensor.GetViewShape());
}
/// Of types of whole bytes.
inline std::int64_t bytes_of_element(const aclTensor& tensor) {
  return static_cast<std::int64_t>(op::TypeSize(tensor.GetDataType()));
}
/// A tensor of the workspace.
aclTensor* temporary(WorkList& work, DataType type, const Shape& shape);
/// The same elements as those of a tensor that follow each other, under another shape.
const aclTensor* reshaped(WorkList& work, const aclTensor& tensor, const Shape& shape);

/// Where a step of the work leaves elements of `type` that are to be in `out` at the end: `out`, if
/// they can be there as they are, or else a tensor that finish() copies from.
class Result {
 public:
  Result(WorkList& work, const aclTensor& out, DataType type);
  const aclTensor& tensor() const { return *tensor_; }
  void finish();

 private:
  WorkList& work_;
  const aclTensor& out_;
  const aclTensor* tensor_;
};

}  // namespace davsim::basic
