// Functions that work element by element, against double precision: with a temporary buffer, the
// rest of UB, in place, in several pieces, and special values.
#include <cmath>

#include "tests/library/library_run.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

const double kInf = INFINITY, kNan = NAN;

/// Derivative of log(gamma(x)) by its recurrence and asymptotic series in double.
double digamma(double x) {
  if (x < 0.5) return digamma(1 - x) - M_PI / std::tan(M_PI * x);
  double shifted = 0;
  for (; x < 30; ++x) shifted -= 1 / x;
  const double r = 1 / (x * x);
  return shifted + std::log(x) - 0.5 / x - r * (1.0 / 12 - r * (1.0 / 120 - r / 252));
}
double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
double gelu(double x) {
  return x * sigmoid(std::sqrt(8 / M_PI) * (x + 0.044715 * x * x * x));
}
double faster_gelu_v2(double x) {
  const double t = std::min(std::abs(0.7071 * x), 1.769) - 1.769;
  return x * ((x + 1e-12 < 0 ? -1 : 1) * (-0.1444 * t * t + 0.5) + 0.5);
}

struct Function {
  const char* name;
  double low, high;  ///< of the numbers tried
  std::vector<double> special;
  std::function<double(double)> expected;
  double absolute = 1e-6;  ///< error where the result is small
};

template <class T>
class MathTest : public LibraryTest {
 protected:
  using Call =
      std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<std::uint8_t>, std::uint32_t)>;
  static constexpr bool kIsHalf = sizeof(T) == 2;

  /// `with` takes a temporary buffer, `without` the rest of UB.
  void check(const Function& f, const Call& with, const Call& without) {
    Values x = numbers(333, f.low, f.high);
    x.insert(x.end(), f.special.begin(), f.special.end());
    x = rounded<T>(x);
    Values expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = as_type(api::dtype_of<T>(), f.expected(x[i]));
    const auto n = static_cast<std::uint32_t>(x.size());
    const double relative = kIsHalf ? 1e-3 : 1e-5,
                 absolute = kIsHalf ? std::max(f.absolute, 1e-5) : f.absolute;
    for (const std::size_t scratch_bytes : {3000, 20000, 0}) {
      forget();
      tensor<T>(n, x);
      tensor<T>(n);
      if (scratch_bytes > 0) scratch(scratch_bytes);
      run([&] {
        const auto source = at<T>(0), result = at<T>(1);
        if (scratch_bytes > 0) {
          with(result, source, at<std::uint8_t>(2), n);
        } else {
          without(result, source, {}, n);
          PipeBarrier<PIPE_V>();
          without(source, source, {}, n);
        }
      });
      expect_near(1, expected, relative, absolute, f.name);
      if (scratch_bytes == 0) expect_near(0, expected, relative, absolute, f.name);
    }
  }
};
using MathTypes = testing::Types<float, half>;
TYPED_TEST_SUITE(MathTest, MathTypes);

#define FORMS_OF(Name)                                          \
  [](auto y, auto x, auto tmp, auto n) { Name(y, x, tmp, n); }, \
      [](auto y, auto x, auto, auto n) { Name(y, x, n); }

TYPED_TEST(MathTest, Roundings) {
  const double kLarge = this->kIsHalf ? 60000 : 1e20;  // beyond whole numbers of 32 bits
  this->check({"Ceil",
               -50,
               50,
               {0.5, -0.5, 2, kInf, -kInf, kNan, kLarge, -kLarge},
               [](double x) { return std::ceil(x); }},
              FORMS_OF(Ceil));
  this->check({"Floor",
               -50,
               50,
               {0.5, -0.5, 2, kInf, -kInf, kNan, kLarge, -kLarge},
               [](double x) { return std::floor(x); }},
              FORMS_OF(Floor));
  this->check({"Trunc",
               -50,
               50,
               {0.5, -1.5, 2, kInf, -kInf, kNan, kLarge, -kLarge},
               [](double x) { return std::trunc(x); }},
              FORMS_OF(Trunc));
  this->check({"Round",
               -50,
               50,
               {0.5, 1.5, -2.5, kInf, -kInf, kNan, kLarge, -kLarge},
               [](double x) { return std::nearbyint(x); }},
              FORMS_OF(Round));
  this->check({"Frac",
               -50,
               50,
               {0.0, 3.0, kNan, kLarge, -kLarge},
               [](double x) { return x - std::trunc(x); }},
              FORMS_OF(Frac));
  this->check({"Sign",
               -1,
               1,
               {0.0, -0.0, 6e-8, -6e-8, kInf, -kInf, kNan},
               [](double x) { return std::isnan(x) ? x : (x > 0) - (x < 0); }},
              FORMS_OF(Sign));
}

