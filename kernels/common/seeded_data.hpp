// Seeded tensors for an operator's example cases, with the same bits on every host. The standard
// library's distributions may differ between implementations. Numbers are therefore mapped here.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "kernels/registry/tensor.hpp"

namespace davsim::operators {

class SeededData {
 public:
  SeededData(memory::GlobalMemory& memory, std::uint64_t seed) : memory_(memory), bits_(seed) {}

  /// A real number in [low, high): 53 random bits.
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(bits_() >> 11) * 0x1p-53;
  }
  /// An integer in [low, high].
  std::int64_t integer(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits_() % static_cast<std::uint64_t>(high - low + 1));
  }

  Tensor zeros(isa::DType dtype, Shape shape, const std::string& name) {
    return Tensor(memory_, dtype, std::move(shape), name);
  }
  /// fp16, bf16 or fp32, uniform in [low, high).
  Tensor reals(isa::DType dtype, Shape shape, const std::string& name, double low = -1,
               double high = 1) {
    Tensor tensor(memory_, dtype, std::move(shape), name);
    const std::int64_t count = tensor.elements();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = static_cast<float>(uniform(low, high));
      if (dtype == isa::DType::kF16) tensor.as<isa::half>()[i] = isa::half(value);
      if (dtype == isa::DType::kBF16) tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(value);
      if (dtype == isa::DType::kF32) tensor.as<float>()[i] = value;
    }
    return tensor;
  }
  /// Element `i` of a tensor: uniform in [-1, 1), or any number of int8.
  void set_random(Tensor& tensor, std::int64_t i) {
    const auto value = static_cast<float>(uniform(-1, 1));
    if (tensor.dtype() == isa::DType::kF16) tensor.as<isa::half>()[i] = isa::half(value);
    if (tensor.dtype() == isa::DType::kBF16)
      tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(value);
    if (tensor.dtype() == isa::DType::kI8) {
      tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(integer(-128, 127));
    }
  }
  /// int8, int32 or int64, uniform in [low, high].
  Tensor integers(isa::DType dtype, Shape shape, const std::string& name, std::int64_t low,
                  std::int64_t high) {
    Tensor tensor(memory_, dtype, std::move(shape), name);
    const std::int64_t count = tensor.elements();
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value = integer(low, high);
      if (dtype == isa::DType::kI8) tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(value);
      if (dtype == isa::DType::kI32)
        tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(value);
      if (dtype == isa::DType::kI64) tensor.as<std::int64_t>()[i] = value;
    }
    return tensor;
  }

 private:
  memory::GlobalMemory& memory_;
  std::mt19937_64 bits_;
};

}  // namespace davsim::operators
