// Host side of reduce_sum: the vector, one launch on all vector cores, a check of the sum.
#include "examples/common/example.hpp"

namespace {

bool reduce_sum(example::Device& device) {
  const std::uint32_t blocks = device.soc().aiv_count();
  const std::uint32_t length = blocks * 64 * 199;  // not a whole number of tiles a block
  // Multiples of 1/4 whose sum, in any order, is exact in float.
  const auto x = example::tensor<float>(
      device, length, "x", [](auto i) { return (static_cast<float>(i % 11) - 5) / 4; });
  const auto sum = example::tensor<float>(device, 8, "sum", [](auto) { return -1; });
  const auto workspace =
      example::tensor<float>(device, blocks * 8, "workspace", [](auto) { return -1; });

  const auto report = device.launch("reduce_sum_custom", blocks, example::gm(x), example::gm(sum),
                                    example::gm(workspace), length);

  double expected = 0;
  for (const float value : x) expected += value;
  if (!example::right(sum[0] != expected, "reduce_sum", 0, expected, sum[0])) return false;
  example::print("reduce_sum", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, reduce_sum);
}
