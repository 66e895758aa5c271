// Lists of tensors. The host writes them to global memory, and the scalar unit reads them.
//
// The list is 64-bit words: the byte offset of the pointers; for every tensor its number of
// dimensions (low half) and index (high half), then its dimensions; last the pointers, one a
// tensor.
#pragma once

#include <cstdint>

#include "ascendc/emit.h"
#include "ascendc/tensor.h"

namespace AscendC {

/// One tensor of a list. SetShapeAddr says where GetDesc puts the dimensions.
template <class T>
class TensorDesc {
 public:
  void SetShapeAddr(std::uint64_t* shapePtr) { shape_ = shapePtr; }
  std::uint64_t GetDim() const { return dim_; }
  std::uint64_t GetIndex() const { return index_; }
  std::uint64_t GetShape(std::uint32_t offset) const { return shape_[offset]; }
  __gm__ T* GetDataPtr() const { return data_; }
  GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  std::uint64_t* shape_ = nullptr;
  std::uint64_t dim_ = 0, index_ = 0;
  __gm__ T* data_ = nullptr;
};

class ListTensorDesc {
  using Location = davsim::isa::SourceLocation;

 public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void* data, std::uint32_t length = 0xffffffff,
                 std::uint32_t shapeSize = 0xffffffff, Location where = Location::current()) {
    Init(data, length, shapeSize, where);
  }
  /// `length` in bytes and `shapeSize`, the number of pointers, are checked where they are given.
  void Init(__gm__ void* data, std::uint32_t length = 0xffffffff,
            std::uint32_t shapeSize = 0xffffffff, Location where = Location::current()) {
    words_.SetGlobalBuffer(static_cast<__gm__ std::uint64_t*>(data));
    first_pointer_ = words_.GetValue(0, where) / sizeof(std::uint64_t);
    size_ = 0;
    for (std::uint64_t word = 1; word < first_pointer_; word += 1 + dim_at(word, where)) ++size_;
    require("length", length, (first_pointer_ + size_) * sizeof(std::uint64_t), where);
    require("shapeSize", shapeSize, size_, where);
  }

  std::uint32_t GetSize() const { return size_; }

  template <class T>
  __gm__ T* GetDataPtr(std::uint32_t index, Location where = Location::current()) const {
    require_index("GetDataPtr", index, where);
    return reinterpret_cast<__gm__ T*>(words_.GetValue(first_pointer_ + index, where));
  }

  template <class T>
  void GetDesc(TensorDesc<T>& desc, std::uint32_t index,
               Location where = Location::current()) const {
    require_index("GetDesc", index, where);
    if (desc.shape_ == nullptr) fault({"GetDesc: TensorDesc::SetShapeAddr was not called"}, where);
    std::uint64_t word = 1;
    for (std::uint32_t before = 0; before < index; ++before) word += 1 + dim_at(word, where);
    const std::uint64_t head = words_.GetValue(word, where);
    desc.dim_ = head & 0xffffffff;
    desc.index_ = head >> 32;
    for (std::uint64_t dim = 0; dim < desc.dim_; ++dim) {
      desc.shape_[dim] = words_.GetValue(word + 1 + dim, where);
    }
    desc.data_ = GetDataPtr<T>(index, where);
  }

 private:
  std::uint64_t dim_at(std::uint64_t word, Location where) const {
    return words_.GetValue(word, where) & 0xffffffff;
  }
  [[noreturn]] static void fault(davsim::isa::Message what, Location where) {
    davsim::api::fail(davsim::isa::FaultClass::kParameter, "ListTensorDesc", what, where);
  }
  static void require(const char* what, std::uint32_t given, std::uint64_t found, Location where) {
    if (given == 0xffffffff || given == found) return;
    fault({what, " is ", given, ", the list has ", found}, where);
  }
  void require_index(const char* call, std::uint32_t index, Location where) const {
    if (index < size_) return;
    fault({call, ": index is ", index, ", the list has ", size_, " tensors"}, where);
  }

  GlobalTensor<std::uint64_t> words_;
  std::uint64_t first_pointer_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace AscendC
