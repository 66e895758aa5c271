// The buffer that a tiling function fills for the kernel.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace gert {

class TilingData {
 public:
  TilingData(void* data, std::size_t capacity) : data_(data), capacity_(capacity) {}

  void* GetData() { return data_; }
  const void* GetData() const { return data_; }
  std::size_t GetCapacity() const { return capacity_; }
  std::size_t GetDataSize() const { return size_; }
  /// A size beyond the capacity is an error of the tiling function, which the caller reports.
  void SetDataSize(std::size_t size) { size_ = size; }

  /// Appends the bytes of a value. False, and nothing is appended, where they do not fit.
  template <class T>
  bool Append(const T& value) {
    return Append(&value, 1);
  }
  template <class T>
  bool Append(const T* values, std::size_t count) {
    static_assert(std::is_trivially_copyable<T>::value, "tiling data is copied byte by byte");
    if (size_ > capacity_ || count > (capacity_ - size_) / sizeof(T)) return false;
    std::memcpy(static_cast<char*>(data_) + size_, values, count * sizeof(T));
    size_ += count * sizeof(T);
    return true;
  }

 private:
  void* data_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

template <class T>
TilingData& operator<<(TilingData& data, const T& value) {
  data.Append(value);
  return data;
}

}  // namespace gert
