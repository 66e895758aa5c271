// Tensors, shapes and types of hand-written aclnn functions.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "graph/utils/type_utils.h"
#include "opdev/data_type_utils.h"
#include "opdev/format_utils.h"
#include "opdev/shape_utils.h"
#include "opdev/tensor_view_utils.h"

namespace {

/// "[a,b]"
template <class List, class Text>
ge::AscendString listed(const List& list, const Text& text) {
  std::string all = "[";
  for (const auto& value : list) all += (all.size() > 1 ? "," : "") + std::string(text(value));
  return ge::AscendString((all + "]").c_str());
}

/// How much of numbers a type has: bool, whole numbers, floating ones, complex ones.
int rank_of(op::DataType type) {
  if (type == ge::DT_BOOL) return 0;
  if (op::IsIntegralType(type)) return 1;
  if (op::IsFloatingType(type)) return 2;
  return op::IsComplexType(type) ? 3 : -1;
}

bool has_sign(op::DataType type) {
  return op::CheckType(type, {ge::DT_INT8, ge::DT_INT16, ge::DT_INT32, ge::DT_INT64});
}

/// Whole numbers of both: the longer, or the next longer one with a sign for a longer one without.
op::DataType promoted_whole(op::DataType a, op::DataType b) {
  if (op::TypeSize(a) < op::TypeSize(b)) std::swap(a, b);
  if (has_sign(a) == has_sign(b) || (has_sign(a) && op::TypeSize(a) > op::TypeSize(b))) return a;
  switch (op::TypeSize(a)) {
    case 1:
      return ge::DT_INT16;
    case 2:
      return ge::DT_INT32;
    case 4:
      return ge::DT_INT64;
    default:
      return ge::DT_UNDEFINED;
  }
}

/// Elements of a dimension and the step between them, as far as a view has more than one.
struct Step {
  std::int64_t stride, size;
};

std::vector<Step> steps_of(const aclTensor& tensor) {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < tensor.strides.size(); ++i) {
    if (tensor.shape.GetDim(i) != 1) steps.push_back({tensor.strides[i], tensor.shape.GetDim(i)});
  }
  return steps;
}

}  // namespace

bool aclTensor::is_contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t i = shape.GetDimNum(); i-- > 0;) {
    if (shape.GetDim(i) != 1 && strides[i] != expected) return false;
    expected *= shape.GetDim(i);
  }
  return true;
}

void* aclTensor::GetData() const {
  auto* const start = static_cast<std::byte*>(GetStorageAddr());
  if (start == nullptr) return nullptr;
  return start + std::max<std::int64_t>(ge::GetSizeInBytes(offset, GetDataType()), 0);
}

namespace op {

void ToContiguousStrides(const Shape& shape, Strides& strides) {
  strides.assign(shape.GetDimNum(), 1);
  for (std::size_t i = strides.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape.GetDim(i), 1);
  }
}

ge::AscendString ToString(DataType type) {
  return ge::AscendString(davsim::op_host::type_name(type));
}

ge::AscendString ToString(const std::initializer_list<DataType>& types) {
  return listed(types, davsim::op_host::type_name);
}

ge::AscendString ToString(const std::vector<DataType>& types) {
  return listed(types, davsim::op_host::type_name);
}

ge::AscendString ToString(Format format) {
  return ge::AscendString(davsim::op_host::format_name(format));
}

ge::AscendString ToString(const Shape& shape) {
  return ToString(ToShapeVector(shape));
}

ge::AscendString ToString(const std::vector<std::int64_t>& sizes) {
  return listed(sizes, [](std::int64_t size) { return std::to_string(size); });
}

bool CanCast(DataType from, DataType to) {
  return rank_of(from) >= 0 && rank_of(from) <= rank_of(to);
}

DataType PromoteType(DataType a, DataType b) {
  if (a == b) return a;
  const int ranks = std::min(rank_of(a), rank_of(b));
  if (ranks < 0) return ge::DT_UNDEFINED;
  if (rank_of(a) != rank_of(b)) return rank_of(a) > rank_of(b) ? a : b;
  if (ranks == 1) return promoted_whole(a, b);
  // float16 and bfloat16 have neither all of the other's numbers.
  if (TypeSize(a) == TypeSize(b)) return ge::DT_FLOAT;
  return TypeSize(a) > TypeSize(b) ? a : b;
}

void ToShape(const std::int64_t* sizes, std::uint64_t count, Shape& shape) {
  shape.SetDimNum(0);
  for (std::uint64_t i = 0; i < count; ++i) shape.AppendDim(sizes[i]);
}

ShapeVector ToShapeVector(const Shape& shape) {
  ShapeVector sizes;
  for (std::size_t i = 0; i < shape.GetDimNum(); ++i) sizes.push_back(shape.GetDim(i));
  return sizes;
}

bool BroadcastInferShape(const Shape& a, const Shape& b, Shape& result) {
  const std::size_t count = std::max(a.GetDimNum(), b.GetDimNum());
  const auto size = [count](const Shape& shape, std::size_t i) {
    const std::size_t missing = count - shape.GetDimNum();
    return i < missing ? 1 : shape.GetDim(i - missing);
  };
  Shape made;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t of_a = size(a, i), of_b = size(b, i);
    if (of_a != of_b && of_a != 1 && of_b != 1) return false;
    made.AppendDim(of_a == 1 ? of_b : of_a);
  }
  result = made;
  return true;
}

bool CheckBroadcastShape(const Shape& a, const Shape& b) {
  Shape result;
  return BroadcastInferShape(a, b, result);
}

bool CanPickViewAsContiguous(const aclTensor* tensor) {
  if (tensor == nullptr) return false;
  std::vector<Step> steps = steps_of(*tensor);
  std::sort(steps.begin(), steps.end(),
            [](const Step& a, const Step& b) { return a.stride < b.stride; });
  std::int64_t expected = 1;
  for (const Step& step : steps) {
    if (step.stride != expected) return false;
    expected *= step.size;
  }
  return true;
}

bool CanPickViewAsContiguous(std::initializer_list<const aclTensor*> tensors) {
  return std::all_of(tensors.begin(), tensors.end(), [&](const aclTensor* tensor) {
    return CanPickViewAsContiguous(tensor) && tensor->strides == (*tensors.begin())->strides;
  });
}

bool Validate(const aclTensor* tensor) {
  if (tensor == nullptr) return false;
  std::int64_t last = tensor->offset;
  for (const Step& step : steps_of(*tensor)) last += step.stride * (step.size - 1);
  return tensor->IsEmpty() || last < tensor->storage_shape.GetShapeSize();
}

}  // namespace op
