// Quantisation and its inverses, against what their documentation says.
#include <algorithm>
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class T>
class QuantisationTest : public LibraryTest {};
using QuantisationTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(QuantisationTest, QuantisationTypes);

class Scales : public LibraryTest {};

TYPED_TEST(QuantisationTest, OneScaleOrOneAColumn) {
  using T = TypeParam;
  constexpr std::uint32_t kColumns = 64, kCount = 9 * kColumns;
  const Values x = rounded<T>(numbers(kCount, -40, 40)),
               scale = rounded<T>(numbers(kColumns, 1, 5, 2)),
               offset = rounded<T>(numbers(kColumns, -3, 3, 3));
  const auto h = [](double value) { return as_type(isa::DType::kF16, value); };
  const auto to_byte = [](double value) {
    return std::clamp(std::nearbyint(value), -128.0, 127.0);
  };
  Values one, by_column, both;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double value = h(x[i]), s = h(scale[i % kColumns]), o = h(offset[i % kColumns]);
    one.push_back(to_byte(h(h(value * 2.5) + 1.0)));
    by_column.push_back(to_byte(h(h(value * s) + 2.0)));
    both.push_back(to_byte(h(h(value * s) + o)));
  }
  this->template tensor<T>(kCount, x);
  this->template tensor<T>(kColumns, scale);
  this->template tensor<T>(kColumns, offset);
  for (int i = 0; i < 3; ++i) this->template tensor<std::int8_t>(kCount);
  this->scratch(sizes::quantisation(2, kColumns));
  for (int i = 0; i < 2; ++i) this->template tensor<std::int8_t>(kCount);
  static constexpr AscendQuantConfig kCounts(kCount, kColumns, kColumns);
  this->run([&] {
    const auto src = this->template at<T>(0), s = this->template at<T>(1),
               o = this->template at<T>(2);
    const auto tmp = this->template at<std::uint8_t>(6);
    AscendQuant(this->template at<std::int8_t>(3), src, tmp, 2.5f, 1.0f, kCount);
    AscendQuant(this->template at<std::int8_t>(4), src, s, T(2.0f), kColumns, kCount);
    AscendQuant(this->template at<std::int8_t>(5), src, tmp, s, o, kColumns, kColumns, kCount);
    AscendQuant<T, false, kCounts>(this->template at<std::int8_t>(7), src, tmp, s, o);
    AscendQuant<std::int8_t, T>(this->template at<std::int8_t>(8), src, tmp, 2.5f, 1.0f, kCount);
  });
  this->expect_near(3, one, 0, 0, "one scale");
  this->expect_near(4, by_column, 0, 0, "a scale a column");
  this->expect_near(5, both, 0, 0, "scale and offset a column");
  this->expect_near(7, both, 0, 0, "counts that are constant");
  this->expect_near(8, one, 0, 0, "with the type of the results");
}

TEST_F(Scales, Dequantisation) {
  constexpr std::uint32_t kRows = 6, kN = 40, kWidth = 37;
  const Values x = rounded<std::int32_t>(numbers(kRows * kN, -100000, 100000));
  const Values scale = rounded<float>(numbers(kN, 0.0001, 0.001, 2));
  Values words, expected(kRows * kN, 7.0), halves(kRows * 48, 7.0), single;
  for (const double value : scale) {
    words.push_back(static_cast<double>(std::bit_cast<std::uint32_t>(static_cast<float>(value))));
  }
  for (std::uint32_t r = 0; r < kRows; ++r) {
    for (std::uint32_t c = 0; c < kN; ++c) {
      const double value = x[r * kN + c] * scale[c];
      single.push_back(value);
      if (c >= kWidth) continue;
      expected[r * kN + c] = value;
      halves[r * 48 + c] = value;
    }
  }
  tensor<std::int32_t>(kRows * kN, x);
  tensor<float>(kN, scale);
  tensor<std::uint64_t>(kN, words);
  tensor<float>(kRows * kN, Values(kRows * kN, 7.0));
  tensor<half>(kRows * 48, Values(kRows * 48, 7.0));
  tensor<float>(kRows * kN);
  tensor<float>(kRows * kN);
  run([&] {
    const auto src = at<std::int32_t>(0);
    AscendDequant(at<float>(3), src, at<float>(1), DequantParams{kRows, kN, kWidth});
    AscendDequant(at<half>(4), src, at<std::uint64_t>(2), DequantParams{kRows, kN, kWidth});
    AscendDequant(at<float>(5), src, at<float>(1), DequantParams{1, kRows * kN, kN});
    AscendDequant(at<float>(6), src, 0.5f, DequantParams{kRows, kN, kN});
  });
  expect_near(3, expected, 1e-6, 1e-6, "floats");
  expect_near(4, halves, 1e-3, 1e-4, "halves by words");
  expect_near(5, single, 1e-6, 1e-6, "a single row");
  Values half_of;
  for (const double value : x) half_of.push_back(value / 2);
  expect_near(6, half_of, 1e-6, 0, "a scale for all");
}

