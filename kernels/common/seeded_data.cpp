#include "kernels/common/seeded_data.hpp"

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"

namespace davsim::operators {
namespace {

template <typename T, typename Draw>
void fill(Tensor& tensor, Draw draw) {
  T* values = tensor.as<T>();
  const std::int64_t count = tensor.elements();
  for (std::int64_t i = 0; i < count; ++i) values[i] = T(draw());
}

}  // namespace

Tensor SeededData::reals(isa::DType dtype, Shape shape, const std::string& name, double low,
                         double high) {
  Tensor tensor(memory_, dtype, std::move(shape), name);
  if (weights_zero_) return tensor;
  const auto draw = [this, low, high] { return static_cast<float>(uniform(low, high)); };
  if (dtype == isa::DType::kF16) fill<isa::half>(tensor, draw);
  if (dtype == isa::DType::kBF16) fill<isa::bfloat16_t>(tensor, draw);
  if (dtype == isa::DType::kF32) fill<float>(tensor, draw);
  return tensor;
}

Tensor SeededData::integers(isa::DType dtype, Shape shape, const std::string& name,
                            std::int64_t low, std::int64_t high) {
  Tensor tensor(memory_, dtype, std::move(shape), name);
  if (weights_zero_ && dtype == isa::DType::kI8) return tensor;
  const auto draw = [this, low, high] { return integer(low, high); };
  if (dtype == isa::DType::kI8) fill<std::int8_t>(tensor, draw);
  if (dtype == isa::DType::kI32) fill<std::int32_t>(tensor, draw);
  if (dtype == isa::DType::kI64) fill<std::int64_t>(tensor, draw);
  return tensor;
}

void SeededData::set_random(Tensor& tensor, std::int64_t i) {
  const auto value = static_cast<float>(uniform(-1, 1));
  if (tensor.dtype() == isa::DType::kF16) tensor.as<isa::half>()[i] = isa::half(value);
  if (tensor.dtype() == isa::DType::kBF16) tensor.as<isa::bfloat16_t>()[i] = isa::bfloat16_t(value);
  if (tensor.dtype() == isa::DType::kI8) {
    tensor.as<std::int8_t>()[i] = static_cast<std::int8_t>(integer(-128, 127));
  }
}

}  // namespace davsim::operators
