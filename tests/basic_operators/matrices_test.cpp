// Diagonals, inverses and contractions against loops over all elements.
#include <cmath>

#include "lists/matrices.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::matrices {
namespace {

class MatricesTest : public BasicTest {};

Numbers counted(int count) {
  Numbers values;
  for (int i = 0; i < count; ++i) values.push_back(i);
  return values;
}

TEST_F(MatricesTest, Traces) {
  for (const aclDataType type :
       {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32, ACL_INT64}) {
    const aclDataType made = type == ACL_INT32 || type == ACL_INT64 ? ACL_INT64 : type;
    const DeviceTensor x({3, 4}, counted(12), type), out({}, {0}, made);
    ASSERT_EQ(DAVSIM_CALL(Trace, x, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({15}));
  }
  const DeviceTensor x({3}, Numbers(3)), out({}, {0}), nothing({0, 3}, {});
  EXPECT_EQ(DAVSIM_CALL(Trace, x, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Trace, nullptr, out), 161001);
  ASSERT_EQ(DAVSIM_CALL(Trace, nothing, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({0}));
}

TEST_F(MatricesTest, Diagonals) {
  const DeviceTensor x({3, 4}, counted(12), ACL_INT64), two({2}, Numbers(2), ACL_INT64);
  const DeviceTensor three({3}, Numbers(3), ACL_INT64), none({0}, {}, ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Diag, x, 1, three), ACL_SUCCESS) << last_error();
  EXPECT_EQ(three.values(), Numbers({1, 6, 11}));
  ASSERT_EQ(DAVSIM_CALL(Diag, x, -1, two), ACL_SUCCESS) << last_error();
  EXPECT_EQ(two.values(), Numbers({4, 9}));
  EXPECT_EQ(DAVSIM_CALL(Diag, x, 9, none), ACL_SUCCESS) << last_error();
  const DeviceTensor matrix({3, 3}, Numbers(9, 7), ACL_INT64);
  ASSERT_EQ(DAVSIM_CALL(Diag, two, -1, matrix), ACL_SUCCESS) << last_error();
  EXPECT_EQ(matrix.values(), Numbers({0, 0, 0, 4, 0, 0, 0, 9, 0}));
  const DeviceTensor square({2, 2}, {1, 2, 3, 4}), large({5, 5}, Numbers(25, 7));
  ASSERT_EQ(DAVSIM_CALL(DiagFlat, square, 1, large), ACL_SUCCESS) << last_error();
  EXPECT_EQ(large.values(),
            Numbers({0, 1, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0}));
  EXPECT_EQ(DAVSIM_CALL(Diag, two, 0, matrix), 161002);
  EXPECT_EQ(DAVSIM_CALL(DiagFlat, square, 0, large), 161002);
  EXPECT_EQ(DAVSIM_CALL(DiagFlat, square, 1, nullptr), 161001);
  EXPECT_EQ(DAVSIM_CALL(Diag, x, 1, square), 161002);
}

TEST_F(MatricesTest, CrossProducts) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE, ACL_INT32}) {
    const DeviceTensor x({3, 2}, {1, 2, 3, 4, 5, 6}, type), y({3, 1}, {1, 0, -1}, type),
        out({3, 2}, Numbers(6), type);
    ASSERT_EQ(DAVSIM_CALL(LinalgCross, x, y, -2, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), Numbers({-3, -4, 6, 8, -3, -4}));
    EXPECT_EQ(DAVSIM_CALL(LinalgCross, x, y, 1, out), 161002);
    EXPECT_EQ(DAVSIM_CALL(LinalgCross, x, nullptr, 0, out), 161001);
  }
}

