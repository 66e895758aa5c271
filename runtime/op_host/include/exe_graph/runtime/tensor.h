// A tensor of a node: type, format, shape and, where the host may read it, its elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor_data.h"

namespace gert {

class Tensor {
 public:
  Tensor() = default;
  Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type,
         const void* data = nullptr)
      : shape_(shape),
        format_(format),
        type_(type),
        data_(data),
        placement_(data == nullptr ? kOnDeviceHbm : kOnHost) {}

  Tensor(const StorageShape& shape, const StorageFormat& format, TensorPlacement placement,
         ge::DataType type, TensorAddress data)
      : shape_(shape), format_(format), type_(type), data_(data), placement_(placement) {}

  ge::DataType GetDataType() const { return type_; }
  void SetDataType(ge::DataType type) { type_ = type; }
  const StorageShape& GetShape() const { return shape_; }
  StorageShape& GetShape() { return shape_; }
  const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  /// Elements.
  std::int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
  /// Bytes of the elements.
  std::size_t GetSize() const {
    const std::int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), type_);
    return bytes < 0 ? 0 : static_cast<std::size_t>(bytes);
  }

  /// The elements; null unless the operator declares that the host depends on the input's values.
  template <class T>
  const T* GetData() const {
    return static_cast<const T*>(data_);
  }
  const void* GetAddr() const { return data_; }
  TensorPlacement GetPlacement() const { return placement_; }
  void SetPlacement(TensorPlacement placement) { placement_ = placement; }

 private:
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType type_ = ge::DT_UNDEFINED;
  const void* data_ = nullptr;
  TensorPlacement placement_ = kOnDeviceHbm;
};

}  // namespace gert
