// Products of matrices against sums of the host.
#include <cmath>

#include "lists/products.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::products {
namespace {

/// A matrix of the host: `at` may stand for any view.
struct Matrix {
  std::int64_t rows, cols;
  Numbers values;
  double at(std::int64_t row, std::int64_t col) const {
    return values[static_cast<std::size_t>(row * cols + col)];
  }
};

Matrix matrix(std::int64_t rows, std::int64_t cols, aclDataType type, double low = -1,
              double high = 1) {
  Matrix made{rows, cols, spread(static_cast<std::size_t>(rows * cols), low, high)};
  for (double& value : made.values) value = as_type(value, type);
  return made;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{a.rows, b.cols, Numbers(static_cast<std::size_t>(a.rows * b.cols))};
  for (std::int64_t i = 0; i < a.rows; ++i) {
    for (std::int64_t k = 0; k < a.cols; ++k) {
      for (std::int64_t j = 0; j < b.cols; ++j) {
        c.values[static_cast<std::size_t>(i * b.cols + j)] += a.at(i, k) * b.at(k, j);
      }
    }
  }
  return c;
}

Matrix transpose(const Matrix& of) {
  Matrix made{of.cols, of.rows, {}};
  for (std::int64_t i = 0; i < of.cols; ++i) {
    for (std::int64_t j = 0; j < of.rows; ++j) made.values.push_back(of.at(j, i));
  }
  return made;
}

double tolerance_of(aclDataType type) {
  return type == ACL_FLOAT ? 1e-5 : type == ACL_FLOAT16 ? 2e-3 : 1e-2;
}

class ProductsTest : public BasicTest {};

TEST_F(ProductsTest, OfAllTypes) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Matrix a = matrix(70, 130, type), b = matrix(130, 45, type);
    const DeviceTensor self({70, 130}, a.values, type), mat2({130, 45}, b.values, type);
    const DeviceTensor out({70, 45}, Numbers(70 * 45), type);
    ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 0), ACL_SUCCESS) << last_error();
    expect_near(out.values(), product(a, b).values, tolerance_of(type));
  }
}

TEST_F(ProductsTest, WholeNumbersAreExact) {
  Matrix a = matrix(33, 200, ACL_INT8, -128, 128), b = matrix(200, 40, ACL_INT8, -128, 128);
  const DeviceTensor self({33, 200}, a.values, ACL_INT8), mat2({200, 40}, b.values, ACL_INT8);
  const DeviceTensor out({33, 40}, Numbers(33 * 40), ACL_INT32);
  ASSERT_EQ(DAVSIM_CALL(Mm, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), product(a, b).values);
}

TEST_F(ProductsTest, TransposedAndWithPitch) {
  const Matrix a = matrix(40, 64, ACL_FLOAT16), b = matrix(64, 50, ACL_FLOAT16);
  const Matrix expected = product(a, b);
  // a as the transpose of 64 x 40, b as the first 50 of 80 columns.
  const DeviceTensor self({40, 64}, {1, 40}, 0, transpose(a).values, ACL_FLOAT16);
  Numbers wide(64 * 80, 99);
  for (std::int64_t i = 0; i < 64; ++i) {
    for (std::int64_t j = 0; j < 50; ++j) wide[static_cast<std::size_t>(i * 80 + j)] = b.at(i, j);
  }
  const DeviceTensor mat2({64, 50}, {80, 1}, 0, wide, ACL_FLOAT16);
  const DeviceTensor out({40, 50}, Numbers(2000), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), expected.values, 2e-3);
  // A result with strides of its own.
  const DeviceTensor turned({40, 50}, {1, 40}, 0, Numbers(2000), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, turned, 0), ACL_SUCCESS) << last_error();
  expect_near(turned.values(), expected.values, 2e-3);
}

TEST_F(ProductsTest, BatchesAreRepeated) {
  constexpr std::int64_t kBatches = 3, kHeads = 2, kRows = 17, kDepth = 32, kColumns = 20;
  const Matrix a = matrix(kBatches * kHeads * kRows, kDepth, ACL_FLOAT16);
  const Matrix b = matrix(kHeads * kDepth, kColumns, ACL_FLOAT16);
  const DeviceTensor self({kBatches, kHeads, kRows, kDepth}, a.values, ACL_FLOAT16);
  const DeviceTensor mat2({kHeads, kDepth, kColumns}, b.values, ACL_FLOAT16);
  const DeviceTensor out({kBatches, kHeads, kRows, kColumns},
                         Numbers(kBatches * kHeads * kRows * kColumns), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 1), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (std::int64_t row = 0; row < a.rows; ++row) {
    const std::int64_t head = row / kRows % kHeads;
    for (std::int64_t column = 0; column < kColumns; ++column) {
      double sum = 0;
      for (std::int64_t k = 0; k < kDepth; ++k)
        sum += a.at(row, k) * b.at(head * kDepth + k, column);
      expected.push_back(sum);
    }
  }
  expect_near(out.values(), expected, 2e-3);
}