TYPED_TEST(MathTest, Activations) {
  this->check({"Tanh", -9, 9, {kInf, -kInf, kNan, 1e-4}, [](double x) { return std::tanh(x); }},
              FORMS_OF(Tanh));
  this->check({"Sigmoid", -9, 9, {kInf, -kInf, kNan, -100, 100}, sigmoid}, FORMS_OF(Sigmoid));
  this->check(
      {"Silu", -9, 9, {0.0, kInf, kNan, -100, 100}, [](double x) { return x * sigmoid(x); }},
      FORMS_OF(Silu));
  this->check({"Gelu", -9, 9, {0.0, kNan, -50, 50}, gelu}, FORMS_OF(Gelu));
  this->check({"FasterGelu",
               -9,
               9,
               {0.0, kNan, -100, 100},
               [](double x) { return x * sigmoid(1.702 * x); }},
              FORMS_OF(FasterGelu));
  this->check({"FasterGeluV2", -9, 9, {0.0, kNan, -100, 100}, faster_gelu_v2},
              FORMS_OF(FasterGeluV2));
  this->check(
      {"Swish", -9, 9, {}, [](double x) { return x * sigmoid(1.5 * x); }},
      [](auto y, auto x, auto, auto n) { Swish(y, x, n, TypeParam(1.5f)); },
      [](auto y, auto x, auto, auto n) { Swish(y, x, n, TypeParam(1.5f)); });
  this->check(
      {"ClampMax", -9, 9, {kInf, -kInf}, [](double x) { return std::min(x, 2.0); }},
      [](auto y, auto x, auto t, auto n) { ClampMax(y, x, t, TypeParam(2.0f), n); },
      [](auto y, auto x, auto, auto n) { ClampMax(y, x, TypeParam(2.0f), n); });
  this->check(
      {"ClampMin", -9, 9, {kInf, -kInf}, [](double x) { return std::max(x, 2.0); }},
      [](auto y, auto x, auto t, auto n) { ClampMin(y, x, t, TypeParam(2.0f), n); },
      [](auto y, auto x, auto, auto n) { ClampMin(y, x, TypeParam(2.0f), n); });
}

TYPED_TEST(MathTest, ExponentialsAndLogarithms) {
  this->check(
      {"Log2", 0.01, 100, {1.0, 0.0, kInf, -1, kNan}, [](double x) { return std::log2(x); }},
      FORMS_OF(Log2));
  this->check(
      {"Log10",
       0.01,
       100,
       {1.0, 1000.0, 0.0, -1, kInf, kNan},
       [](double x) { return std::log10(x); }},
      [](auto y, auto x, auto, auto n) { Log10(y, x, n); },
      [](auto y, auto x, auto, auto n) { Log10(y, x, n); });
  this->check(
      {"Log", 0.01, 100, {1.0, 0.0, -1, kInf, kNan}, [](double x) { return std::log(x); }},
      [](auto y, auto x, auto, auto n) { Log(y, x, n); },
      [](auto y, auto x, auto, auto n) { Log(y, x, n); });
  this->check(
      {"Exp",
       -10,
       10,
       {0.0, kInf, -kInf, kNan, 80, -80, 100, -100},
       [](double x) { return std::exp(x); }},
      [](auto y, auto x, auto tmp, auto n) { Exp<TypeParam, 10>(y, x, tmp, n); },
      [](auto y, auto x, auto, auto n) { Exp<TypeParam, 12>(y, x, n); });
}

/// The whole part is the number below, as documented, which few terms of the series show.
TYPED_TEST(MathTest, ExponentialOfFewTerms) {
  using T = TypeParam;
  const Values x = {0.75, -0.75, 2.25, -2.25, 3, -3, 0, 0.5};
  Values expected;
  for (const double value : x) {
    const double rest = value - std::floor(value);
    expected.push_back(std::exp(std::floor(value)) * (1 + rest + rest * rest / 2));
  }
  this->template tensor<T>(8, x);
  this->template tensor<T>(8);
  this->run([&] { Exp<T, 2>(this->template at<T>(1), this->template at<T>(0), 8); });
  this->expect_near(1, expected, std::is_same_v<T, half> ? 1e-3 : 1e-5, 1e-5);
}

