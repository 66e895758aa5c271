// Host side of layer_norm: one matrix, two kernels, both checked against double precision.
#include <cmath>

#include "examples/common/example.hpp"

namespace {

constexpr std::uint32_t kBlocks = 16, kRows = 1000, kWidth = 512;
constexpr double kTolerance = 1e-4;  // absolute: results are of the size of 1

bool layer_norm(example::Device& device, const char* kernel) {
  const auto x = example::tensor<float>(device, kRows * kWidth, "x", [](auto i) {
    return static_cast<float>(static_cast<int>(i * 7919 % 2001) - 900) / 100.0f;
  });
  const auto gamma = example::tensor<float>(
      device, kWidth, "gamma", [](auto i) { return 0.5f + static_cast<float>(i % 16) / 16; });
  const auto beta = example::tensor<float>(device, kWidth, "beta",
                                           [](auto i) { return static_cast<float>(i % 7) / 8; });
  const auto y = example::tensor<float>(device, kRows * kWidth, "y", [](auto) { return -1; });

  const auto report = device.launch(kernel, kBlocks, example::gm(x), example::gm(gamma),
                                    example::gm(beta), example::gm(y), kRows, kWidth);

  for (std::size_t row = 0; row < kRows; ++row) {
    const auto in = x.subspan(row * kWidth, kWidth);
    double mean = 0, variance = 0;
    for (const float value : in) mean += value / double{kWidth};
    for (const float value : in) variance += (value - mean) * (value - mean) / double{kWidth};
    for (std::size_t i = 0; i < kWidth; ++i) {
      const double expected = (in[i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
      const double got = y[row * kWidth + i];
      const bool wrong = !(std::abs(got - expected) <= kTolerance);
      if (!example::right(wrong, kernel, row * kWidth + i, expected, got)) return false;
    }
  }
  example::print(kernel, report);
  return true;
}

bool both(example::Device& device) {
  return layer_norm(device, "layer_norm_by_hand") && layer_norm(device, "layer_norm_library");
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, both);
}
