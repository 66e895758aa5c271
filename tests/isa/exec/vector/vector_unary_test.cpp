#include <random>

#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

DAVSIM_TEST_CALL(Exp);
DAVSIM_TEST_CALL(Ln);
DAVSIM_TEST_CALL(Abs);
DAVSIM_TEST_CALL(Sqrt);
DAVSIM_TEST_CALL(Rsqrt);
DAVSIM_TEST_CALL(Reciprocal);
DAVSIM_TEST_CALL(Relu);
DAVSIM_TEST_CALL(Not);

template <class T, class Op>
auto lifted(Op op) {
  return [op](T a, T) { return Exact<T>::write(op(Exact<T>::read(a))); };
}

template <class T>
class VectorUnary : public VectorCallTest {};
using FloatTypes = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorUnary, FloatTypes);

TYPED_TEST(VectorUnary, Abs) {
  this->template check_unary<TypeParam, TypeParam>(
      AbsCall(), lifted<TypeParam>([](double a) { return std::abs(a); }));
}
TYPED_TEST(VectorUnary, Sqrt) {
  this->template check_unary<TypeParam, TypeParam>(
      SqrtCall(), lifted<TypeParam>([](double a) { return std::sqrt(a); }));
}
TYPED_TEST(VectorUnary, Reciprocal) {
  this->template check_unary<TypeParam, TypeParam>(
      ReciprocalCall(), lifted<TypeParam>([](double a) { return 1 / a; }));
}
// These three are computed in fp32 first.
TYPED_TEST(VectorUnary, Rsqrt) {
  this->template check_unary<TypeParam, TypeParam>(
      RsqrtCall(), lifted<TypeParam>([](double a) { return to_float(1 / std::sqrt(a)); }));
}
TYPED_TEST(VectorUnary, Exp) {
  this->template check_unary<TypeParam, TypeParam>(
      ExpCall(), lifted<TypeParam>([](double a) { return to_float(std::exp(a)); }));
}
TYPED_TEST(VectorUnary, Ln) {
  this->template check_unary<TypeParam, TypeParam>(
      LnCall(), lifted<TypeParam>([](double a) { return to_float(std::log(a)); }));
}

double relu(double a) {
  return std::isnan(a) ? a : a > 0 ? a : 0.0;
}
std::int64_t relu(std::int64_t a) {
  return a > 0 ? a : 0;
}

template <class T>
class VectorRelu : public VectorCallTest {};
using ReluTypes = ::testing::Types<half, std::int32_t, float>;
TYPED_TEST_SUITE(VectorRelu, ReluTypes);

TYPED_TEST(VectorRelu, Relu) {
  this->template check_unary<TypeParam, TypeParam>(
      ReluCall(), lifted<TypeParam>([](auto a) { return relu(a); }));
}

template <class T>
class VectorNot : public VectorCallTest {};
using BitTypes = ::testing::Types<std::int16_t, std::uint16_t>;
TYPED_TEST_SUITE(VectorNot, BitTypes);

TYPED_TEST(VectorNot, Not) {
  this->template check_unary<TypeParam, TypeParam>(
      NotCall(), lifted<TypeParam>([](std::int64_t a) { return ~a; }));
}

class VectorFunction : public VectorTest {
 protected:
  /// op on every half; UB holds them all.
  template <class Call>
  std::vector<std::uint16_t> every_half(Call call) {
    constexpr std::uint32_t kHalves = 0x8000;
    std::vector<std::uint16_t> results;
    for (std::uint32_t sign : {0u, kHalves}) {
      auto* from = core.buffer<std::uint16_t>(isa::Space::kUb);
      for (std::uint32_t i = 0; i < kHalves; ++i) from[i] = static_cast<std::uint16_t>(sign + i);
      call(tensor<half>(kHalves * 2), tensor<half>(0), static_cast<std::int32_t>(kHalves));
      const auto* to = core.buffer<std::uint16_t>(isa::Space::kUb, kHalves * 2);
      results.insert(results.end(), to, to + kHalves);
    }
    return results;
  }