TYPED_TEST(MathTest, Angles) {
  this->check({"Sin", -20, 20, {0.0, 65504, -31415.0, kNan}, [](double x) { return std::sin(x); }},
              FORMS_OF(Sin));
  this->check({"Cos", -20, 20, {0.0, 65504, -31415.0, kNan}, [](double x) { return std::cos(x); }},
              FORMS_OF(Cos));
  this->check(
      {"Tan", -1.5, 1.5, {0.0, 65504, 1.57, 3, 100, kNan}, [](double x) { return std::tan(x); }},
      FORMS_OF(Tan));
  this->check({"Asin",
               -1,
               1,
               {0.0, 1, -1, 1.5, 1e-4, kNan, kInf, -kInf, -1.5},
               [](double x) { return std::asin(x); }},
              FORMS_OF(Asin));
  this->check({"Acos",
               -1,
               1,
               {0.0, 1, -1, -1.5, 0.999, kNan, kInf, -kInf, 1.5},
               [](double x) { return std::acos(x); }},
              FORMS_OF(Acos));
  this->check({"Atan",
               -20,
               20,
               {0.0, 1, 1e-4, -1e-3, kInf, -kInf, kNan},
               [](double x) { return std::atan(x); }},
              FORMS_OF(Atan));
}

TYPED_TEST(MathTest, Hyperbolic) {
  this->check({"Sinh",
               -10,
               10,
               {0.0, 1e-4, 0.5, kInf, -kInf, kNan, 88, -88, 89, 89.3, -100, 100},
               [](double x) { return std::sinh(x); }},
              FORMS_OF(Sinh));
  this->check({"Cosh",
               -10,
               10,
               {0.0, kInf, -kInf, kNan, 88, -88, 89, 89.3, -100, 100},
               [](double x) { return std::cosh(x); }},
              FORMS_OF(Cosh));
  this->check({"Asinh",
               -20,
               20,
               {0.0, 1e-4, -0.25, 60000, kInf, -kInf, kNan, -60000},
               [](double x) { return std::asinh(x); }},
              FORMS_OF(Asinh));
  this->check({"Acosh",
               1,
               20,
               {1.0, 0.5, 60000, kInf, -0.5, -1, -2, -60000, -kInf, kNan},
               [](double x) { return std::acosh(x); }},
              FORMS_OF(Acosh));
  this->check({"Atanh",
               -0.99,
               0.99,
               {0.0, 1, -1, 2, 1e-4, kNan, -2, kInf, -kInf},
               [](double x) { return std::atanh(x); }},
              FORMS_OF(Atanh));
}

TYPED_TEST(MathTest, ErrorAndGammaFunctions) {
  this->check({"Erf",
               -4,
               4,
               {0.0, 1e-4, 0.4, kInf, -kInf, kNan, 10, -10},
               [](double x) { return std::erf(x); }},
              FORMS_OF(Erf));
  this->check(
      {"Erfc", -4, 4, {0.0, kInf, -kInf, kNan, 10, -10}, [](double x) { return std::erfc(x); }},
      FORMS_OF(Erfc));
  this->check(
      {"Lgamma",
       -4.9,
       40,
       {1.0, 2.0, 0.5, -2.0, 100, 0.0, kInf, -kInf, kNan, -1.0, 5000, -20.5},
       [](double x) { return std::lgamma(x); },
       1e-5},
      [](auto y, auto x, auto tmp, auto n) { Lgamma(y, x, tmp, n); },
      [](auto y, auto x, auto, auto n) { Lgamma(y, x, n); });
  this->check(
      {"Digamma", 0.05, 40, {1.0, 0.5, -0.5, -1.25, 100, kNan, kInf, 5000}, digamma, 1e-5},
      [](auto y, auto x, auto tmp, auto n) { Digamma(y, x, tmp, n); },
      [](auto y, auto x, auto, auto n) { Digamma(y, x, n); });
}

