// Products of a B of which two of every four elements along k are kept.
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulSparse : public MatmulTest {
 protected:
  static constexpr std::uint32_t kRows = 70, kColumns = 100, kDepth = 320;

  /// Places of the two elements of group `group` of column `column` that are kept.
  static std::pair<std::uint32_t, std::uint32_t> kept(std::uint32_t column, std::uint32_t group) {
    const std::uint32_t first = (column + group) % 3;
    return {first, first + 1 + (column * 7 + group) % (3 - first)};
  }
  static int element(std::uint32_t column, std::uint32_t k) {
    const auto [first, second] = kept(column, k / 4);
    return k % 4 == first || k % 4 == second ? static_cast<int>((column + k) % 15) - 7 : 0;
  }

  Tiling sparse_tiling() {
    matmul_tiling::MatmulApiTiling api;
    api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_INT8, false);
    api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_INT8, true);
    api.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_INT32);
    api.SetBiasType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_INT32);
    api.SetShape(kRows, kColumns, kDepth);
    api.SetOrgShape(kRows, kColumns, kDepth);
    api.EnableBias(true);
    EXPECT_EQ(api.SetSparse(true), 0);
    api.SetFixSplit(32, 48, 64);
    Tiling t;
    EXPECT_EQ(api.GetTiling(t), 0);
    return t;
  }

  std::int32_t* multiply(bool with_index) {
    constexpr std::uint32_t kHigh = (kColumns + 15) / 16 * 16;
    auto* a = stored<std::int8_t>(test_matrix(kRows, kDepth, 1), false, 0);
    auto* b = global<std::int8_t>(kColumns * kDepth / 2, "b", [](std::size_t) { return 0; });
    auto* index = global<std::uint8_t>(kHigh * kDepth / 8, "index", [](std::size_t) { return 0; });
    for (std::uint32_t column = 0; column < kColumns; ++column) {
      for (std::uint32_t group = 0; group < kDepth / 4; ++group) {
        const auto [first, second] = kept(column, group);
        std::int8_t* pair = b + (std::size_t{column} * kDepth / 4 + group) * 2;
        pair[0] = static_cast<std::int8_t>(element(column, group * 4 + first));
        pair[1] = static_cast<std::int8_t>(element(column, group * 4 + second));
        const std::uint32_t at = group / 16 * kHigh * 8 + column * 8 + group % 16 / 2;
        index[at] =
            static_cast<std::uint8_t>(index[at] | (first | (second - 1) << 2) << (group % 2 * 4));
      }
    }
    auto* bias = global<std::int32_t>(kColumns, "bias", [](std::size_t i) { return int(i) - 50; });
    auto* c = global<std::int32_t>(kRows * kColumns, "c", [](std::size_t) { return -1; });
    device().launch("sparse", 1, bytes(a), bytes(b), with_index ? index : nullptr, bytes(bias),
                    bytes(c), sparse_tiling());
    return c;
  }
};

TEST_F(MatmulSparse, TakesElementsOfAByTheIndicesOfB) {
  const std::int32_t* c = multiply(true);
  const TestMatrix a = test_matrix(kRows, kDepth, 1);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t col = 0; col < kColumns; ++col) {
      int sum = static_cast<int>(col) - 50;
      for (std::uint32_t k = 0; k < kDepth; ++k) sum += a.at(row, k) * element(col, k);
      ASSERT_EQ(c[row * kColumns + col], sum) << "row " << row << ", column " << col;
    }
  }
  expect_clean();
}

TEST_F(MatmulSparse, RefusesASparseMatrixWithoutIndices) {
  const isa::Fault fault = fault_of([&] { multiply(false); });
  EXPECT_NE(std::string(fault.what()).find("SetSparseIndex comes first"), std::string::npos)
      << fault.what();
}

}  // namespace
}  // namespace davsim::test
