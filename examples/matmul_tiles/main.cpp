// Host side of matmul_tiles: two matrices, one launch, a check of every element.
#include "examples/common/matmul_data.hpp"

namespace {

constexpr std::uint32_t kBlocks = 6, kM = 256, kN = 384, kK = 320;

bool matmul(example::Device& device) {
  const example::Matrices data = example::matrices(device, kM, kN, kK);

  const auto report = device.launch("matmul_custom", kBlocks, example::gm(data.a),
                                    example::gm(data.b), example::gm(data.c), kM, kN, kK);

  for (std::size_t i = 0; i < data.c.size(); ++i) {
    const float expected = data.expected(i / kN, i % kN);
    if (!example::right(data.c[i] != expected, "matmul_tiles", i, expected, data.c[i])) {
      return false;
    }
  }
  example::print("matmul_tiles", report);
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run(argc, argv, matmul);
}
