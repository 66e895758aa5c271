// Batches in each of their layouts, callbacks for copies, and operands that lie in L1.
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulBatches : public MatmulTest {
 protected:
  static constexpr std::uint32_t kM = 40, kN = 48, kK = 80, kBatch = 3;
  enum Layout : int { kNormal, kBsngd, kSbngd, kBngs1s2 };

  /// Element (row, col) of matrix `batch` of 3 x rows x cols; three heads are the axis N.
  static std::size_t place(Layout layout, std::uint32_t batch, std::uint32_t row, std::uint32_t col,
                           std::uint32_t rows, std::uint32_t cols) {
    if (layout == kBsngd || layout == kSbngd) return (row * kBatch + batch) * cols + col;
    return (std::size_t{batch} * rows + row) * cols + col;
  }

  void batches(Layout layout, MatmulUse use, bool bias) {
    SCOPED_TRACE(::testing::Message() << "layout " << layout << ", use " << static_cast<int>(use));
    const std::uint32_t of_b = use == MatmulUse::kPartial ? 1 : kBatch;
    std::vector<TestMatrix> a, b;
    for (std::uint32_t i = 0; i < kBatch; ++i) a.push_back(test_matrix(kM, kK, i + 1));
    for (std::uint32_t i = 0; i < kBatch; ++i) b.push_back(test_matrix(kK, kN, i % of_b + 7));
    auto* in_a = global<isa::half>(kBatch * kM * kK, "a", [](std::size_t) { return isa::half(0); });
    auto* in_b = global<isa::half>(kBatch * kK * kN, "b", [](std::size_t) { return isa::half(0); });
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      for (std::uint32_t k = 0; k < kK; ++k) {
        for (std::uint32_t m = 0; m < kM; ++m) {
          in_a[place(layout, i, m, k, kM, kK)] = isa::half(static_cast<float>(a[i].at(m, k)));
        }
        for (std::uint32_t n = 0; n < kN && i < of_b; ++n) {
          in_b[place(layout, i, k, n, kK, kN)] = isa::half(static_cast<float>(b[i].at(k, n)));
        }
      }
    }
    auto* in_bias = global<float>(kN, "bias", [](std::size_t i) { return float(i % 5) - 2; });
    auto* out = global<float>(kBatch * kM * kN, "c", [](std::size_t) { return -1.f; });
    MatmulTestCall call;
    call.variant = layout;
    call.use = use;
    call.bias = bias;
    call.tiling = batch_tiling(layout, of_b, bias);
    device().launch("batches", 1, bytes(in_a), bytes(in_b), bytes(in_bias), bytes(out),
                    static_cast<std::uint8_t*>(nullptr), call);
    for (std::uint32_t i = 0; i < kBatch; ++i) {
      for (std::uint32_t m = 0; m < kM; ++m) {
        for (std::uint32_t n = 0; n < kN; ++n) {
          const float expected =
              static_cast<float>(product(a[i], b[i], m, n)) + (bias ? float(n % 5) - 2 : 0);
          ASSERT_EQ(out[place(layout, i, m, n, kM, kN)], expected)
              << "batch " << i << ", row " << m << ", column " << n;
        }
      }
    }
    expect_clean();
  }
  /// What the host makes of matrices one behind the other, or of three heads of one batch, whose
  /// sizes the layouts say.
  static Tiling batch_tiling(Layout layout, std::uint32_t of_b, bool bias) {
    matmul_tiling::BatchMatmulTiling api;
    const auto type = DataType::DT_FLOAT16;
    api.SetAType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, false);
    api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, false);
    api.SetCType(matmul_tiling::TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT);
    if (layout == kNormal) {
      api.SetBatchInfoForNormal(kBatch, static_cast<int>(of_b), kM, kN, kK);
    } else {
      api.SetALayout(1, kM, kBatch, 1, kK);
      api.SetBLayout(1, kK, kBatch, 1, kN);
      api.SetCLayout(1, kM, kBatch, 1, kN);
      api.SetBatchNum(kBatch);
    }
    api.EnableBias(bias);
    api.SetFixSplit(16, 32, 32);
    Tiling t;
    EXPECT_EQ(api.GetTiling(t), 0);
    EXPECT_EQ((std::vector<int>{t.M, t.N, t.Ka, t.BatchNum}),
              (std::vector<int>{kM, kN, kK, kBatch}));
    return t;
  }

  /// One product by variant `variant`; A and B have pitches that the tiling does not know.
  void single(int variant, std::uint32_t extra) {
    const TestMatrix a = test_matrix(kM, kK, 1), b = test_matrix(kK, kN, 2);
    const std::uint64_t pitches[] = {kK + extra, kN + extra, kN};
    const auto wide = [&](const TestMatrix& matrix, std::uint64_t pitch) {
      auto* data =
          global<isa::half>(matrix.rows * pitch, "in", [](std::size_t) { return isa::half(9); });
      for (std::uint32_t r = 0; r < matrix.rows; ++r) {
        for (std::uint32_t c = 0; c < matrix.cols; ++c) {
          data[r * pitch + c] = isa::half(static_cast<float>(matrix.at(r, c)));
        }
      }
      return bytes(data);
    };
    auto* words = global<std::uint64_t>(3, "pitches", [&](std::size_t i) { return pitches[i]; });
    auto* out = global<float>(kM * pitches[2], "c", [](std::size_t) { return -1.f; });
    MatmulTestCall call;
    call.variant = variant;
    call.tiling = tiling(DataType::DT_FLOAT16, kM, kN, kK, [](auto& api) {
      api.SetFixSplit(16, 32, 32);
      api.SetBufferSpace(64 * 1024, -1, -1);
    });
    device().launch("batches", 1, wide(a, pitches[0]), wide(b, pitches[1]),
                    static_cast<std::uint8_t*>(nullptr), bytes(out), bytes(words), call);
    for (std::uint32_t r = 0; r < kM; ++r) {
      for (std::uint32_t c = 0; c < pitches[2]; ++c) {
        const float expected = c < kN ? static_cast<float>(product(a, b, r, c)) : -1.f;
        ASSERT_EQ(out[r * pitches[2] + c], expected) << "row " << r << ", column " << c;
      }
    }
    expect_clean();
  }
};

TEST_F(MatmulBatches, LieInEachLayout) {
  for (const Layout layout : {kNormal, kBsngd, kSbngd, kBngs1s2}) {
    batches(layout, MatmulUse::kAll, false);
  }
  batches(kBsngd, MatmulUse::kAll, true);
  batches(kNormal, MatmulUse::kBlocks, true);
  batches(kNormal, MatmulUse::kPartial, false);
  batches(kNormal, MatmulUse::kNBatch, true);
}

TEST_F(MatmulBatches, CallbacksReplaceTheCopies) {
  single(4, 16);
}

TEST_F(MatmulBatches, AnOperandMayLieInL1) {
  single(5, 0);
}

}  // namespace
}  // namespace davsim::test
