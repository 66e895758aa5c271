// Instructions that do several things at once: what the single ones would give one after another.
#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

DAVSIM_TEST_CALL(AddRelu);
DAVSIM_TEST_CALL(SubRelu);
DAVSIM_TEST_CALL(FusedMulAdd);
DAVSIM_TEST_CALL(MulAddRelu);
DAVSIM_TEST_CALL(FusedMulAddRelu);
DAVSIM_TEST_CALL(LeakyRelu);
DAVSIM_TEST_CALL_TWO_TYPES(AddReluCast);
DAVSIM_TEST_CALL_TWO_TYPES(SubReluCast);
DAVSIM_TEST_CALL_TWO_TYPES(MulCast);
DAVSIM_TEST_CALL_TWO_TYPES(AddDeqRelu);

/// A result as it would be stored, read again.
template <class T>
auto rounded(typename Exact<T>::Value value) {
  return Exact<T>::read(Exact<T>::write(value));
}

template <class Value>
Value relu(Value x) {
  return x > 0 || x != x ? x : Value{0};
}

template <class To>
To to_int(double x) {
  if (std::isnan(x)) return 0;
  const double whole = round_whole(x, isa::RoundMode::kRint);
  return static_cast<To>(std::clamp(whole, double{std::numeric_limits<To>::min()},
                                    double{std::numeric_limits<To>::max()}));
}

template <class T>
class VectorFused : public VectorCallTest {};
using SumTypes = ::testing::Types<std::int16_t, half, float>;
TYPED_TEST_SUITE(VectorFused, SumTypes);

TYPED_TEST(VectorFused, AddRelu) {
  using T = TypeParam;
  using E = Exact<T>;
  this->template check_binary<T, T>(AddReluCall(), [](T a, T b, T) {
    return E::write(relu(rounded<T>(E::read(a) + E::read(b))));
  });
}
TYPED_TEST(VectorFused, SubRelu) {
  using T = TypeParam;
  using E = Exact<T>;
  this->template check_binary<T, T>(SubReluCall(), [](T a, T b, T) {
    return E::write(relu(rounded<T>(E::read(a) - E::read(b))));
  });
}

template <class T>
class VectorMultiplyAdd : public VectorCallTest {};
using FloatTypes = ::testing::Types<half, float>;
TYPED_TEST_SUITE(VectorMultiplyAdd, FloatTypes);

TYPED_TEST(VectorMultiplyAdd, FusedMulAddRoundsTheProductFirst) {
  using T = TypeParam;
  using E = Exact<T>;
  this->template check_binary<T, T>(FusedMulAddCall(), [](T a, T b, T d) {
    return E::write(rounded<T>(E::read(a) * E::read(d)) + E::read(b));
  });
}
TYPED_TEST(VectorMultiplyAdd, WithReluUnderBothNames) {
  using T = TypeParam;
  using E = Exact<T>;
  const auto expected = [](T a, T b, T d) {
    return E::write(relu(rounded<T>(rounded<T>(E::read(a) * E::read(d)) + E::read(b))));
  };
  this->template check_binary<T, T>(MulAddReluCall(), expected);
  this->template check_binary<T, T>(FusedMulAddReluCall(), expected);
}
TYPED_TEST(VectorMultiplyAdd, LeakyRelu) {
  using T = TypeParam;
  using E = Exact<T>;
  for (float slope : {0.001f, -2.0f, 0.0f}) {
    const T scalar(slope);
    this->template check_unary<T, T>(
        LeakyReluCall(),
        [&](T a, T) {
          const double x = E::read(a);
          return E::write(x >= 0 ? x : x * E::read(scalar));
        },
        scalar);
  }
}

/// The documentation's example of FusedMulAdd in half: 0.0625 and not 0.0795, which one rounding
/// would give.
TEST_F(VectorTest, FusedMulAddOfTheDocumentation) {
  fill<half>();
  const auto put_half = [&](std::uint32_t at, float value) {
    *core.buffer<half>(isa::Space::kUb, at) = half(value);
  };
  put_half(0, 14.92f);
  put_half(64, 4.74f);
  put_half(128, -70.6f);
  AscendC::FusedMulAdd(tensor<half>(0), tensor<half>(64), tensor<half>(128), 1);
  EXPECT_EQ(float(*core.buffer<half>(isa::Space::kUb)), 0.0625f);
}

class VectorFusedCast : public VectorCallTest {};

TEST_F(VectorFusedCast, FloatIntoHalf) {
  const auto half_of = [](double x) { return half::from_bits(to_half_bits(x)); };
  check_binary<half, float>(AddReluCastCall(), [&](float a, float b, half) {
    return half_of(relu(rounded<float>(double{a} + b)));
  });
  check_binary<half, float>(SubReluCastCall(), [&](float a, float b, half) {
    return half_of(relu(rounded<float>(double{a} - b)));
  });
}
TEST_F(VectorFusedCast, HalfIntoInt8) {
  using E = Exact<half>;
  check_binary<std::int8_t, half>(AddReluCastCall(), [](half a, half b, std::int8_t) {
    return to_int<std::int8_t>(relu(rounded<half>(E::read(a) + E::read(b))));
  });
  check_binary<std::int8_t, half>(SubReluCastCall(), [](half a, half b, std::int8_t) {
    return to_int<std::int8_t>(relu(rounded<half>(E::read(a) - E::read(b))));
  });
  check_binary<std::int8_t, half>(MulCastCall(), [](half a, half b, std::int8_t) {
    return to_int<std::int8_t>(rounded<half>(E::read(a) * E::read(b)));
  });
  check_binary<std::uint8_t, half>(MulCastCall(), [](half a, half b, std::uint8_t) {
    return to_int<std::uint8_t>(rounded<half>(E::read(a) * E::read(b)));
  });
}
TEST_F(VectorFusedCast, Int16IntoInt8) {
  const auto narrow = [](std::int64_t sum) {
    const auto wrapped = static_cast<std::int16_t>(sum);
    return static_cast<std::int8_t>(std::clamp<std::int16_t>(wrapped, 0, 127));
  };
  check_binary<std::int8_t, std::int16_t>(
      AddReluCastCall(),
      [&](std::int16_t a, std::int16_t b, std::int8_t) { return narrow(a + b); });
  check_binary<std::int8_t, std::int16_t>(
      SubReluCastCall(),
      [&](std::int16_t a, std::int16_t b, std::int8_t) { return narrow(a - b); });
}
TEST_F(VectorFusedCast, AddDeqRelu) {
  for (float factor : {0.1f, -0.25f, 1.0f / 65536}) {
    const half scale(factor);
    AscendC::SetDeqScale(scale);
    check_binary<half, std::int32_t>(AddDeqReluCall(), [&](std::int32_t a, std::int32_t b, half) {
      const auto sum = static_cast<std::int32_t>(std::int64_t{a} + b);
      const float product = static_cast<float>(sum) * static_cast<float>(scale);
      return half::from_bits(to_half_bits(relu(double{product})));
    });
  }
}

}  // namespace
}  // namespace davsim::test
