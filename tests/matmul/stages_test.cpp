// Kernels that call REGIST_MATMUL_OBJ once for each of their stages.
#include "tests/matmul/kernels/stages_call.h"
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulStages : public MatmulTest {
 protected:
  static constexpr std::uint32_t kSide = 64, kColumns = 80;

  float* stages(StagesUse use) {
    const TestMatrix a = test_matrix(kSide, kSide, 1), b = test_matrix(kSide, kColumns, 2);
    StagesCall call;
    call.use = use;
    call.tiling = tiling(DataType::DT_FLOAT16, kSide, kColumns, kSide, [](auto&) {});
    call.turned = tiling(DataType::DT_FLOAT16, kSide, kColumns, kSide, [](auto& api) {
      api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, true);
    });
    float* out = global<float>(kSide * kColumns, "c", [](std::size_t) { return 0.f; });
    device().launch("stages", 1, bytes(stored<isa::half>(a, false, 0)),
                    bytes(stored<isa::half>(b, false, 0)), bytes(out), call);
    return out;
  }
  static int expected(std::uint32_t row, std::uint32_t col) {
    const TestMatrix a = test_matrix(kSide, kSide, 1), b = test_matrix(kSide, kColumns, 2);
    int sum = 2 * product(a, b, row, col);
    for (std::uint32_t k = 0; k < kSide; ++k) sum += a.at(k, row) * b.at(k, col);
    return sum;
  }
};

TEST_F(MatmulStages, EachStageIsServedAnew) {
  for (const std::uint32_t key : {0u, 11u}) {
    device().set_tiling_key(key);
    for (const StagesUse use :
         {StagesUse::kObjectOfAStage, StagesUse::kObjectOfAll, StagesUse::kObjectsOfAll}) {
      SCOPED_TRACE(::testing::Message() << "use " << static_cast<int>(use) << ", key " << key);
      const float* out = stages(use);
      for (std::uint32_t row = 0; row < kSide; ++row) {
        for (std::uint32_t col = 0; col < kColumns; ++col) {
          ASSERT_EQ(out[row * kColumns + col], expected(row, col)) << row << ", " << col;
        }
      }
      expect_clean();
    }
  }
}

TEST_F(MatmulStages, AnObjectOfAnEarlierStageIsServedNoMore) {
  const isa::Fault fault = fault_of([&] { stages(StagesUse::kLeftBehind); });
  EXPECT_NE(std::string(fault.what()).find("a later REGIST_MATMUL_OBJ has other objects"),
            std::string::npos)
      << fault.what();
}

}  // namespace
}  // namespace davsim::test
