// Seeded tensors for an operator's example cases, with the same bits on every host. The standard
// library's distributions may differ between implementations. Numbers are therefore mapped here.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>

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

  /// From now on tensors of reals and of int8 stay zeros. For calls that are refused: their rules
  /// look at indices and lengths alone, and drawing the weights would take longer than refusing
  /// them.
  void leave_weights_zero() { weights_zero_ = true; }

  Tensor zeros(isa::DType dtype, Shape shape, const std::string& name) {
    return Tensor(memory_, dtype, std::move(shape), name);
  }
  /// fp16, bf16 or fp32, uniform in [low, high).
  Tensor reals(isa::DType dtype, Shape shape, const std::string& name, double low = -1,
               double high = 1);
  /// int8, int32 or int64, uniform in [low, high].
  Tensor integers(isa::DType dtype, Shape shape, const std::string& name, std::int64_t low,
                  std::int64_t high);
  /// Element `i` of a tensor: uniform in [-1, 1), or any number of int8.
  void set_random(Tensor& tensor, std::int64_t i);

 private:
  memory::GlobalMemory& memory_;
  std::mt19937_64 bits_;
  bool weights_zero_ = false;
};

}  // namespace davsim::operators
