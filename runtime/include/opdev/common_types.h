// What is inside the objects of aclnn/acl_meta.h, for hand-written aclnn functions of operators and
// for davsim's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "aclnn/acl_meta.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/ascend_string.h"
#include "graph/types.h"
#include "opdev/fast_vector.h"

namespace op {

inline constexpr std::uint64_t MAX_DIM_NUM = gert::Shape::kMaxDimNum;

using Shape = gert::Shape;
using StorageShape = gert::StorageShape;
using Strides = std::vector<std::int64_t>;
using ShapeVector = std::vector<std::int64_t>;
using Format = ge::Format;
using DataType = ge::DataType;

/// Of elements that follow each other.
void ToContiguousStrides(const Shape& shape, Strides& strides);

}  // namespace op

namespace davsim::op_api {

/// Where a tensor lies that an executor made: on the host, or in the workspace, which the second
/// phase has. Views of the tensor share it.
struct Storage {
  bool on_host = false;
  std::vector<std::byte> values;  ///< on the host
  std::uint64_t bytes = 0;        ///< in the workspace
  std::uint64_t workspace_offset = 0;
  void* address = nullptr;  ///< in the workspace, once it is known
};

/// The number of a value of a data type; of a complex one the real part.
double number_of(aclDataType type, const std::byte* value);
std::int64_t whole_number_of(aclDataType type, const std::byte* value);

}  // namespace davsim::op_api

/// A view of a storage; numbers in elements.
struct aclTensor {
  op::Shape shape;
  op::Strides strides;
  std::int64_t offset = 0;
  aclDataType type = ACL_DT_UNDEFINED;
  aclFormat format = ACL_FORMAT_UNDEFINED;  ///< of the storage
  op::Shape storage_shape;
  void* data = nullptr;  ///< of the storage
  aclFormat view_format = ACL_FORMAT_UNDEFINED, original_format = ACL_FORMAT_UNDEFINED;
  op::Shape original_shape;
  std::shared_ptr<davsim::op_api::Storage> storage;  ///< none if `data` is the program's
  /// The program's tensor that an executor made this view of; null: this one. It may be gone.
  const aclTensor* origin = nullptr;

  /// Whether the elements of the view follow each other.
  bool is_contiguous() const;

  const op::Shape& GetViewShape() const { return shape; }
  const op::Shape& GetStorageShape() const { return storage_shape; }
  const op::Shape& GetOriginalShape() const { return original_shape; }
  /// Gives the view other sizes, whose elements follow each other.
  void SetViewShape(const op::Shape& sizes) {
    shape = sizes;
    op::ToContiguousStrides(shape, strides);
  }
  void SetStorageShape(const op::Shape& sizes) { storage_shape = sizes; }
  void SetOriginalShape(const op::Shape& sizes) { original_shape = sizes; }
  const op::Strides& GetViewStrides() const { return strides; }
  void SetViewStrides(op::Strides steps) { strides = std::move(steps); }
  std::int64_t GetViewOffset() const { return offset; }
  void SetViewOffset(std::int64_t elements) { offset = elements; }

  op::DataType GetDataType() const { return static_cast<op::DataType>(type); }
  void SetDataType(op::DataType other) { type = static_cast<aclDataType>(other); }
  op::Format GetStorageFormat() const { return static_cast<op::Format>(format); }
  op::Format GetViewFormat() const { return static_cast<op::Format>(view_format); }
  op::Format GetOriginalFormat() const { return static_cast<op::Format>(original_format); }
  void SetStorageFormat(op::Format other) { format = static_cast<aclFormat>(other); }
  void SetViewFormat(op::Format other) { view_format = static_cast<aclFormat>(other); }
  void SetOriginalFormat(op::Format other) { original_format = static_cast<aclFormat>(other); }

  /// Elements of the view.
  std::int64_t Numel() const { return shape.GetShapeSize(); }
  std::int64_t Size() const { return Numel(); }
  bool IsEmpty() const { return Numel() == 0; }
  /// Null where only the second phase knows.
  void* GetStorageAddr() const {
    return storage == nullptr ? data : storage->on_host ? storage->values.data() : nullptr;
  }
  /// Where the view begins.
  void* GetData() const;
};

struct aclScalar {
  aclDataType type = ACL_DT_UNDEFINED;
  alignas(16) std::array<std::byte, 16> value{};  ///< the first bytes, as many as the type has

  /// The value as a number; complex ones as their real part.
  double number() const { return davsim::op_api::number_of(type, value.data()); }

  op::DataType GetDataType() const { return static_cast<op::DataType>(type); }
  const void* GetData() const { return value.data(); }
  std::uint64_t Size() const {
    return static_cast<std::uint64_t>(ge::GetSizeByDataType(GetDataType()));
  }
  double ToDouble() const { return number(); }
  float ToFloat() const { return static_cast<float>(number()); }
  bool ToBool() const { return number() != 0; }
  std::int64_t ToInt64() const { return davsim::op_api::whole_number_of(type, value.data()); }
  std::int32_t ToInt32() const { return static_cast<std::int32_t>(ToInt64()); }
  std::int16_t ToInt16() const { return static_cast<std::int16_t>(ToInt64()); }
  std::int8_t ToInt8() const { return static_cast<std::int8_t>(ToInt64()); }
  std::uint64_t ToUint64() const { return static_cast<std::uint64_t>(ToInt64()); }
  std::uint32_t ToUint32() const { return static_cast<std::uint32_t>(ToInt64()); }
  std::uint16_t ToUint16() const { return static_cast<std::uint16_t>(ToInt64()); }
  std::uint8_t ToUint8() const { return static_cast<std::uint8_t>(ToInt64()); }
};

namespace davsim::op_api {

/// What the arrays and lists have in common. `Kept` is how an element lies in memory: bool byte by
/// byte, unlike in std::vector<bool>.
template <class Value, class Kept = Value>
struct Values {
  std::vector<Kept> values;

  std::uint64_t Size() const { return values.size(); }
  const Value* GetData() const { return reinterpret_cast<const Value*>(values.data()); }
  const Value& operator[](std::uint64_t i) const { return GetData()[i]; }
  Value& operator[](std::uint64_t i) { return reinterpret_cast<Value*>(values.data())[i]; }
};

}  // namespace davsim::op_api

struct aclIntArray : davsim::op_api::Values<std::int64_t> {};
struct aclFloatArray : davsim::op_api::Values<float> {};
struct aclBoolArray : davsim::op_api::Values<bool, std::uint8_t> {};
/// Lists own what they hold.
struct aclTensorList : davsim::op_api::Values<const aclTensor*> {};
struct aclScalarList : davsim::op_api::Values<const aclScalar*> {};