TEST_F(Scales, AntiQuantisation) {
  constexpr std::uint32_t kK = 8, kN = 64;
  const Values x = rounded<std::int8_t>(numbers(kK * kN, -128, 127));
  const Values scale = rounded<half>(numbers(2 * kN, 0.01, 0.1, 2)),
               offset = rounded<half>(numbers(2 * kN, -4, 4, 3));
  Values plain, grouped, turned, one;
  for (std::uint32_t i = 0; i < kK * kN; ++i) {
    const std::uint32_t c = i % kN, g = i / kN / (kK / 2) * kN + c, t = i / kN;
    plain.push_back((x[i] + offset[c]) * scale[c]);
    grouped.push_back((x[i] + offset[g]) * scale[g]);
    turned.push_back((x[i] + offset[t]) * scale[t]);
    one.push_back((x[i] + 2) * 0.25);
  }
  tensor<std::int8_t>(kK * kN, x);
  tensor<half>(2 * kN, scale);
  tensor<half>(2 * kN, offset);
  for (int i = 0; i < 3; ++i) tensor<half>(kK * kN);
  tensor<bfloat16_t>(kK * kN);
  run([&] {
    const auto src = at<std::int8_t>(0);
    AscendAntiQuant<std::int8_t, half, false>(at<half>(3), src, at<half>(2), at<half>(1), kK,
                                              {1, kN, 1, kN});
    AscendAntiQuant<std::int8_t, half, false>(at<half>(4), src, at<half>(2), at<half>(1), kK,
                                              {2, kN, 2, kN});
    AscendAntiQuant<std::int8_t, half, true>(at<half>(5), src, at<half>(2), at<half>(1), kN,
                                             {kK, 1, kK, 1});
    AscendAntiQuant<std::int8_t, bfloat16_t, false>(at<bfloat16_t>(6), src, bfloat16_t(2.0f),
                                                    bfloat16_t(0.25f), kK);
  });
  expect_near(3, plain, 2e-3, 1e-2, "a scale a column");
  expect_near(4, grouped, 2e-3, 1e-2, "two groups of rows");
  expect_near(5, turned, 2e-3, 1e-2, "transposed");
  expect_near(6, one, 4e-3, 0, "bfloat16");
}

/// One row counts as several where the elements that count are whole blocks of the result only.
TEST_F(Scales, OneRowIsSeveralOfWholeBlocks) {
  const Values x = rounded<std::int32_t>(numbers(64, -1000, 1000));
  const Values scale = rounded<float>(numbers(32, 0.1, 1, 2));
  const auto product = [&](std::uint32_t n, std::uint32_t period) {
    Values expected(64, 7.0);
    for (std::uint32_t i = 0; i < n; ++i) expected[i] = x[i] * scale[i % period];
    return expected;
  };
  tensor<std::int32_t>(64, x);
  tensor<float>(32, scale);
  for (int i = 0; i < 4; ++i) tensor<half>(64, Values(64, 7.0));
  for (int i = 0; i < 2; ++i) tensor<float>(64, Values(64, 7.0));
  run([&] {
    constexpr auto kMany = DeQuantMode::DEQUANT_WITH_MULTI_ROW;
    const auto src = at<std::int32_t>(0);
    const auto by = at<float>(1);
    AscendDequant(at<half>(2), src, by, DequantParams{1, 16, 8});
    AscendDequant(at<half>(3), src, by, DequantParams{1, 32, 16});
    AscendDequant<half, float, kMany>(at<half>(4), src, by, DequantParams{1, 32, 16});
    AscendDequant(at<half>(5), src, by, 16);
    AscendDequant(at<float>(6), src, by, DequantParams{1, 16, 8});
    AscendDequant(at<float>(7), src, by, 64);
  });
  expect_near(2, product(8, 8), 1e-3, 1e-4, "half a block counts");
  expect_near(3, product(32, 16), 1e-3, 1e-4, "two rows");
  expect_near(4, product(16, 16), 1e-3, 1e-4, "a row");
  expect_near(5, product(16, 16), 1e-3, 1e-4, "fewer elements than scales");
  expect_near(6, product(16, 8), 1e-6, 1e-6, "two rows of floats");
  expect_near(7, product(64, 32), 1e-6, 1e-6, "as many scales as a row has elements");
}

