#include "memory/tensor.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>

namespace davsim::memory {
namespace {

std::uint64_t bytes_of(isa::DType dtype, const Shape& shape) {
  const auto count = static_cast<std::uint64_t>(element_count(shape));
  // 64 bits an element at most, so bits could overflow where bytes do not.
  if (dtype == isa::DType::kI4) return count / 2 + count % 2;
  const std::uint64_t size = isa::dtype_bytes(dtype);
  if (size != 0 && count > std::numeric_limits<std::int64_t>::max() / size) {
    throw std::length_error("a tensor of shape " + to_string(shape) + " has too many bytes");
  }
  return count * size;
}

/// All bytes are equal to the one before them, and the first is zero.
bool is_zero(const std::byte* start, std::uint64_t bytes) {
  return start[0] == std::byte{0} && std::memcmp(start, start + 1, bytes - 1) == 0;
}

}  // namespace

std::int64_t element_count(const Shape& shape) {
  bool empty = false;
  std::int64_t count = 1;
  for (const std::int64_t dim : shape) {
    if (dim < 0) throw std::invalid_argument("negative dimension in shape " + to_string(shape));
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(count, dim, &count)) {
      throw std::length_error("shape " + to_string(shape) + " has too many elements");
    }
  }
  return empty ? 0 : count;
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const std::int64_t dim : shape) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(dim);
  }
  return text + "]";
}

Tensor::Tensor(memory::GlobalMemory& memory, isa::DType dtype, Shape shape, const std::string& name)
    : dtype_(dtype), shape_(std::move(shape)) {
  if (dtype == isa::DType::kNone) throw std::invalid_argument("tensor '" + name + "' has no dtype");
  data_ = std::shared_ptr<std::byte>(memory.allocate(bytes_of(dtype_, shape_), name),
                                     [&memory](std::byte* start) { memory.free(start); });
}

Tensor Tensor::at(std::byte* start, isa::DType dtype, Shape shape) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.data_ = std::shared_ptr<std::byte>(start, [](std::byte*) {});
  return tensor;
}

std::uint64_t Tensor::bytes() const {
  return bytes_of(dtype_, shape_);
}

Tensor Tensor::view(isa::DType dtype, Shape shape, std::uint64_t first_byte) const {
  const std::uint64_t needed = bytes_of(dtype, shape);
  if (first_byte > bytes() || needed > bytes() - first_byte) {
    throw std::out_of_range("a tensor of " + std::to_string(needed) + " bytes from byte " +
                            std::to_string(first_byte) + " does not fit in " +
                            std::to_string(bytes()) + " bytes");
  }
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.data_ = std::shared_ptr<std::byte>(data_, data_.get() + first_byte);
  return tensor;
}

Tensor Tensor::clone(memory::GlobalMemory& memory, const std::string& name) const {
  Tensor copy(memory, dtype_, shape_, name);
  // Fresh memory is zero and costs nothing until it is written: a large empty cache stays free.
  constexpr std::uint64_t kChunk = 4096;
  for (std::uint64_t start = 0; start < bytes(); start += kChunk) {
    const std::uint64_t length = std::min(kChunk, bytes() - start);
    if (!is_zero(data() + start, length)) std::memcpy(copy.data() + start, data() + start, length);
  }
  return copy;
}

}  // namespace davsim::memory
