// Host side of softmax: the matrix, one launch, a check against double precision.
#include <algorithm>
#include <cmath>

#include "examples/common/example.hpp"

namespace {

constexpr std::uint32_t kBlocks = 16, kRows = 70, kWidth = 1000;
constexpr double kTolerance = 1e-5;  // relative; Exp and the order of the sum cost some last bits

bool softmax(example::Device& device) {
  const auto x = example::tensor<float>(device, kRows * kWidth, "x", [](auto i) {
    return static_cast<float>(static_cast<int>(i * 7919 % 2001) - 1000) / 100.0f;
  });
  const auto y = example::tensor<float>(device, kRows * kWidth, "y", [](auto) { return -1; });

  const auto report =
      device.launch("softmax_custom", kBlocks, example::gm(x), example::gm(y), kRows, kWidth);

  for (std::size_t row = 0; row < kRows; ++row) {
    const auto in = x.subspan(row * kWidth, kWidth);
    const double largest = *std::max_element(in.begin(), in.end());
    double sum = 0;
    for (const float value : in) sum += std::exp(value - largest);
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double expected = std::exp(in[i] - largest) / sum;
      const double got = y[row * kWidth + i];
      const bool wrong = !(std::abs(got - expected) <= kTolerance * expected);
      if (!example::right(wrong, "softmax", row * kWidth + i, expected, got)) return false;
    }
  }
  example::print("softmax", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, softmax);
}
