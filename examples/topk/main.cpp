// Host side of topk: the matrix, one launch, a check against std::sort.
#include <algorithm>
#include <functional>
#include <vector>

#include "examples/common/example.hpp"

namespace {

constexpr std::uint32_t kBlocks = 16, kRows = 40, kWidth = 2048, kK = 10;

bool topk(example::Device& device) {
  // No two numbers of a row are equal: every place is the only right one.
  const auto x = example::tensor<float>(device, kRows * kWidth, "x", [](auto i) {
    return static_cast<float>(static_cast<int>(i * 7919 % 4093) - 2046) / 16.0f;
  });
  const auto values = example::tensor<float>(device, kRows * kK, "values", [](auto) { return -1; });
  const auto places =
      example::tensor<std::uint32_t>(device, kRows * kK, "places", [](auto) { return 0; });

  const auto report = device.launch("topk_custom", kBlocks, example::gm(x), example::gm(values),
                                    example::gm(places), kRows, kWidth, kK);

  for (std::size_t row = 0; row < kRows; ++row) {
    const auto in = x.subspan(row * kWidth, kWidth);
    std::vector<float> sorted(in.begin(), in.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    for (std::size_t i = 0; i < kK; ++i) {
      const std::size_t at = row * kK + i;
      if (!example::right(values[at] != sorted[i], "value", at, sorted[i], values[at]))
        return false;
      const std::size_t place = std::find(in.begin(), in.end(), sorted[i]) - in.begin();
      if (!example::right(places[at] != place, "place", at, place, places[at])) return false;
    }
  }
  example::print("topk", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, topk);
}
