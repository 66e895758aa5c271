// Lists as attributes hold them: a header, and the elements behind it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gert {

class ContinuousVector {
 public:
  std::size_t GetSize() const { return size_; }
  std::size_t GetCapacity() const { return size_; }
  const void* GetData() const { return this + 1; }

 protected:
  std::size_t size_ = 0;
  std::uint64_t reserved_ = 0;
};

template <class T>
class TypedContinuousVector : private ContinuousVector {
 public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
};

/// Lists of integers in a list. Behind the header are the distances of the lists from it in bytes,
/// then the lists.
class ContinuousVectorVector : private ContinuousVector {
 public:
  using ContinuousVector::GetSize;
  const ContinuousVector* Get(std::size_t i) const {
    if (i >= GetSize()) return nullptr;
    const auto* distances = static_cast<const std::uint64_t*>(ContinuousVector::GetData());
    return reinterpret_cast<const ContinuousVector*>(reinterpret_cast<const char*>(this) +
                                                     distances[i]);
  }
};

}  // namespace gert
