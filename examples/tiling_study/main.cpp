// Host side of tiling_study: launches the kernel with every tiling, L2 cold each time, and prints
// which is fastest. A kernel's cycles are always the same, so one launch each is enough.
#include <algorithm>
#include <optional>

#include "examples/common/example.hpp"

namespace {

/// As in scale_custom.cpp.
struct ScaleTiling {
  std::uint32_t length, tile, buffers;
};

constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kLength = kBlocks * 65536;
constexpr float kScale = 0.5f;

/// Cycles of one tiling; nothing if the result is wrong.
std::optional<std::uint64_t> cycles_of(example::Device& device, const ScaleTiling& tiling,
                                       std::span<float> x, std::span<float> y) {
  std::fill(y.begin(), y.end(), -1.0f);
  device.flush_l2();
  const auto report =
      device.launch("scale_custom", kBlocks, example::gm(x), example::gm(y), kScale, tiling);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const float expected = x[i] * kScale;
    if (!example::right(y[i] != expected, "tiling_study", i, expected, y[i])) return std::nullopt;
  }
  const double bytes = 2.0 * sizeof(float) * kLength;
  std::printf("%8u  %7u  %8llu  %9.1f\n", tiling.tile, tiling.buffers,
              static_cast<unsigned long long>(report.cycles), bytes / report.time_us() / 1000);
  return report.cycles;
}

bool study(example::Device& device) {
  const auto x = example::tensor<float>(device, kLength, "x", [](auto i) { return i % 4096; });
  const auto y = example::tensor<float>(device, kLength, "y", [](auto) { return 0; });
  std::printf("    tile  buffers    cycles       GB/s\n");
  std::optional<std::uint64_t> best;
  ScaleTiling fastest{};
  for (const std::uint32_t tile : {512u, 2048u, 8192u, 12288u}) {
    for (const std::uint32_t buffers : {1u, 2u}) {
      const ScaleTiling tiling{kLength, tile, buffers};
      const auto cycles = cycles_of(device, tiling, x, y);
      if (!cycles) return false;
      if (best && *cycles >= *best) continue;
      best = cycles;
      fastest = tiling;
    }
  }
  std::printf("fastest: tiles of %u elements, %u buffers\n", fastest.tile, fastest.buffers);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, study);
}
