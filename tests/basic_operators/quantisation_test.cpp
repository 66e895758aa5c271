// Quantisation against rounded quotients and products of the host.
#include <cmath>

#include "aclnnop/aclnn_ascend_anti_quant.h"
#include "aclnnop/aclnn_ascend_quant.h"
#include "aclnnop/aclnn_ascend_quant_v3.h"
#include "aclnnop/aclnn_dynamic_quant.h"
#include "tests/basic_operators/rows_reference.hpp"

namespace davsim::test::quantisation {
namespace {

double saturated(double value) {
  return std::min(std::max(value, -128.0), 127.0);
}

/// As float computes it: what lies in the middle of two numbers is decided by the last bit.
Numbers quantised(const Numbers& x, const Numbers& scales, const Numbers& offsets, bool twice,
                  double (*rounded)(double), std::size_t per_scale) {
  Numbers y;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto scale = static_cast<float>(scales[i / per_scale % scales.size()]);
    float value = static_cast<float>(x[i]) * scale;
    if (twice) value *= scale;
    if (!offsets.empty()) value += static_cast<float>(offsets[i / per_scale % offsets.size()]);
    y.push_back(saturated(rounded(value)));
  }
  return y;
}

class QuantisationTest : public BasicTest {};

TEST_F(QuantisationTest, ByScalesOfColumns) {
  for (const aclDataType type : {ACL_FLOAT, ACL_FLOAT16, ACL_BF16}) {
    for (const auto& [rows, size] :
         {std::pair<std::int64_t, std::int64_t>{300, 5}, {41, 1003}, {2, 20000}}) {
      const auto columns = static_cast<std::size_t>(size),
                 all = static_cast<std::size_t>(rows) * columns;
      const Numbers x = of_type(spread(all, -9, 9), type),
                    s = of_type(spread(columns, 1, 20), type);
      const Numbers o = of_type(spread(columns, -4, 4), type);
      const DeviceTensor input({rows, size}, x, type), scale({size}, s, type),
          offset({size}, o, type);
      const DeviceTensor y({rows, size}, Numbers(all), ACL_INT8);
      ASSERT_EQ(DAVSIM_CALL(AscendQuant, input, scale, offset, false, "round", ACL_INT8, y),
                ACL_SUCCESS)
          << last_error();
      expect_near(y.values(), quantised(x, s, o, false, std::nearbyint, 1), 0);
    }
  }
}

TEST_F(QuantisationTest, RoundsInEachWay) {
  const Numbers x = spread(40 * 60, -9, 9), s = {4.25};
  const DeviceTensor input({40, 60}, x), scale({1}, s), y({40, 60}, Numbers(x.size()), ACL_INT8);
  aclTensor* const none = nullptr;
  const std::pair<const char*, double (*)(double)> kModes[] = {
      {"round", std::nearbyint}, {"floor", std::floor}, {"ceil", std::ceil}, {"trunc", std::trunc}};
  for (const auto& [mode, rounded] : kModes) {
    for (const bool twice : {false, true}) {
      ASSERT_EQ(DAVSIM_CALL(AscendQuant, input, scale, none, twice, mode, ACL_INT8, y), ACL_SUCCESS)
          << last_error();
      expect_near(y.values(), quantised(x, s, {}, twice, rounded, 1), 0);
    }
  }
}

TEST_F(QuantisationTest, BackFromBytes) {
  const Numbers x = of_type(spread(7 * 300, -128, 128), ACL_INT8);
  for (const aclDataType type : {ACL_FLOAT16, ACL_BF16}) {
    for (const std::int64_t count : {1, 300}) {
      const auto size = static_cast<std::size_t>(count);
      const Numbers s = spread(size, 0.5, 2), o = spread(size, -4, 4);
      const DeviceTensor input({7, 300}, x, ACL_INT8), scale({count}, s), offset({count}, o);
      const DeviceTensor y({7, 300}, Numbers(x.size()), type);
      for (const bool twice : {false, true}) {
        for (const bool moved : {false, true}) {
          Numbers expected;
          for (std::size_t i = 0; i < x.size(); ++i) {
            const double factor = s[i % 300 % size];
            const double from = x[i] + (moved ? o[i % 300 % size] : 0);
            expected.push_back(from * factor * (twice ? factor : 1));
          }
          ASSERT_EQ(DAVSIM_CALL(AscendAntiQuant, input, scale, moved ? offset.get() : nullptr, type,
                                twice, y),
                    ACL_SUCCESS)
              << last_error();
          expect_near(y.values(), expected, 2 * rounding_of(type));
        }
      }
    }
  }
  const DeviceTensor input({7, 300}, x, ACL_INT8), scale({1}, {2}), two({2}, {2, 3});
  const DeviceTensor y({7, 300}, Numbers(x.size()), ACL_FLOAT16);
  EXPECT_EQ(DAVSIM_CALL(AscendAntiQuant, input, scale, nullptr, ACL_FLOAT, false, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendAntiQuant, input, scale, nullptr, ACL_BF16, false, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendAntiQuant, input, two, nullptr, ACL_FLOAT16, false, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendAntiQuant, y, scale, nullptr, ACL_FLOAT16, false, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendAntiQuant, input, nullptr, nullptr, ACL_FLOAT16, false, y), 161001);
}

TEST_F(QuantisationTest, ByScalesOfRows) {
  const Numbers x = spread(3 * 7 * 300, -9, 9), s = spread(7, 1, 20), o = spread(7, -4, 4);
  const DeviceTensor input({3, 7, 300}, x), scale({7}, s), offset({7}, o);
  const DeviceTensor y({3, 7, 300}, Numbers(x.size()), ACL_INT8);
  ASSERT_EQ(DAVSIM_CALL(AscendQuantV3, input, scale, offset, false, "round", ACL_INT8, -2, y),
            ACL_SUCCESS)
      << last_error();
  expect_near(y.values(), quantised(x, s, o, false, std::nearbyint, 300), 0);
}

TEST_F(QuantisationTest, ByTheGreatestOfRows) {
  for (const aclDataType type : {ACL_FLOAT16, ACL_BF16, ACL_FLOAT}) {
    for (const auto& [rows, size] :
         {std::pair<std::int64_t, std::int64_t>{300, 5}, {41, 1003}, {2, 20000}}) {
      for (const bool smooth : {false, true}) {
        const auto columns = static_cast<std::size_t>(size),
                   all = static_cast<std::size_t>(rows) * columns;
        const Numbers x = of_type(spread(all, -9, 9), type),
                      s = of_type(spread(columns, 0.5, 2), type);
        const DeviceTensor input({rows, size}, x, type), smooths({size}, s, type);
        const DeviceTensor y({rows, size}, Numbers(all), ACL_INT8),
            scales({rows}, Numbers(all / columns));
        aclTensor* const given = smooth ? smooths.get() : nullptr;
        ASSERT_EQ(DAVSIM_CALL(DynamicQuant, input, given, y, scales), ACL_SUCCESS) << last_error();
        const Numbers found = y.values(), found_scales = scales.values();
        for (std::size_t row = 0; row < all / columns; ++row) {
          Numbers values;
          double greatest = 0;
          for (std::size_t i = 0; i < columns; ++i) {
            values.push_back(x[row * columns + i] * (smooth ? s[i] : 1));
            greatest = std::max(greatest, std::fabs(values.back()));
          }
          ASSERT_NEAR(found_scales[row], greatest / 127, 1e-6 * greatest);
          for (std::size_t i = 0; i < columns; ++i) {
            ASSERT_NEAR(found[row * columns + i], values[i] * 127 / greatest, 0.5001);
          }
        }
      }
    }
  }
}

TEST_F(QuantisationTest, OfStridedTensors) {
  const DeviceTensor input({20, 30}, {1, 40}, 7, spread(60 * 40, -9, 9)), scale({1}, {7});
  const DeviceTensor y({20, 30}, {60, 2}, 1, Numbers(1300), ACL_INT8);
  aclTensor* const none = nullptr;
  ASSERT_EQ(DAVSIM_CALL(AscendQuant, input, scale, none, false, "round", ACL_INT8, y), ACL_SUCCESS);
  expect_near(y.values(), quantised(input.values(), {7}, {}, false, std::nearbyint, 1), 0);
}

TEST_F(QuantisationTest, OfRowsOfZeros) {
  const DeviceTensor x({2, 3}, {0, 0, 0, 1, -2, 0.5}), y({2, 3}, Numbers(6, 9), ACL_INT8);
  const DeviceTensor scales({2}, {9, 9});
  aclTensor* const none = nullptr;
  ASSERT_EQ(DAVSIM_CALL(DynamicQuant, x, none, y, scales), ACL_SUCCESS) << last_error();
  expect_near(y.values(), {0, 0, 0, 64, -127, 32}, 0);
  expect_near(scales.values(), {0, 2.0 / 127}, 1e-7);
}

TEST_F(QuantisationTest, RulesOfArguments) {
  const DeviceTensor x({3, 4}, Numbers(12)), scale({4}, Numbers(4)), two({2}, Numbers(2));
  const DeviceTensor y({3, 4}, Numbers(12), ACL_INT8), nothing({0, 4}, {}),
      none({0, 4}, {}, ACL_INT8);
  const DeviceTensor scales({3}, Numbers(3));
  aclTensor* const null = nullptr;
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, null, scale, null, false, "round", ACL_INT8, y), 161001);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, null, null, false, "round", ACL_INT8, y), 161001);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, scale, null, false, nullptr, ACL_INT8, y), 161001);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, scale, null, false, "near", ACL_INT8, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, scale, null, false, "round", ACL_INT4, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, two, null, false, "round", ACL_INT8, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, x, scale, null, false, "round", ACL_INT8, x), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendQuantV3, x, scale, null, false, "round", ACL_INT8, 2, y), 161002);
  EXPECT_EQ(DAVSIM_CALL(AscendQuant, nothing, scale, null, false, "round", ACL_INT8, none),
            ACL_SUCCESS)
      << last_error();
  EXPECT_EQ(DAVSIM_CALL(DynamicQuant, x, null, x, scales), 161002);
  EXPECT_EQ(DAVSIM_CALL(DynamicQuant, x, null, y, scale), 161002);
  EXPECT_EQ(DAVSIM_CALL(DynamicQuant, x, two, y, scales), 161002);
}

}  // namespace
}  // namespace davsim::test::quantisation
