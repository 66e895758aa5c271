// Triangles, parts, fractals of 8 columns, results in L0C, and operands that vector cores put into
// L1 of their cube core.
#include "tests/matmul/kernels/forms_call.h"
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulForms : public MatmulTest {
 protected:
  static constexpr std::uint32_t kBase = 32;

  /// `keep` says which base blocks of C are written; the others stay as they are.
  template <class Keep>
  void run(FormsUse use, std::uint32_t m, std::uint32_t n, std::uint32_t k, Keep keep) {
    const bool in_parts = use == FormsUse::kParts || use == FormsUse::kPartsMixed;
    const float before = in_parts ? 0.f : -1.f;
    SCOPED_TRACE(::testing::Message() << "use " << static_cast<int>(use));
    const bool on_cube = use <= FormsUse::kCo1;
    const TestMatrix a = test_matrix(m, k, 1), b = test_matrix(k, n, 2);
    FormsCall call;
    call.use = use;
    call.tiling = tiling(DataType::DT_FLOAT16, m, n, k, [&](auto& api) {
      if (!on_cube && !in_parts) {
        api.SetAType(matmul_tiling::TPosition::TSCM, CubeFormat::NZ, DataType::DT_FLOAT16, false);
        api.SetDim(2);
        api.SetSingleShape(static_cast<int>(m / 2), -1, -1);
      }
      api.SetFixSplit(kBase, kBase, in_parts ? 16 : -1);
    });
    float* out = global<float>(std::size_t{m} * n, "c", [&](std::size_t) { return before; });
    const std::uint32_t c0 = use == FormsUse::kScm ? 16 : 0;
    device().launch("forms", 1, bytes(stored<isa::half>(a, false, c0)),
                    bytes(stored<isa::half>(b, false, 0)), bytes(out), call);
    for (std::uint32_t row = 0; row < m; ++row) {
      for (std::uint32_t col = 0; col < n; ++col) {
        const bool kept = keep(row / kBase, col / kBase);
        const float expected = kept ? static_cast<float>(product(a, b, row, col)) : before;
        const std::size_t at = use == FormsUse::kSplit
                                   ? std::size_t{col / 8} * m * 8 + row * 8 + col % 8
                                   : std::size_t{row} * n + col;
        ASSERT_EQ(out[at], expected) << "row " << row << ", column " << col;
      }
    }
    expect_clean();
  }
};

TEST_F(MatmulForms, LeavesTheOtherTriangleAlone) {
  run(FormsUse::kUpper, 112, 150, 80, [](auto row, auto col) { return row <= col; });
  run(FormsUse::kLower, 150, 112, 80, [](auto row, auto col) { return row >= col; });
}

TEST_F(MatmulForms, SplitsFractalsOfCInTwo) {
  run(FormsUse::kSplit, 80, 88, 80, [](auto, auto) { return true; });
}

TEST_F(MatmulForms, GivesStepsOfKByThemselves) {
  run(FormsUse::kParts, 60, 72, 100, [](auto, auto) { return true; });
  run(FormsUse::kPartsMixed, 60, 72, 100, [](auto, auto) { return true; });
}

TEST_F(MatmulForms, LeavesBlocksInL0c) {
  run(FormsUse::kCo1, 32, 128, 80, [](auto, auto) { return true; });
}

TEST_F(MatmulForms, ReadsWhatVectorCoresPutIntoL1) {
  for (const FormsUse use : {FormsUse::kScm, FormsUse::kScmNd2Nz, FormsUse::kScmFromUb,
                             FormsUse::kScmPadFromUb, FormsUse::kScmPadShort}) {
    run(use, 64, 96, 48, [](auto, auto) { return true; });
  }
}

/// Batches as BatchMatmulTiling describes them: those of MultiCoreMatmulTiling on one core.
TEST_F(MatmulForms, TilesBatches) {
  matmul_tiling::BatchMatmulTiling api;
  api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, false);
  api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16, true);
  api.SetShape(32, 256, 64);
  api.SetOrgShape(32, 256, 64);
  api.SetALayout(2, 32, 1, 3, 64);
  api.SetBLayout(2, 256, 1, 3, 64);
  api.SetCLayout(2, 32, 1, 3, 256);
  api.SetBatchNum(3);
  Tiling t;
  ASSERT_EQ(api.GetTiling(t), 0);
  EXPECT_EQ(t.usedCoreNum, 1);
  EXPECT_EQ((std::vector<int>{t.singleCoreM, t.singleCoreN, t.singleCoreK}),
            (std::vector<int>{32, 256, 64}));
  EXPECT_EQ((std::vector<int>{t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG,
                              t.ALayoutInfoD}),
            (std::vector<int>{2, 32, 1, 3, 64}));
  EXPECT_EQ((std::vector<int>{t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG,
                              t.BLayoutInfoD}),
            (std::vector<int>{2, 256, 1, 3, 64}));
  EXPECT_EQ((std::vector<int>{t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG,
                              t.CLayoutInfoS2}),
            (std::vector<int>{2, 32, 1, 3, 256}));
  EXPECT_EQ(t.BatchNum, 3);
}

}  // namespace
}  // namespace davsim::test