TYPED_TEST(MathTest, TwoSources) {
  using T = TypeParam;
  constexpr std::uint32_t kCount = 200;
  const Values a = rounded<T>(numbers(kCount, -5, 5, 1)),
               b = rounded<T>(numbers(kCount, 0.5, 4, 2));
  using Call = std::function<void(LocalTensor<T>, LocalTensor<T>, LocalTensor<T>,
                                  LocalTensor<std::uint8_t>, bool)>;
  const auto check = [&](const char* name, const Call& call, auto expected) {
    Values y(kCount);
    for (std::size_t i = 0; i < kCount; ++i) y[i] = expected(a[i], b[i]);
    for (const bool given : {true, false}) {
      this->forget();
      this->template tensor<T>(kCount, a);
      this->template tensor<T>(kCount, b);
      this->template tensor<T>(kCount);
      this->scratch(2048);
      this->run([&] {
        call(this->template at<T>(2), this->template at<T>(0), this->template at<T>(1),
             this->template at<std::uint8_t>(3), given);
      });
      this->expect_near(2, y, sizeof(T) == 2 ? 2e-3 : 1e-5, sizeof(T) == 2 ? 1e-3 : 1e-6, name);
    }
  };
#define CALL_OF_TWO(Name)                                   \
  [](auto y, auto x0, auto x1, auto tmp, bool given) {      \
    given ? Name(y, x0, x1, tmp, kCount) : Name(y, x0, x1); \
  }
  check("Fmod", CALL_OF_TWO(Fmod), [](double x, double y) { return std::fmod(x, y); });
  check("GeGLU", CALL_OF_TWO(GeGLU), [](double x, double y) { return x * gelu(y); });
  check("ReGlu", CALL_OF_TWO(ReGlu), [](double x, double y) { return x * std::max(y, 0.0); });
  check(
      "SwiGLU",
      [](auto y, auto x0, auto x1, auto tmp, bool given) {
        given ? SwiGLU(y, x0, x1, 1.25f, tmp, kCount) : SwiGLU(y, x0, x1, 1.25f);
      },
      [](double x, double y) { return x * y * sigmoid(1.25 * y); });
  check(
      "Power",
      [](auto y, auto x0, auto x1, auto tmp, bool given) {
        given ? Power(y, x1, x0, tmp, kCount) : Power(y, x1, x0);
      },
      [](double x, double y) { return std::pow(y, x); });
  check(
      "Power of a scalar",
      [](auto y, auto x0, auto, auto tmp, bool given) {
        given ? Power(y, T(3.0f), x0, tmp, kCount) : Power(y, T(3.0f), x0);
      },
      [](double x, double) { return std::pow(3.0, x); });
  check(
      "Power by a scalar",
      [](auto y, auto x0, auto, auto tmp, bool given) {
        given ? Power(y, x0, T(3.0f), tmp, kCount) : Power(y, x0, T(3.0f), kCount);
      },
      [](double x, double) { return std::pow(x, 3.0); });
  // dst = src scalar + dst
  this->forget();
  this->template tensor<T>(kCount, a);
  this->template tensor<T>(kCount, b);
  this->scratch(512);
  this->run([&] {
    Axpy(this->template at<T>(0), this->template at<T>(1), T(2.0f),
         this->template at<std::uint8_t>(2), kCount);
  });
  Values y(kCount);
  for (std::size_t i = 0; i < kCount; ++i) y[i] = a[i] + 2 * b[i];
  this->expect_near(0, y, 1e-3, 1e-5, "Axpy");
}

class MathForms : public LibraryTest {};

TEST_F(MathForms, ReGluOfBfloat16) {
  constexpr std::uint32_t kCount = 300;
  const Values a = rounded<bfloat16_t>(numbers(kCount, -5, 5, 1)),
               b = rounded<bfloat16_t>(numbers(kCount, -4, 4, 2));
  Values expected;
  for (std::uint32_t i = 0; i < kCount; ++i) expected.push_back(a[i] * std::max(b[i], 0.0));
  tensor<bfloat16_t>(kCount, a);
  tensor<bfloat16_t>(kCount, b);
  for (int i = 0; i < 2; ++i) tensor<bfloat16_t>(kCount);
  scratch(4096);
  run([&] {
    const auto x = at<bfloat16_t>(0), y = at<bfloat16_t>(1);
    ReGlu(at<bfloat16_t>(2), x, y, at<std::uint8_t>(4), kCount);
    ReGlu(at<bfloat16_t>(3), x, y, kCount);
  });
  expect_near(2, expected, 4e-3, 0);
  expect_near(3, expected, 4e-3, 0);
}

TEST_F(MathForms, PowersOfNegativeNumbersAndLimits) {
  // Every number to the power of every other.
  const Values tried = {0,  -0.0, 1,    -1,    2,    -2,    0.5,   -0.5, 1.5,      3,
                        -3, 1000, kInf, -kInf, kNan, 1e-30, -1e20, 38,   16777215, 33554432};
  Values base, exponent;
  for (const double x : tried) {
    for (const double y : tried) base.push_back(x), exponent.push_back(y);
  }
  Values expected(base.size());
  for (std::size_t i = 0; i < base.size(); ++i) {
    expected[i] = static_cast<float>(std::pow(base[i], exponent[i]));
  }
  tensor<float>(base.size(), base);
  tensor<float>(base.size(), exponent);
  tensor<float>(base.size());
  run([&] { Power(at<float>(2), at<float>(0), at<float>(1), base.size()); });
  expect_near(2, expected, 1e-5, 1e-44);
  const Values result = got(2);
  for (std::size_t i = 0; i < base.size(); ++i) {
    if (std::isnan(expected[i])) continue;
    EXPECT_EQ(std::signbit(result[i]), std::signbit(expected[i])) << base[i] << "^" << exponent[i];
  }
}