TEST_F(ProductsTest, OneMatrixForAllBatches) {
  const Matrix a = matrix(3 * 17, 32, ACL_FLOAT16), b = matrix(32, 20, ACL_FLOAT16);
  const DeviceTensor self({3, 17, 32}, a.values, ACL_FLOAT16),
      mat2({32, 20}, b.values, ACL_FLOAT16);
  const DeviceTensor out({3, 17, 20}, Numbers(3 * 17 * 20), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), product(a, b).values, 2e-3);
}

TEST_F(ProductsTest, BatchesOfViews) {
  // Heads of attention: [rows, heads, depth] seen as [heads, rows, depth].
  constexpr std::int64_t kHeads = 4, kRows = 20, kDepth = 16;
  const Matrix q = matrix(kRows * kHeads, kDepth, ACL_FLOAT16),
               k = matrix(kRows * kHeads, kDepth, ACL_FLOAT16);
  const DeviceTensor left({kHeads, kRows, kDepth}, {kDepth, kHeads * kDepth, 1}, 0, q.values,
                          ACL_FLOAT16);
  const DeviceTensor right({kHeads, kDepth, kRows}, {kDepth, 1, kHeads * kDepth}, 0, k.values,
                           ACL_FLOAT16);
  const DeviceTensor out({kHeads, kRows, kRows}, Numbers(kHeads * kRows * kRows), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(BatchMatMul, left, right, out, 0), ACL_SUCCESS) << last_error();
  Numbers expected;
  for (std::int64_t h = 0; h < kHeads; ++h) {
    for (std::int64_t i = 0; i < kRows; ++i) {
      for (std::int64_t j = 0; j < kRows; ++j) {
        double sum = 0;
        for (std::int64_t d = 0; d < kDepth; ++d)
          sum += q.at(i * kHeads + h, d) * k.at(j * kHeads + h, d);
        expected.push_back(sum);
      }
    }
  }
  expect_near(out.values(), expected, 2e-3);
}

TEST_F(ProductsTest, Vectors) {
  const Matrix a = matrix(9, 33, ACL_FLOAT), x = matrix(33, 1, ACL_FLOAT);
  const DeviceTensor mat({9, 33}, a.values), vec({33}, x.values), out({9}, Numbers(9)),
      one({}, {0});
  ASSERT_EQ(DAVSIM_CALL(Mv, mat, vec, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), product(a, x).values, 1e-5);
  ASSERT_EQ(DAVSIM_CALL(Dot, vec, vec, one), ACL_SUCCESS) << last_error();
  expect_near(one.values(), product(transpose(x), x).values, 1e-5);
  const Scalar alpha(2), beta(-1);
  const DeviceTensor self({9}, Numbers(9, 3));
  ASSERT_EQ(DAVSIM_CALL(Addmv, self, mat, vec, alpha, beta, out, 0), ACL_SUCCESS) << last_error();
  Numbers expected = product(a, x).values;
  for (double& value : expected) value = 2 * value - 3;
  expect_near(out.values(), expected, 1e-5);
}

TEST_F(ProductsTest, ScaledAndAdded) {
  const Matrix a = matrix(20, 30, ACL_FLOAT16), b = matrix(30, 40, ACL_FLOAT16);
  const Matrix bias = matrix(1, 40, ACL_FLOAT16), c = matrix(20, 40, ACL_FLOAT16);
  const DeviceTensor mat1({20, 30}, a.values, ACL_FLOAT16), mat2({30, 40}, b.values, ACL_FLOAT16);
  const DeviceTensor row({40}, bias.values, ACL_FLOAT16), self({20, 40}, c.values, ACL_FLOAT16);
  const DeviceTensor out({20, 40}, Numbers(800), ACL_FLOAT16);
  const Scalar one(1), two(2), half(0.5), none(0);
  const Matrix ab = product(a, b);
  const auto expected = [&](auto of) {
    Numbers values;
    for (std::int64_t i = 0; i < 20; ++i) {
      for (std::int64_t j = 0; j < 40; ++j) values.push_back(of(i, j));
    }
    return values;
  };
  ASSERT_EQ(DAVSIM_CALL(Addmm, row, mat1, mat2, one, one, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), expected([&](auto i, auto j) { return ab.at(i, j) + bias.at(0, j); }),
              2e-3);
  ASSERT_EQ(DAVSIM_CALL(Addmm, self, mat1, mat2, half, two, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(),
              expected([&](auto i, auto j) { return 2 * ab.at(i, j) + 0.5 * c.at(i, j); }), 2e-3);
  ASSERT_EQ(DAVSIM_CALL(InplaceAddmm, self, mat1, mat2, none, one, 0), ACL_SUCCESS) << last_error();
  expect_near(self.values(), ab.values, 2e-3);
  const DeviceTensor left({30, 20}, transpose(a).values, ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Gemm, left, mat2, row, 1.0F, 1.0F, 1, 0, out, 0), ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), expected([&](auto i, auto j) { return ab.at(i, j) + bias.at(0, j); }),
              2e-3);
}