TEST_F(MatricesTest, Inverses) {
  // The first pivot is 0.
  const DeviceTensor x({2, 2, 2}, {0, 2, 1, 0, 1, 2, 3, 4}, ACL_DOUBLE),
      out({2, 2, 2}, Numbers(8), ACL_DOUBLE);
  ASSERT_EQ(DAVSIM_CALL(Inverse, x, out), ACL_SUCCESS) << last_error();
  expect_near(out.values(), {0, 1, 0.5, 0, -2, 1, 1.5, -0.5}, 1e-12);
  const DeviceTensor wide({2, 3}, Numbers(6)), other({2, 2, 2}, Numbers(8));
  EXPECT_EQ(DAVSIM_CALL(Inverse, wide, wide), 161002);
  EXPECT_EQ(DAVSIM_CALL(Inverse, x, other), 161002);
  EXPECT_EQ(DAVSIM_CALL(Inverse, x, nullptr), 161001);
}

TEST_F(MatricesTest, Flattened) {
  const DeviceTensor x({2, 3, 2}, {1, 2, 6}, 0, counted(12), ACL_INT64);
  for (const auto& [axis, sizes] :
       {std::pair(0, Sizes{1, 12}), {1, {2, 6}}, {-1, {6, 2}}, {3, {12, 1}}}) {
    const DeviceTensor out(sizes, Numbers(12), ACL_INT64);
    ASSERT_EQ(DAVSIM_CALL(Flatten, x, axis, out), ACL_SUCCESS) << last_error();
    EXPECT_EQ(out.values(), x.values());
  }
  const DeviceTensor out({2, 6}, Numbers(12), ACL_INT64);
  EXPECT_EQ(DAVSIM_CALL(Flatten, x, 2, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(Flatten, x, 4, out), 161002);
}

TEST_F(MatricesTest, GradientsOfWindows) {
  // Windows of 2 every 1 along the first dimension, of 3 x 2.
  const DeviceTensor dy({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), out({3, 2}, Numbers(6));
  ASSERT_EQ(DAVSIM_CALL(UnfoldGrad, dy, Ints({3, 2}), 0, 2, 1, out), ACL_SUCCESS) << last_error();
  EXPECT_EQ(out.values(), Numbers({1, 3, 2 + 5, 4 + 7, 6, 8}));
  EXPECT_EQ(DAVSIM_CALL(UnfoldGrad, dy, Ints({3, 2}), 0, 4, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(UnfoldGrad, dy, Ints({3, 2}), 0, 2, 0, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(UnfoldGrad, dy, Ints({2, 3}), 0, 2, 1, out), 161002);
  EXPECT_EQ(DAVSIM_CALL(UnfoldGrad, dy, nullptr, 0, 2, 1, out), 161001);
}

TEST_F(MatricesTest, Contractions) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    const Numbers x = of_type(spread(2 * 3 * 5, -1, 1), type),
                  y = of_type(spread(4 * 2 * 5, -1, 1), type);
    const DeviceTensor a({2, 3, 5}, x, type), b({4, 2, 5}, y, type),
        out({4, 2, 3}, Numbers(24), type);
    const aclTensor* const both[] = {a, b};
    ASSERT_EQ(DAVSIM_CALL(Einsum, TensorList(both, 2), "bid, jbd -> jbi", out), ACL_SUCCESS)
        << last_error();
    Numbers expected(24);
    for (std::size_t n = 0; n < 2; ++n) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          for (std::size_t d = 0; d < 5; ++d) {
            expected[(j * 2 + n) * 3 + i] += x[(n * 3 + i) * 5 + d] * y[(j * 2 + n) * 5 + d];
          }
        }
      }
    }
    expect_near(out.values(), expected, rounding_of(type));
    for (const char* const wrong : {"bid,jbd", "bid,jbd->jbb", "bid,jbd->jbx", "bid,jbd->jb",
                                    "bi,jbd->jbi", "", "1id,j1d->j1i"}) {
      EXPECT_EQ(DAVSIM_CALL(Einsum, TensorList(both, 2), wrong, out), 161002) << wrong;
    }
    EXPECT_EQ(DAVSIM_CALL(Einsum, TensorList(both, 1), "bid,jbd->jbi", out), 161002);
    EXPECT_EQ(DAVSIM_CALL(Einsum, nullptr, "bid,jbd->jbi", out), 161001);
    EXPECT_EQ(DAVSIM_CALL(Einsum, TensorList(both, 2), nullptr, out), 161001);
  }
}

}  // namespace
}  // namespace davsim::test::matrices
