// Products of whole numbers that stand for others, and of groups, against sums of the host.
#include <algorithm>
#include <cmath>

#include "lists/products.h"
#include "lists/quantised_products.h"
#include "tests/basic_operators/basic_test.hpp"

namespace davsim::test::quantised_products {
namespace {

constexpr std::int64_t kRows = 20, kDepth = 64, kColumns = 24;

Numbers whole(std::size_t count, double low, double high) {
  Numbers values = spread(count, low, high);
  for (double& value : values) value = std::floor(value);
  return values;
}

/// Of rows x depth and depth x columns.
Numbers product(const Numbers& a, const Numbers& b, std::int64_t rows, std::int64_t depth,
                std::int64_t columns) {
  Numbers c;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k) {
        sum += a[static_cast<std::size_t>(i * depth + k)] *
               b[static_cast<std::size_t>(k * columns + j)];
      }
      c.push_back(sum);
    }
  }
  return c;
}

/// expected[i, j] = of(c[i, j], i, j)
template <class Of>
Numbers each(const Numbers& c, std::int64_t columns, Of of) {
  Numbers made;
  for (std::size_t n = 0; n < c.size(); ++n) {
    made.push_back(
        of(c[n], n / static_cast<std::size_t>(columns), n % static_cast<std::size_t>(columns)));
  }
  return made;
}

/// A list that owns its tensors.
class List {
 public:
  template <class... Tensors>
  explicit List(Tensors&&... tensors) {
    const aclTensor* all[] = {tensors.release()...};
    list_ = aclCreateTensorList(all, sizeof...(Tensors));
  }
  ~List() { aclDestroyTensorList(list_); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  operator aclTensorList*() const { return list_; }
  const aclTensorList* get() const { return list_; }

 private:
  aclTensorList* list_;
};

class QuantisedProductsTest : public BasicTest {
 protected:
  const Numbers a_ = whole(kRows * kDepth, -128, 128), b_ = whole(kDepth * kColumns, -128, 128);
  const Numbers c_ = product(a_, b_, kRows, kDepth, kColumns);
};

TEST_F(QuantisedProductsTest, ScalesColumnsAndRows) {
  const Numbers scale = spread(kColumns, 1e-4, 1e-3), per_token = spread(kRows, 0.5, 2);
  const Numbers bias = whole(kColumns, -500, 500);
  const DeviceTensor x1({kRows, kDepth}, a_, ACL_INT8), x2({kDepth, kColumns}, b_, ACL_INT8);
  const DeviceTensor scales({kColumns}, scale), rows({kRows}, per_token),
      biases({kColumns}, bias, ACL_INT32);
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(QuantMatmulV4, x1, x2, scales, nullptr, rows, biases, false, false, out),
            ACL_SUCCESS)
      << last_error();
  expect_near(
      out.values(),
      each(c_, kColumns,
           [&](double c, auto i, auto j) { return (c + bias[j]) * scale[j] * per_token[i]; }),
      2e-3);
}

TEST_F(QuantisedProductsTest, TransposedWithAScaleInBitsAndAnOffset) {
  Numbers turned;
  for (std::int64_t j = 0; j < kColumns; ++j) {
    for (std::int64_t k = 0; k < kDepth; ++k)
      turned.push_back(b_[static_cast<std::size_t>(k * kColumns + j)]);
  }
  const float factor = 1.0F / 2048;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &factor, sizeof bits);
  const DeviceTensor x1({kRows, kDepth}, a_, ACL_INT8), x2({kColumns, kDepth}, turned, ACL_INT8);
  const DeviceTensor scale({1}, {static_cast<double>(bits)}, ACL_INT64), offset({1}, {3});
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_INT8);
  ASSERT_EQ(DAVSIM_CALL(QuantMatmulV3, x1, x2, scale, offset, nullptr, false, true, out),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(out.values(), each(c_, kColumns, [&](double c, auto, auto) {
              return std::clamp(std::nearbyint(c / 2048 + 3), -128.0, 127.0);
            }));
}