  template <class Call, class Reference>
  void check_every_half(Call call, Reference reference) {
    const auto results = every_half(call);
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
      const double x = decode(static_cast<std::uint16_t>(bits), kHalfFormat);
      ASSERT_EQ(results[bits], to_half_bits(to_float(reference(x)))) << "of " << x;
    }
  }

  /// Results for floats of the given bits.
  template <class Call>
  std::vector<float> of_floats(Call call, const std::vector<float>& values) {
    const std::size_t bytes = values.size() * sizeof(float);
    std::memcpy(core.buffer<float>(isa::Space::kUb), values.data(), bytes);
    const auto to = static_cast<std::uint32_t>((bytes + 31) / 32 * 32);
    call(tensor<float>(to), tensor<float>(0), static_cast<std::int32_t>(values.size()));
    const auto* results = core.buffer<float>(isa::Space::kUb, to);
    return {results, results + values.size()};
  }

  /// Within one unit in the last place of the true value, and nearly always the nearest number.
  template <class Call, class Reference>
  void check_nearest(Call call, Reference reference, std::uint32_t low, std::uint32_t high) {
    std::mt19937 random(low);
    int inexact = 0;
    for (int round = 0; round < 40; ++round) {
      std::vector<float> values(16384);
      for (float& value : values) {
        value = std::bit_cast<float>(static_cast<std::uint32_t>(low + random() % (high - low)));
      }
      const auto results = of_floats(call, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto nearest = static_cast<float>(reference(static_cast<double>(values[i])));
        if (results[i] == nearest) continue;
        ++inexact;
        ASSERT_TRUE(std::nextafter(results[i], nearest) == nearest) << "of " << values[i];
      }
    }
    EXPECT_LE(inexact, 2);  // where the true value is next to the middle of two numbers
  }
};

TEST_F(VectorFunction, EveryHalf) {
  check_every_half(ExpCall(), [](double x) { return std::exp(x); });
  check_every_half(LnCall(), [](double x) { return std::log(x); });
  check_every_half(SqrtCall(), [](double x) { return std::sqrt(x); });
  check_every_half(RsqrtCall(), [](double x) { return 1 / std::sqrt(x); });
  check_every_half(ReciprocalCall(), [](double x) { return 1 / x; });
  check_every_half(AbsCall(), [](double x) { return std::abs(x); });
}

TEST_F(VectorFunction, ExpIsTheNearestFloat) {
  const auto exp = [](double x) { return std::exp(x); };
  check_nearest(ExpCall(), exp, 0x33000000, 0x42b17218);  // up to the overflow at 88.7
  check_nearest(ExpCall(), exp, 0xb3000000, 0xc2d00000);  // down into the subnormals at -104
}

TEST_F(VectorFunction, LnIsTheNearestFloat) {
  const auto ln = [](double x) { return std::log(x); };
  check_nearest(LnCall(), ln, 1, 0x7f800000);
  check_nearest(LnCall(), ln, 0x3f000000, 0x40000000);  // around 1, where it vanishes
}

TEST_F(VectorFunction, RsqrtIsTheNearestFloat) {
  check_nearest(
      RsqrtCall(), [](double x) { return 1 / std::sqrt(x); }, 1, 0x7f800000);
}

/// Documented results of boundary values.
TEST_F(VectorFunction, Boundaries) {
  constexpr float kMax = std::numeric_limits<float>::max();
  constexpr float kInf = INFINITY;
  const auto bits = [](const std::vector<float>& values) {
    std::vector<std::uint32_t> result;
    for (float value : values) result.push_back(std::bit_cast<std::uint32_t>(value));
    return result;
  };
  const float nan = std::bit_cast<float>(kNanBits);
  const std::vector<float> in = {-kMax, kMax, 0.0f, -0.0f, std::bit_cast<float>(0xff812345u),
                                 kInf,  -kInf};
  EXPECT_EQ(bits(of_floats(ExpCall(), in)), bits({0, kInf, 1, 1, nan, kInf, 0}));
  EXPECT_EQ(bits(of_floats(LnCall(), in)), bits({nan, 88.722839f, -kInf, -kInf, nan, kInf, nan}));
  EXPECT_EQ(bits(of_floats(AbsCall(), in)), bits({kMax, kMax, 0, 0, nan, kInf, kInf}));
  EXPECT_EQ(bits(of_floats(ReciprocalCall(), in)),
            bits({-0x1p-128f, 0x1p-128f, kInf, -kInf, nan, 0, -0.0f}));
  EXPECT_EQ(bits(of_floats(SqrtCall(), in)), bits({nan, 0x1.fffffep63f, 0, -0.0f, nan, kInf, nan}));
  EXPECT_EQ(bits(of_floats(RsqrtCall(), in)), bits({nan, 0x1p-64f, kInf, -kInf, nan, 0, nan}));
  EXPECT_EQ(bits(of_floats(ReluCall(), in)), bits({0, kMax, 0, 0, nan, kInf, 0}));
}

}  // namespace
}  // namespace davsim::test
