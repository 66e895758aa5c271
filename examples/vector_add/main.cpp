// Host side of vector_add: three tensors in global memory, one launch, a check of every element.
#include "examples/common/example.hpp"

namespace {

using example::half;

constexpr std::uint32_t kBlocks = 8;
constexpr std::uint32_t kLength = kBlocks * 16 * 2500;  // not a whole number of tiles a block

bool add(example::Device& device) {
  const auto x =
      example::tensor<half>(device, kLength, "x", [](auto i) { return i % 1000 * 0.25f; });
  const auto y =
      example::tensor<half>(device, kLength, "y", [](auto i) { return i % 777 * -0.125f; });
  const auto z = example::tensor<half>(device, kLength, "z", [](auto) { return 0; });

  const auto report =
      device.launch("add_custom", kBlocks, example::gm(x), example::gm(y), example::gm(z), kLength);

  for (std::size_t i = 0; i < kLength; ++i) {
    const half expected = float(x[i]) + float(y[i]);
    if (!example::right(z[i].bits != expected.bits, "vector_add", i, expected, z[i])) return false;
  }
  example::print("vector_add", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, add);
}