TEST_F(QuantisedProductsTest, WeightsOfWholeNumbers) {
  Numbers x = spread(kRows * kDepth, -1, 1);
  for (double& value : x) value = as_type(value, ACL_FLOAT16);
  const Numbers scale = {0.5, 0.25};  // of groups of 32 rows, alike in all columns
  Numbers scales(2 * kColumns), offsets(2 * kColumns);
  Numbers weight = b_;
  for (std::size_t n = 0; n < scales.size(); ++n) {
    scales[n] = scale[n / kColumns];
    offsets[n] = static_cast<double>(n % 3);
  }
  for (std::int64_t k = 0; k < kDepth; ++k) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      const auto at = static_cast<std::size_t>(k * kColumns + j),
                 of = static_cast<std::size_t>(k / 32 * kColumns + j);
      weight[at] = as_type((b_[at] + offsets[of]) * scales[of], ACL_FLOAT16);
    }
  }
  const DeviceTensor rows({kRows, kDepth}, x, ACL_FLOAT16),
      columns({kDepth, kColumns}, b_, ACL_INT8);
  const DeviceTensor factors({2, kColumns}, scales, ACL_FLOAT16),
      shifts({2, kColumns}, offsets, ACL_FLOAT16);
  const DeviceTensor bias({kColumns}, Numbers(kColumns, 2), ACL_FLOAT16);
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_FLOAT16);
  ASSERT_EQ(DAVSIM_CALL(WeightQuantBatchMatmulV2, rows, columns, factors, shifts, nullptr, nullptr,
                        bias, 32, out),
            ACL_SUCCESS)
      << last_error();
  expect_near(out.values(),
              each(product(x, weight, kRows, kDepth, kColumns), kColumns,
                   [](double c, auto, auto) { return c + 2; }),
              4e-3);
}

TEST_F(QuantisedProductsTest, WeightsInFractals) {
  // 64 x 24 in fractals of 16 x 16: two columns of fractals, four rows.
  Numbers x = spread(kRows * kDepth, -1, 1), w = spread(kDepth * kColumns, -1, 1),
          fractals(64 * 32);
  for (double& value : x) value = as_type(value, ACL_FLOAT16);
  for (double& value : w) value = as_type(value, ACL_FLOAT16);
  for (std::int64_t k = 0; k < kDepth; ++k) {
    for (std::int64_t j = 0; j < kColumns; ++j) {
      fractals[static_cast<std::size_t>((j / 16 * 4 + k / 16) * 256 + k % 16 * 16 + j % 16)] =
          w[static_cast<std::size_t>(k * kColumns + j)];
    }
  }
  const DeviceTensor self({kRows, kDepth}, x, ACL_FLOAT16),
      stored({2, 4, 16, 16}, fractals, ACL_FLOAT16);
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_FLOAT16);
  const std::int64_t sizes[] = {kDepth, kColumns}, strides[] = {kColumns, 1},
                     storage[] = {2, 4, 16, 16};
  aclTensor* const mat2 = aclCreateTensor(sizes, 2, ACL_FLOAT16, strides, 0, ACL_FORMAT_FRACTAL_NZ,
                                          storage, 4, stored.address());
  ASSERT_EQ(DAVSIM_CALL(MatmulWeightNz, self, mat2, out, 0), ACL_SUCCESS) << last_error();
  expect_near(out.values(), product(x, w, kRows, kDepth, kColumns), 2e-3);
  EXPECT_EQ(DAVSIM_CALL(MatmulWeightNz, self, stored, out, 0), 161002);
  EXPECT_EQ(aclDestroyTensor(mat2), ACL_SUCCESS);
}

TEST_F(QuantisedProductsTest, GroupsOfRows) {
  Numbers x = spread(kRows * kDepth, -1, 1), w = spread(3 * kDepth * kColumns, -1, 1);
  for (double& value : x) value = as_type(value, ACL_FLOAT16);
  for (double& value : w) value = as_type(value, ACL_FLOAT16);
  const std::int64_t ends[] = {5, 5, 17};  // the second has no rows, the last three rows no group
  Numbers expected(kRows * kColumns);
  for (std::int64_t g = 0, from = 0; g < 3; from = ends[g++]) {
    const auto first = static_cast<std::size_t>(from), last = static_cast<std::size_t>(ends[g]);
    const Numbers rows(x.begin() + static_cast<std::ptrdiff_t>(first * kDepth),
                       x.begin() + static_cast<std::ptrdiff_t>(last * kDepth));
    const Numbers own(w.begin() + g * kDepth * kColumns, w.begin() + (g + 1) * kDepth * kColumns);
    const Numbers part = product(rows, own, ends[g] - from, kDepth, kColumns);
    for (std::size_t n = 0; n < part.size(); ++n) {
      expected[first * kColumns + n] = part[n] / (1 + std::exp(-part[n]));
    }
  }
  const List xs(DeviceTensor({kRows, kDepth}, x, ACL_FLOAT16)),
      ws(DeviceTensor({3, kDepth, kColumns}, w, ACL_FLOAT16));
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns, 7), ACL_FLOAT16);
  const aclTensor* const only = out.get();
  const TensorList outs(&only, 1);
  const DeviceTensor counts({3}, {5, 0, 12}, ACL_INT64);
  ASSERT_EQ(
      DAVSIM_CALL(GroupedMatmulV4, xs, ws, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  counts, nullptr, nullptr, nullptr, 3, 0, 1, 5, outs, nullptr, nullptr),
      ACL_SUCCESS)
      << last_error();
  expect_near(out.values(), expected, 3e-3);
}

