// Host side of flash_attention: one launch, and attention in double precision.
#include <cmath>
#include <vector>

#include "examples/common/example.hpp"

namespace {

constexpr std::uint32_t kBlocks = 8, kHeads = 4, kLength = 512, kDepth = 64;
constexpr double kTolerance = 2e-3;  // absolute: results are averages of numbers below 1

bool flash_attention(example::Device& device) {
  const auto numbers = [&](const char* name, std::size_t seed) {
    return example::tensor<example::half>(device, kHeads * kLength * kDepth, name, [=](auto i) {
      return example::half(static_cast<float>((i * seed) % 2003) / 1001.0f - 1.0f);
    });
  };
  const auto q = numbers("q", 7919), k = numbers("k", 6101), v = numbers("v", 4723);
  const auto out = example::tensor<example::half>(device, kHeads * kLength * kDepth, "out",
                                                  [](auto) { return example::half(-9.0f); });

  const auto report =
      device.launch("flash_attention_custom", kBlocks, example::gm(q), example::gm(k),
                    example::gm(v), example::gm(out), kHeads, kLength);

  for (std::size_t row = 0; row < kHeads * kLength; row += 37) {
    const std::size_t head = row / kLength * kLength;
    std::vector<double> weights(kLength), expected(kDepth, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < kLength; ++j) {
      double score = 0;
      for (std::size_t d = 0; d < kDepth; ++d) {
        score += double{q[row * kDepth + d]} * double{k[(head + j) * kDepth + d]};
      }
      sum += weights[j] = std::exp(score / std::sqrt(double{kDepth}));
    }
    for (std::size_t j = 0; j < kLength; ++j) {
      for (std::size_t d = 0; d < kDepth; ++d) {
        expected[d] += weights[j] / sum * double{v[(head + j) * kDepth + d]};
      }
    }
    for (std::size_t d = 0; d < kDepth; ++d) {
      const double got = double{out[row * kDepth + d]};
      const bool wrong = !(std::abs(got - expected[d]) <= kTolerance);
      if (!example::right(wrong, "flash_attention", row * kDepth + d, expected[d], got)) {
        return false;
      }
    }
  }
  example::print("flash_attention", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, flash_attention);
}
