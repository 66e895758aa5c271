// Matmul objects of mixed kernels: vector cores send messages, their cube core serves them.
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulMixed : public MatmulTest {
 protected:
  void leaky_relu(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t blocks) {
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    Tiling* t = global<Tiling>(1, "tiling", [](std::size_t) { return Tiling(); });
    *t = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      api.SetCType(matmul_tiling::TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
      api.EnableBias(true);
      api.SetDim(static_cast<int>(2 * blocks));
      api.SetFixSplit(64, 64, -1);
    });
    float* out = global<float>(std::size_t{m} * n, "c", [](std::size_t) { return -1.f; });
    float* bias = global<float>(n, "bias", [](std::size_t i) { return float(i % 5) - 2; });
    device().launch("leakyrelu", blocks, bytes(stored<isa::half>(a, false, 0)),
                    bytes(stored<isa::half>(b, false, 0)), bytes(bias), bytes(out),
                    static_cast<std::uint8_t*>(nullptr), bytes(t));
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        const float sum = static_cast<float>(product(a, b, row, col)) + float(col % 5) - 2;
        ASSERT_EQ(out[std::size_t{row} * n + col], sum < 0 ? 0.25f * sum : sum)
            << "row " << row << ", column " << col;
      }
    }
    expect_clean();
  }
};

TEST_F(MatmulMixed, VectorCoresWorkOnBlocksThatTheCubeCoreSendsThem) {
  leaky_relu(256, 128, 100, 1);
  leaky_relu(512, 640, 256, 4);
}

}  // namespace
}  // namespace davsim::test
