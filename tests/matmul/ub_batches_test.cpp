// Batches of mixed kernels whose operands lie in UB, in each layout.
#include "tests/matmul/kernels/ub_batches_call.h"
#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulUbBatches : public MatmulTest {
 protected:
  static constexpr std::uint32_t kM = 32, kN = 48, kK = 80, kBatch = 3, kCores = 2;

  struct Case {
    UbBatches variant;
    std::uint32_t batch_b = kBatch;
    bool bias = false, again = false;
  };

  /// Element (row, col) of matrix `batch` as an operand stores it, in the part of a vector core.
  static std::size_t place(UbBatches variant, std::uint32_t of, std::uint32_t batch,
                           std::uint32_t row, std::uint32_t col, std::uint32_t rows,
                           std::uint32_t cols) {
    if (variant == UbBatches::kBsngd || variant == UbBatches::kSbngd) {
      return (std::size_t{row} * of + batch) * cols + col;
    }
    if (variant == UbBatches::kFractals) {
      const std::size_t high = (rows + 15) / 16 * 16, wide = (cols + 31) / 32 * 32;
      return batch * high * wide + col / 32 * high * 32 + row * 32 + col % 32;
    }
    return (std::size_t{batch} * rows + row) * cols + col;
  }
  /// Elements of the part of a vector core.
  static std::size_t part(UbBatches variant, std::uint32_t of, std::uint32_t rows,
                          std::uint32_t cols) {
    if (variant != UbBatches::kFractals) return std::size_t{of} * rows * cols;
    return std::size_t{of} * ((rows + 15) / 16 * 16) * ((cols + 31) / 32 * 32);
  }

  template <class T, class C>
  void run(const Case& test) {
    SCOPED_TRACE(::testing::Message() << "variant " << static_cast<int>(test.variant));
    // B is stored transposed.
    std::vector<TestMatrix> a, b;
    const std::size_t part_a = part(test.variant, kBatch, kM, kK),
                      part_b = part(test.variant, test.batch_b, kN, kK);
    auto* in_a = global<T>(kCores * part_a, "a", [](std::size_t) { return T(0); });
    auto* in_b = global<T>(kCores * part_b, "b", [](std::size_t) { return T(0); });
    for (std::uint32_t core = 0; core < kCores; ++core) {
      for (std::uint32_t i = 0; i < kBatch; ++i) {
        a.push_back(test_matrix(kM, kK, core * 31 + i + 1));
        b.push_back(test_matrix(kN, kK, core * 31 + i % test.batch_b + 7));
        for (std::uint32_t k = 0; k < kK; ++k) {
          for (std::uint32_t m = 0; m < kM; ++m) {
            in_a[core * part_a + place(test.variant, kBatch, i, m, k, kM, kK)] =
                T(static_cast<float>(a.back().at(m, k)));
          }
          for (std::uint32_t n = 0; n < kN && i < test.batch_b; ++n) {
            in_b[core * part_b + place(test.variant, test.batch_b, i, n, k, kN, kK)] =
                T(static_cast<float>(b.back().at(n, k)));
          }
        }
      }
    }
    const auto bias = [](std::size_t i) { return static_cast<float>(i % 11) - 5; };
    auto* in_bias = global<float>(kCores * kBatch * kN, "bias", bias);
    const std::size_t part_c = std::size_t{kBatch} * kM * kN;
    auto* out = global<C>(kCores * part_c, "c", [](std::size_t) { return C(-1); });
    device().launch("ub_batches", 1u, bytes(in_a), bytes(in_b), bytes(in_bias), bytes(out),
                    call_of<T>(test, part_a, part_b));
    const UbBatches of_c = test.variant == UbBatches::kFractals ? UbBatches::kNormal : test.variant;
    for (std::size_t at = 0; at < kCores * part_c; ++at) {
      const auto n = static_cast<std::uint32_t>(at % kN),
                 m = static_cast<std::uint32_t>(at / kN % kM);
      const auto batch = static_cast<std::uint32_t>(at / kN / kM);  // over both cores
      int sum = test.bias ? static_cast<int>(bias(batch * kN + n)) : 0;
      for (std::uint32_t k = 0; k < kK; ++k) sum += a[batch].at(m, k) * b[batch].at(n, k);
      ASSERT_EQ(out[batch / kBatch * part_c + place(of_c, kBatch, batch % kBatch, m, n, kM, kN)],
                static_cast<C>(sum))
          << "batch " << batch << ", row " << m << ", column " << n;
    }
    expect_clean();
  }

  template <class T>
  UbBatchesCall call_of(const Case& test, std::size_t part_a, std::size_t part_b) {
    UbBatchesCall call;
    call.variant = test.variant;
    call.batch_a = kBatch;
    call.batch_b = test.batch_b;
    call.bias = test.bias;
    call.again = test.again;
    call.bytes_a = static_cast<std::uint32_t>(part_a * sizeof(T));
    call.bytes_b = static_cast<std::uint32_t>(part_b * sizeof(T));
    call.bytes_bias = kBatch * kN * sizeof(float);
    call.elements_c = kBatch * kM * kN;
    const DataType type = sizeof(T) == 1 ? DataType::DT_INT8 : DataType::DT_FLOAT16;
    call.tiling = tiling(type, kM, kN, kK, [&](auto& api) {
      api.SetBType(matmul_tiling::TPosition::GM, CubeFormat::ND, type, true);
      api.EnableBias(test.bias);
      api.SetFixSplit(16, 32, 32);
    });
    Tiling& t = call.tiling;
    t.ALayoutInfoB = t.ALayoutInfoG = t.BLayoutInfoB = t.BLayoutInfoG = t.CLayoutInfoB =
        t.CLayoutInfoG = 1;
    t.ALayoutInfoN = t.CLayoutInfoN = kBatch;
    t.BLayoutInfoN = static_cast<int>(test.batch_b);
    t.ALayoutInfoS = t.CLayoutInfoS1 = kM;
    t.ALayoutInfoD = t.BLayoutInfoD = kK;
    t.BLayoutInfoS = t.CLayoutInfoS2 = kN;
    t.BatchNum = kBatch;
    return call;
  }
};

TEST_F(MatmulUbBatches, LieInEachLayout) {
  for (const UbBatches variant :
       {UbBatches::kNormal, UbBatches::kBsngd, UbBatches::kSbngd, UbBatches::kBngs1s2}) {
    run<isa::half, float>({variant});
    run<isa::half, float>({variant, 1});
  }
}

TEST_F(MatmulUbBatches, HaveABiasEachAndResultsInUb) {
  run<isa::half, float>({UbBatches::kNormal, kBatch, true});
  run<isa::half, float>({UbBatches::kToUb, kBatch, true});
}

TEST_F(MatmulUbBatches, AreSentWholeBehindASingleProduct) {
  run<isa::half, float>({UbBatches::kNormal, kBatch, false, true});
}

/// Rows of 80 numbers of a byte are padded to 96.
TEST_F(MatmulUbBatches, MayBeFractals) {
  run<std::int8_t, std::int32_t>({UbBatches::kFractals});
}

}  // namespace
}  // namespace davsim::test
