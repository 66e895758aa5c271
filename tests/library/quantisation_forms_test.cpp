// The overloads of quantisation and its inverses: every type of results and scales, with and
// without a temporary buffer and a count, and values that are special.
#include <algorithm>
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

template <class Result, class Scale>
struct DequantTypes {
  using Dst = Result;
  using By = Scale;
};

template <class Types>
class DequantForms : public LibraryTest {
 protected:
  using Dst = typename Types::Dst;
  using By = typename Types::By;
  static constexpr bool kWords = std::is_same_v<By, std::uint64_t>;
  static constexpr std::uint32_t kRows = 5, kN = 48, kCount = kRows * kN;

  /// Scales as the tensor holds them: numbers, or the bits of floats.
  static Values as_held(const Values& scales) {
    if (!kWords) return scales;
    Values words;
    for (const double scale : scales) {
      words.push_back(static_cast<double>(std::bit_cast<std::uint32_t>(static_cast<float>(scale))));
    }
    return words;
  }
};
using AllDequantTypes =
    testing::Types<DequantTypes<float, float>, DequantTypes<float, std::uint64_t>,
                   DequantTypes<float, bfloat16_t>, DequantTypes<half, float>,
                   DequantTypes<half, std::uint64_t>, DequantTypes<bfloat16_t, bfloat16_t>,
                   DequantTypes<bfloat16_t, float>>;
TYPED_TEST_SUITE(DequantForms, AllDequantTypes);

TYPED_TEST(DequantForms, GiveTheSameProducts) {
  using Dst = typename TestFixture::Dst;
  using By = typename TestFixture::By;
  constexpr auto kRows = TestFixture::kRows, kN = TestFixture::kN, kCount = TestFixture::kCount;
  Values x = rounded<std::int32_t>(numbers(kCount, -100000, 100000));
  x[0] = 2147483647, x[1] = -2147483648.0, x[2] = 0;
  Values scale = numbers(kN, 1e-4, 1e-3, 2);
  scale[1] = 0, scale[2] = -1e-3;
  scale = TestFixture::kWords ? rounded<float>(scale) : rounded<By>(scale);
  Values expected;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const double product = static_cast<float>(x[i]) * static_cast<float>(scale[i % kN]);
    expected.push_back(as_type(api::dtype_of<Dst>(), product));
  }
  this->template tensor<std::int32_t>(kCount, x);
  this->template tensor<By>(kN, TestFixture::as_held(scale));
  this->scratch(8192);
  for (int i = 0; i < 6; ++i) this->template tensor<Dst>(kCount);
  this->run([&] {
    const auto src = this->template at<std::int32_t>(0);
    const auto by = this->template at<By>(1);
    const auto tmp = this->template at<std::uint8_t>(2);
    const auto to = [&](std::size_t form) { return this->template at<Dst>(3 + form); };
    AscendDequant(to(0), src, by, tmp, DequantParams{kRows, kN, kN});
    AscendDequant(to(1), src, by, DequantParams{kRows, kN, kN});
    AscendDequant(to(2), src, by, tmp, kCount);
    AscendDequant(to(3), src, by, kCount);
    AscendDequant(to(4), src, by, tmp);
    AscendDequant(to(5), src, by);
  });
  const double relative = sizeof(Dst) == 2 ? (std::is_same_v<Dst, half> ? 1e-3 : 8e-3) : 1e-6;
  for (std::size_t form = 0; form < 6; ++form) {
    this->expect_near(3 + form, expected, relative, 0, "form " + std::to_string(form));
  }
}

template <class T>
class AntiquantForms : public LibraryTest {};
using AntiquantTypes = testing::Types<half, bfloat16_t>;
TYPED_TEST_SUITE(AntiquantForms, AntiquantTypes);

TYPED_TEST(AntiquantForms, GiveTheSameProducts) {
  using T = TypeParam;
  constexpr std::uint32_t kK = 6, kN = 64, kCount = kK * kN;
  Values x = rounded<std::int8_t>(numbers(kCount, -128, 127));
  x[0] = -128, x[1] = 127;
  const Values scale = rounded<T>(numbers(kN, 0.01, 0.1, 2)),
               offset = rounded<T>(numbers(kN, -4, 4, 3));
  Values both, plain, one, one_plain;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    both.push_back((x[i] + offset[i % kN]) * scale[i % kN]);
    plain.push_back(x[i] * scale[i % kN]);
    one.push_back((x[i] - 3) * 0.5);
    one_plain.push_back(x[i] * 0.5);
  }
  this->template tensor<std::int8_t>(kCount, x);
  this->template tensor<T>(kN, scale);
  this->template tensor<T>(kN, offset);
  this->scratch(8192);
  for (int i = 0; i < 8; ++i) this->template tensor<T>(kCount);
  this->run([&] {
    const auto src = this->template at<std::int8_t>(0);
    const auto s = this->template at<T>(1), o = this->template at<T>(2);
    const auto tmp = this->template at<std::uint8_t>(3);
    const auto to = [&](std::size_t form) { return this->template at<T>(4 + form); };
    const AntiQuantShapeInfo shape = {1, kN, 1, kN};
    AscendAntiQuant<std::int8_t, T, false>(to(0), src, o, s, tmp, kK, shape);
    AscendAntiQuant<std::int8_t, T, false>(to(1), src, o, s, kK, shape);
    AscendAntiQuant<std::int8_t, T, false>(to(2), src, s, tmp, kK, shape);
    AscendAntiQuant<std::int8_t, T, false>(to(3), src, s, kK, shape);
    AscendAntiQuant<std::int8_t, T, false>(to(4), src, T(-3.0f), T(0.5f), tmp, kK);
    AscendAntiQuant<std::int8_t, T, false>(to(5), src, T(-3.0f), T(0.5f), kK);
    AscendAntiQuant<std::int8_t, T, false>(to(6), src, T(0.5f), tmp, kK);
    AscendAntiQuant<std::int8_t, T, false>(to(7), src, T(0.5f), kK);
  });
  const Values* expected[] = {&both, &both, &plain, &plain, &one, &one, &one_plain, &one_plain};
  const double relative = std::is_same_v<T, half> ? 2e-3 : 8e-3;
  for (std::size_t form = 0; form < 8; ++form) {
    this->expect_near(4 + form, *expected[form], relative, 1e-2, "form " + std::to_string(form));
  }
}

class QuantSpecials : public LibraryTest {};

/// Casts to int8_t saturate, and NaN becomes 0.
TEST_F(QuantSpecials, AreCutOffAndNanIsZero) {
  const Values x = {INFINITY, -INFINITY, NAN,  0.0,  -0.0,  1e-40, 3e38, -3e38,
                    63.75,    -64.25,    0.25, 0.75, -0.25, -0.75, 1.25, 63.5};
  const Values expected = {127, -128, 0, 0, 0, 0, 127, -128, 127, -128, 0, 2, 0, -2, 2, 127};
  tensor<float>(32, [&] {
    Values all = x;
    all.resize(32, 1.0);
    return all;
  }());
  tensor<std::int8_t>(32);
  tensor<std::int8_t>(32);
  scratch(4096);
  run([&] {
    AscendQuant(at<std::int8_t>(1), at<float>(0), at<std::uint8_t>(3), 2.0f, 0.0f, 32);
    AscendQuant(at<std::int8_t>(2), at<float>(0), 2.0f, 0.0f, 32);
  });
  expect_near(1, expected, 0, 0, "with a temporary buffer");
  expect_near(2, expected, 0, 0, "without");
}

}  // namespace
}  // namespace davsim::test