TEST_F(MathForms, GatesFarOut) {
  const Values x = {1, 2, -3, 4, 5, -6, 7, kNan}, y = {-100, 100, -300, 300, kInf, 0, -20, 1};
  for (int i = 0; i < 2; ++i) tensor<float>(8, i == 0 ? x : y);
  for (int i = 0; i < 3; ++i) tensor<float>(8);
  run([&] {
    SwiGLU(at<float>(2), at<float>(0), at<float>(1), 1.0f, 8);
    GeGLU(at<float>(3), at<float>(0), at<float>(1), 8);
    Swish(at<float>(4), at<float>(1), 8, 1.0f);
  });
  Values a, b, c;
  for (int i = 0; i < 8; ++i) {
    a.push_back(x[i] * y[i] * sigmoid(y[i]));
    b.push_back(x[i] * gelu(y[i]));
    c.push_back(y[i] * sigmoid(y[i]));
  }
  expect_near(2, a, 1e-5, 1e-6, "SwiGLU");
  expect_near(3, b, 1e-5, 1e-6, "GeGLU");
  expect_near(4, c, 1e-5, 1e-6, "Swish");
}

TEST_F(MathForms, IntegersPowerAndExclusiveOr) {
  const Values base = {2, -3, 7, 1, -1, 5, 0, 10, -2, 3, INT32_MIN, INT32_MIN, -1, 5},
               exponent = {10, 3, 11, -5, -3, -1, 4, 0, 31, 20, -2, 1, INT32_MIN, INT32_MIN};
  const auto count = static_cast<std::uint32_t>(base.size());
  Values expected;
  for (std::size_t i = 0; i < count; ++i) {
    if (exponent[i] < 0) {
      expected.push_back(std::trunc(std::pow(base[i], exponent[i])));
      continue;
    }
    std::uint32_t product = 1;
    for (int k = 0; k < exponent[i]; ++k)
      product *= static_cast<std::uint32_t>(static_cast<std::int32_t>(base[i]));
    expected.push_back(static_cast<std::int32_t>(product));
  }
  tensor<std::int32_t>(count, base);
  tensor<std::int32_t>(count, exponent);
  tensor<std::int32_t>(count);
  scratch(5 * 64);
  Values a, b, xored;
  for (int i = 0; i < 100; ++i) {
    a.push_back(i * 601 % 65536), b.push_back(i * 30011 % 65536);
    xored.push_back(static_cast<int>(a.back()) ^ static_cast<int>(b.back()));
  }
  tensor<std::uint16_t>(100, a);
  tensor<std::uint16_t>(100, b);
  tensor<std::uint16_t>(100);
  run([&] {
    Power(at<std::int32_t>(2), at<std::int32_t>(0), at<std::int32_t>(1), at<std::uint8_t>(3),
          count);
    Xor(at<std::uint16_t>(6), at<std::uint16_t>(4), at<std::uint16_t>(5), at<std::uint8_t>(3), 100);
  });
  expect_near(2, expected, 0, 0);
  expect_near(6, xored, 0, 0);
}

TEST_F(MathForms, HalfIntoFloatAndRefusals) {
  tensor<half>(64, numbers(64, -1, 1));
  tensor<float>(64, numbers(64, -1, 1, 2));
  scratch(64);
  const Values x = rounded<half>(numbers(64, -1, 1)), y = rounded<float>(numbers(64, -1, 1, 2));
  run([&] { Axpy(at<float>(1), at<half>(0), half(0.5f), at<std::uint8_t>(2), 64); });
  Values expected(64);
  for (std::size_t i = 0; i < 64; ++i) expected[i] = x[i] * 0.5 + y[i];
  expect_near(1, expected, 1e-6, 1e-7);
  EXPECT_EQ(refusal([&] { Sin(at<float>(1), at<float>(1), at<std::uint8_t>(2), 64); }),
            "Sin: bytes of sharedTmpBuffer is 64, allowed are 256 and more");
  EXPECT_EQ(refusal([&] { Erf(at<float>(1), at<float>(1), 65); }),
            "Erf: calCount is 65, allowed are 0 to 64, the elements of dst");
}

}  // namespace
}  // namespace davsim::test
