// Tensors as operators see them: typed, shaped bytes in the device's global memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/numeric/dtype.hpp"
#include "memory/global_memory.hpp"

namespace davsim::memory {

using Shape = std::vector<std::int64_t>;

std::int64_t element_count(const Shape& shape);
std::string to_string(const Shape& shape);  ///< "[32, 1, 6144]"

/// A handle to a tensor. Copies share the bytes. The bytes are in global memory from the start, and
/// files are read into it and written from it, so that no tensor exists twice.
class Tensor {
 public:
  Tensor() = default;
  /// Zeroed. `memory` must outlive the tensor. Throws std::bad_alloc when global memory is full.
  Tensor(memory::GlobalMemory& memory, isa::DType dtype, Shape shape, const std::string& name);
  /// A tensor in bytes of global memory that belong to somebody else, who keeps them.
  static Tensor at(std::byte* start, isa::DType dtype, Shape shape);

  isa::DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::int64_t elements() const { return element_count(shape_); }
  std::uint64_t bytes() const;
  std::byte* data() const { return data_.get(); }
  bool empty() const { return elements() == 0; }
  explicit operator bool() const { return dtype_ != isa::DType::kNone; }

  /// A kernel's view of it (GM_ADDR).
  std::uint8_t* gm() const { return reinterpret_cast<std::uint8_t*>(data_.get()); }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_.get());
  }

  /// A tensor of another type and shape in these bytes, from `first_byte`. It shares them. Throws
  /// std::out_of_range if it does not fit in.
  Tensor view(isa::DType dtype, Shape shape, std::uint64_t first_byte = 0) const;

  /// A copy of the bytes under another name.
  Tensor clone(memory::GlobalMemory& memory, const std::string& name) const;

 private:
  isa::DType dtype_ = isa::DType::kNone;
  Shape shape_;
  std::shared_ptr<std::byte> data_;
};

/// By the names of the operator's page; a tensor that is not given is absent.
using TensorMap = std::map<std::string, Tensor, std::less<>>;

}  // namespace davsim::memory
