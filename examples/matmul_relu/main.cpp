// Host side of matmul_relu: matrices, bias and workspace, one launch, a check of every element.
#include <algorithm>

#include "examples/common/matmul_data.hpp"

namespace {

constexpr std::uint32_t kBlocks = 4, kM = 192, kN = 384, kK = 256;
constexpr std::uint32_t kWorkspacePerBlock = 2 * 64 * 64;  // floats

bool matmul_relu(example::Device& device) {
  const example::Matrices data = example::matrices(device, kM, kN, kK);
  const auto bias =
      example::tensor<float>(device, kN, "bias", [](auto i) { return float(i % 9) - 4; });
  const auto workspace = example::tensor<float>(device, kBlocks * kWorkspacePerBlock, "workspace",
                                                [](auto) { return 0; });

  const auto report =
      device.launch("matmul_relu_custom", kBlocks, example::gm(data.a), example::gm(data.b),
                    example::gm(bias), example::gm(data.c), example::gm(workspace), kM, kN, kK);

  for (std::size_t i = 0; i < data.c.size(); ++i) {
    const float expected = std::max(data.expected(i / kN, i % kN) + bias[i % kN], 0.f);
    if (!example::right(data.c[i] != expected, "matmul_relu", i, expected, data.c[i])) return false;
  }
  example::print("matmul_relu", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, matmul_relu);
}