TEST_F(ProductsTest, SumsOfBatches) {
  const Matrix a = matrix(3 * 10, 16, ACL_FLOAT), b = matrix(3 * 16, 12, ACL_FLOAT);
  const DeviceTensor batch1({3, 10, 16}, a.values), batch2({3, 16, 12}, b.values);
  const DeviceTensor self({10, 12}, Numbers(120, 1)), out({10, 12}, Numbers(120));
  const Scalar one(1);
  ASSERT_EQ(DAVSIM_CALL(Addbmm, self, batch1, batch2, one, one, out, 0), ACL_SUCCESS)
      << last_error();
  Numbers expected;
  for (std::int64_t i = 0; i < 10; ++i) {
    for (std::int64_t j = 0; j < 12; ++j) {
      double sum = 1;
      for (std::int64_t n = 0; n < 3; ++n) {
        for (std::int64_t k = 0; k < 16; ++k) sum += a.at(n * 10 + i, k) * b.at(n * 16 + k, j);
      }
      expected.push_back(sum);
    }
  }
  expect_near(out.values(), expected, 1e-5);
}

TEST_F(ProductsTest, BeyondTheKernelsExtents) {
  // More columns than rows may lie apart, and than one call of the kernel computes.
  constexpr std::int64_t kDepth = 16, kColumns = 66000;
  const Matrix a = matrix(2, kDepth, ACL_FLOAT16), b = matrix(kDepth, kColumns, ACL_FLOAT16);
  const DeviceTensor self({2, kDepth}, a.values, ACL_FLOAT16),
      mat2({kDepth, kColumns}, b.values, ACL_FLOAT16);
  const DeviceTensor out({2, kColumns}, Numbers(2 * kColumns), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), product(a, b).values, 2e-3);
  // A depth beyond one call, which is added up in float.
  const Matrix deep = matrix(2, 20000, ACL_FLOAT16), tall = matrix(20000, 3, ACL_FLOAT16);
  const DeviceTensor left({2, 20000}, deep.values, ACL_FLOAT16),
      right({20000, 3}, tall.values, ACL_FLOAT16);
  const DeviceTensor sums({2, 3}, Numbers(6), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(Matmul, left, right, sums, 0), ACL_SUCCESS) << last_error();
  expect_near(sums.values(), product(deep, tall).values, 5e-3);
}

TEST_F(ProductsTest, WithoutElements) {
  const DeviceTensor self({4, 0}, {}), mat2({0, 5}, {}), out({4, 5}, Numbers(20, 7));
  ASSERT_EQ(DAVSIM_CALL(Matmul, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers(20, 0));
  const DeviceTensor none({0, 5}, {}), square({5, 5}, Numbers(25)), empty({0, 5}, {});
  EXPECT_EQ(DAVSIM_CALL(Matmul, none, square, empty, 0), ACL_SUCCESS) << last_error();
}

TEST_F(ProductsTest, RefusesWhatBreaksARule) {
  const DeviceTensor a({2, 3}, Numbers(6)), b({4, 5}, Numbers(20)), c({3, 5}, Numbers(15));
  const DeviceTensor whole({3, 5}, Numbers(15), ACL_INT32), out({2, 5}, Numbers(10));
  EXPECT_EQ(DAVSIM_CALL(Matmul, a, nullptr, out, 0), 161001);
  EXPECT_EQ(DAVSIM_CALL(Matmul, a, b, out, 0), 161002);
  EXPECT_NE(last_error().find("[4,5]"), std::string::npos) << last_error();
  EXPECT_EQ(DAVSIM_CALL(Matmul, a, whole, out, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(Matmul, a, c, out, 4), 161002);
  EXPECT_EQ(DAVSIM_CALL(Matmul, a, c, c, 0), 161002);
  EXPECT_EQ(DAVSIM_CALL(BatchMatMul, a, c, out, 0), 161002);
}

}  // namespace
}  // namespace davsim::test::products
