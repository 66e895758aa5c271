// Host side of flash_attention: two kernels, and attention in double precision.
#include <cmath>
#include <vector>

#include "examples/common/example.hpp"

namespace {

constexpr std::uint32_t kBlocks = 8, kHeads = 4, kLength = 512, kDepth = 64;
constexpr double kTolerance = 2e-3;  // absolute: results are averages of numbers below 1

/// `launch` is given the tensors.
template <class Launch>
bool flash_attention(example::Device& device, const char* name, Launch launch) {
  const auto numbers = [&](const char* name, std::size_t seed) {
    return example::tensor<example::half>(device, kHeads * kLength * kDepth, name, [=](auto i) {
      return example::half(static_cast<float>((i * seed) % 2003) / 1001.0f - 1.0f);
    });
  };
  const auto q = numbers("q", 7919), k = numbers("k", 6101), v = numbers("v", 4723);
  const auto out = example::tensor<example::half>(device, kHeads * kLength * kDepth, "out",
                                                  [](auto) { return example::half(-9.0f); });

  const auto report = launch(example::gm(q), example::gm(k), example::gm(v), example::gm(out));

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
      if (!example::right(wrong, name, row * kDepth + d, expected[d], got)) {
        return false;
      }
    }
  }
  example::print(name, report);
  return true;
}

bool both(example::Device& device) {
  constexpr std::uint32_t kWorkspacePerBlock = 448 << 10;  // bytes
  const auto workspace = example::tensor<std::uint8_t>(device, kBlocks * kWorkspacePerBlock,
                                                       "workspace", [](auto) { return 0; });
  const auto by_hand = [&](auto q, auto k, auto v, auto out) {
    return device.launch("flash_attention_by_hand", kBlocks, q, k, v, out, example::gm(workspace),
                         kHeads, kLength);
  };
  const auto library = [&](auto q, auto k, auto v, auto out) {
    return device.launch("flash_attention_custom", kBlocks, q, k, v, out, kHeads, kLength);
  };
  return flash_attention(device, "flash_attention_by_hand", by_hand) &&
         flash_attention(device, "flash_attention_custom", library);
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, both);
}