TEST_F(QuantisedProductsTest, ListsOfTensors) {
  Numbers x = spread(2 * 8 * 16, -1, 1), w = spread(2 * 16 * 12, -1, 1);
  const auto half = [](const Numbers& of, std::size_t second) {
    const auto middle = of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2);
    return second == 0 ? Numbers(of.begin(), middle) : Numbers(middle, of.end());
  };
  const List xs(DeviceTensor({8, 16}, half(x, 0)), DeviceTensor({8, 16}, half(x, 1)));
  const List ws(DeviceTensor({16, 12}, half(w, 0)), DeviceTensor({16, 12}, half(w, 1)));
  const DeviceTensor first({8, 12}, Numbers(96)), second({8, 12}, Numbers(96));
  const aclTensor* const both[] = {first.get(), second.get()};
  const TensorList outs(both, 2);
  ASSERT_EQ(DAVSIM_CALL(GroupedMatmulV2, xs, ws, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, 0, -1, outs),
            ACL_SUCCESS)
      << last_error();
  expect_near(first.values(), product(half(x, 0), half(w, 0), 8, 16, 12), 1e-5);
  expect_near(second.values(), product(half(x, 1), half(w, 1), 8, 16, 12), 1e-5);
}

TEST_F(QuantisedProductsTest, RefusesWhatBreaksARule) {
  const DeviceTensor x1({kRows, kDepth}, a_, ACL_INT8), x2({kDepth, kColumns}, b_, ACL_INT8);
  const DeviceTensor scale({kColumns}, Numbers(kColumns, 1)), few({2}, {1, 1});
  const DeviceTensor real({kRows, kDepth}, Numbers(kRows * kDepth));
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_FLOAT16);
  const auto call = [&](const aclTensor* x, const aclTensor* scales) {
    return DAVSIM_CALL(QuantMatmulV3, x, x2, scales, nullptr, nullptr, false, false, out);
  };
  EXPECT_EQ(call(x1, scale), ACL_SUCCESS);
  EXPECT_EQ(call(nullptr, scale), 161001);
  EXPECT_EQ(call(x1, nullptr), 161001);
  EXPECT_EQ(call(real, scale), 161002);
  EXPECT_EQ(call(x1, few), 161002);
  const aclTensor* const missing[] = {nullptr};
  const TensorList list(missing, 1);
  EXPECT_EQ(DAVSIM_CALL(GroupedMatmulV2, list, list, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, 0, -1, list),
            161001);
}

TEST_F(QuantisedProductsTest, WeightOfInt4ThatIsATransposedView) {
  constexpr std::int64_t kPacked = kDepth / 2;
  Numbers x = spread(kRows * kDepth, -1, 1);
  for (double& value : x) value = as_type(value, ACL_FLOAT16);
  const Numbers stored = whole(kColumns * kDepth, -8, 8);  // columns x depth
  Numbers bytes, weight(kDepth * kColumns);
  for (std::size_t i = 0; i < stored.size(); i += 2) {
    const int low = static_cast<int>(stored[i]) & 15, high = static_cast<int>(stored[i + 1]) & 15;
    bytes.push_back(low | high << 4);
  }
  for (std::int64_t j = 0; j < kColumns; ++j) {
    for (std::int64_t k = 0; k < kDepth; ++k) {
      weight[static_cast<std::size_t>(k * kColumns + j)] =
          stored[static_cast<std::size_t>(j * kDepth + k)] / 4;
    }
  }
  const DeviceTensor rows({kRows, kDepth}, x, ACL_FLOAT16), scale({1}, {0.25}, ACL_FLOAT16);
  const DeviceTensor packed({kColumns, kPacked}, bytes, ACL_UINT8);
  const Sizes sizes = {kDepth, kColumns}, strides = {1, kDepth}, storage = {kColumns, kDepth};
  const DeviceTensor out({kRows, kColumns}, Numbers(kRows * kColumns), ACL_FLOAT16);
  aclTensor* const turned = aclCreateTensor(sizes.data(), 2, ACL_INT4, strides.data(), 0,
                                            ACL_FORMAT_ND, storage.data(), 2, packed.address());
  EXPECT_EQ(DAVSIM_CALL(WeightQuantBatchMatmulV2, rows, turned, scale, nullptr, nullptr, nullptr,
                        nullptr, 0, out),
            ACL_SUCCESS)
      << last_error();
  aclDestroyTensor(turned);
  expect_near(out.values(), product(x, weight, kRows, kDepth, kColumns), 4e-3);
}

}  // namespace
}  // namespace davsim::test::quantised_products