/// Without a shape in the call, those of the tensors count.
TEST_F(Scales, AntiQuantisationByTheTensorsOwnShapes) {
  constexpr std::uint32_t kK = 8, kN = 64, kGroups = 2;
  const Values x = rounded<std::int8_t>(numbers(kK * kN, -128, 127));
  const Values scale = rounded<half>(numbers(kGroups * kN, 0.01, 0.1, 2)),
               offset = rounded<half>(numbers(kGroups * kN, -4, 4, 3));
  Values grouped, columns, one;
  for (std::uint32_t i = 0; i < kK * kN; ++i) {
    const std::uint32_t g = i / kN / (kK / kGroups) * kN + i % kN,
                        t = i / kN * kGroups + i % kN / (kN / kGroups);
    grouped.push_back((x[i] + offset[g]) * scale[g]);
    columns.push_back((x[i] + offset[t]) * scale[t]);
    one.push_back(x[i] * 0.5 + 1);
  }
  tensor<std::int8_t>(kK * kN, x);
  tensor<half>(kGroups * kN, scale);
  tensor<half>(kGroups * kN, offset);
  for (int i = 0; i < 4; ++i) tensor<half>(kK * kN);
  run([&] {
    const auto src = at<std::int8_t>(0);
    auto s = at<half>(1), o = at<half>(2);
    const auto shaped = [&](std::uint32_t rows, std::uint32_t width) {
      const std::uint32_t shape[2] = {rows, width};
      s.SetShapeInfo(ShapeInfo(2, shape));
      o.SetShapeInfo(ShapeInfo(2, shape));
    };
    shaped(kGroups, kN);
    AscendAntiQuant<std::int8_t, half, false>(at<half>(3), src, o, s, kK);
    shaped(kK, kGroups);
    AscendAntiQuant<std::int8_t, half, true>(at<half>(4), src, o, s, kN);
    shaped(1, 1);
    AscendAntiQuant<std::int8_t, half, true>(at<half>(5), src, o, s, kN,
                                             {kK, kGroups, kK, kGroups});
    AscendAntiQuant<std::int8_t, half, true>(at<half>(6), src, half(2.0f), half(0.5f), kN);
  });
  expect_near(3, grouped, 2e-3, 1e-2, "groups of rows");
  expect_near(4, columns, 2e-3, 1e-2, "groups of columns");
  expect_near(5, columns, 2e-3, 1e-2, "the call's shape comes first");
  expect_near(6, one, 2e-3, 1e-2, "one for all");
}

/// Two numbers of four bits lie in a byte, the first in its lower half.
TEST_F(Scales, AntiQuantisationOfFourBits) {
  constexpr std::uint32_t kK = 4, kN = 64;
  Values packed, expected;
  const Values scale = rounded<half>(numbers(kN, 0.01, 0.1, 2)),
               offset = rounded<half>(numbers(kN, -4, 4, 3));
  for (std::uint32_t i = 0; i < kK * kN; ++i) {
    const int value = static_cast<int>(i * 7 % 16) - 8;
    if (i % 2 == 0) {
      packed.push_back(value & 15);
    } else {
      packed.back() += (value & 15) << 4;
    }
    expected.push_back((value + offset[i % kN]) * scale[i % kN]);
  }
  tensor<std::uint8_t>(packed.size(), packed);
  tensor<half>(kN, scale);
  tensor<half>(kN, offset);
  tensor<half>(kK * kN);
  run([&] {
    const auto src = at<std::uint8_t>(0).ReinterpretCast<int4b_t>();
    AscendAntiQuant<int4b_t, half, false>(at<half>(3), src, at<half>(2), at<half>(1), kK,
                                          {1, kN, 1, kN});
  });
  expect_near(3, expected, 2e-3, 1e-2);
}

/// Places that the kernel names itself, in place of those of the elements.

}  // namespace
}  // namespace davsim::test
