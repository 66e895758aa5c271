// The control register: saturation of half and bfloat16 results, of integer arithmetic, of casts.
#include <bit>
#include <cmath>
#include <utility>

#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::RoundMode;

class VectorOverflow : public VectorTest {
 protected:
  static constexpr std::uint32_t kA = 65536, kB = 131072, kCount = 3000;

  template <class To, class From, class Op>
  void expect(Op op) {
    expect_walk<To, From>(
        Lanes::count(kCount, 256 / std::max(sizeof(To), sizeof(From))), 0,
        {1, static_cast<std::uint32_t>(8 * sizeof(To) / std::max(sizeof(To), sizeof(From)))}, kA,
        {1, static_cast<std::uint32_t>(8 * sizeof(From) / std::max(sizeof(To), sizeof(From)))}, kB,
        {1, static_cast<std::uint32_t>(8 * sizeof(From) / std::max(sizeof(To), sizeof(From)))}, op);
    check();
  }

  template <class T>
  static T finite(double x) {
    constexpr Format kFormat = std::is_same_v<T, half> ? kHalfFormat : kBfloat16Format;
    if (std::isnan(x)) return T::from_bits(0);
    const double rounded = round_to_format(x, kFormat, isa::RoundMode::kRint);
    const auto bits = encode(rounded, kFormat);
    return T::from_bits(std::isinf(rounded) ? static_cast<std::uint16_t>(bits - 1) : bits);
  }
};

TEST_F(VectorOverflow, RegisterIsReadAndWrittenByBits) {
  EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 1);
  EXPECT_EQ((AscendC::GetCtrlSpr<0, 63>()), std::int64_t{1} << 48);
  AscendC::SetCtrlSpr<53, 53>(1);
  EXPECT_EQ((AscendC::GetCtrlSpr<48, 53>()), 0b100001);
  AscendC::SetMaskCount();
  EXPECT_EQ((AscendC::GetCtrlSpr<56, 56>()), 1);
  AscendC::SetCtrlSpr<56, 56>(0);
  EXPECT_EQ(core.registers().mask_mode, isa::MaskMode::kNormal);
  AscendC::SetCtrlSpr<48, 48>(0);
  AscendC::ResetCtrlSpr<48, 48>();
  EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 1);
  EXPECT_THROW((AscendC::SetCtrlSpr<48, 48>(2)), isa::Fault);
}

TEST_F(VectorOverflow, RegisterIsWrittenByItsOlderName) {
  AscendC::AscendCUtils::SetOverflow(0);
  EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 0);
  AscendC::AscendCUtils::SetOverflow(1);
  EXPECT_EQ((AscendC::GetCtrlSpr<48, 48>()), 1);
}

TEST_F(VectorOverflow, HalfResultsBecomeFinite) {
  AscendC::SetCtrlSpr<48, 48>(0);
  const auto dst = tensor<half>(0), a = tensor<half>(kA), b = tensor<half>(kB);
  using E = Exact<half>;
  fill<half>(3);
  AscendC::Mul(dst, a, b, kCount);
  expect<half, half>([](half x, half y, half) { return finite<half>(E::read(x) * E::read(y)); });
  AscendC::Relu(dst, a, kCount);
  expect<half, half>([](half x, half, half) {
    const double value = E::read(x);
    return finite<half>(value > 0 || std::isnan(value) ? value : 0.0);
  });
  // Masked lanes keep what they have.
  fill<half>(4);
  const std::uint64_t bits[2] = {0xf0f0, 1};
  AscendC::Add(dst, a, b, bits, 9, {1, 1, 1, 8, 8, 8});
  expect_walk<half, half>(
      Lanes::bits(bits[0], bits[1], 128, 9), 0, {}, kA, {}, kB, {},
      [](half x, half y, half) { return finite<half>(E::read(x) + E::read(y)); });
  check();
  // What only moves is left alone.
  AscendC::Duplicate(dst, half::from_bits(0x7c00), 16);
  for (int i = 0; i < 16; ++i) put<std::uint16_t>(i * 2, 0x7c00);
  check();
}

TEST_F(VectorOverflow, ReductionsOfHalfBecomeFinite) {
  constexpr std::uint16_t kMost = 0x7bff, kInfinity = 0x7c00, kNan = 0x7e00;
  const auto dst = tensor<half>(0), a = tensor<half>(kA);
  const auto fill_with = [&](std::uint16_t bits) {
    for (std::uint32_t i = 0; i < 256; ++i)
      *core.buffer<std::uint16_t>(isa::Space::kUb, kA + i * 2) = bits;
  };
  const auto result = [&](std::uint32_t index) {
    return *core.buffer<std::uint16_t>(isa::Space::kUb, index * 2);
  };
  for (const bool keeps : {false, true}) {
    AscendC::SetCtrlSpr<48, 48>(keeps ? 1 : 0);
    fill_with(kMost);
    AscendC::WholeReduceSum(dst, a, 128, 2, 1, 1, 8);
    EXPECT_EQ(result(0), keeps ? kInfinity : kMost);
    EXPECT_EQ(result(1), keeps ? kInfinity : kMost);
    AscendC::BlockReduceSum(dst, a, 1, 128, 1, 1, 8);
    EXPECT_EQ(result(7), keeps ? kInfinity : kMost);
    AscendC::PairReduceSum(dst, a, 1, 128, 1, 1, 8);
    EXPECT_EQ(result(63), keeps ? kInfinity : kMost);
    // Cut off on the way: 60000 + 60000, then - 60000.
    fill_with(0);
    const auto large = std::bit_cast<std::uint16_t>(half(60000.0f));
    std::copy_n(std::array<std::uint16_t, 3>{large, large, std::uint16_t(large | 0x8000)}.begin(),
                3, core.buffer<std::uint16_t>(isa::Space::kUb, kA));
    AscendC::WholeReduceSum(dst, a, 128, 1, 1, 1, 8);
    EXPECT_EQ(result(0), keeps ? kInfinity : std::bit_cast<std::uint16_t>(half(5504.0f)));
    fill_with(0);
    *core.buffer<std::uint16_t>(isa::Space::kUb, kA + 10) = kInfinity;
    *core.buffer<std::uint16_t>(isa::Space::kUb, kA + 256 + 12) = kNan;
    AscendC::WholeReduceMax(dst, a, 128, 2, 1, 1, 8);
    EXPECT_EQ(result(0), keeps ? kInfinity : kMost);
    EXPECT_EQ(result(1), 5) << "the index is that of the infinity";
    EXPECT_EQ(result(2), keeps ? kNan : 0);
    EXPECT_EQ(result(3), 6);
  }
}

TEST_F(VectorOverflow, CastsToHalfAndBfloatBecomeFinite) {
  AscendC::SetCtrlSpr<48, 48>(0);
  fill<float>();
  AscendC::Cast(tensor<half>(0), tensor<float>(kA), RoundMode::CAST_RINT, kCount);
  expect<half, float>([](float x, float, half) { return finite<half>(x); });
  AscendC::Cast(tensor<bfloat16_t>(0), tensor<float>(kA), RoundMode::CAST_RINT, kCount);
  expect<bfloat16_t, float>([](float x, float, bfloat16_t) { return finite<bfloat16_t>(x); });
  // fp32 results stay as they are.
  AscendC::Add(tensor<float>(0), tensor<float>(kA), tensor<float>(kB), kCount);
  expect<float, float>([](float x, float y, float) { return to_float(double{x} + y); });
}

template <class T>
class VectorIntegerOverflow : public VectorOverflow {
 protected:
  static T cut(std::int64_t x) {
    return static_cast<T>(
        std::clamp<std::int64_t>(x, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};
using IntegerTypes = ::testing::Types<std::int16_t, std::int32_t>;
TYPED_TEST_SUITE(VectorIntegerOverflow, IntegerTypes);

TYPED_TEST(VectorIntegerOverflow, ArithmeticSaturates) {
  using T = TypeParam;
  AscendC::SetCtrlSpr<53, 53>(1);
  const auto dst = this->template tensor<T>(0), a = this->template tensor<T>(this->kA),
             b = this->template tensor<T>(this->kB);
  const auto run = [&](auto call, auto op) {
    this->template fill<T>(5);
    call();
    this->template expect<T, T>(
        [&](T x, T y, T) { return this->cut(op(std::int64_t{x}, std::int64_t{y})); });
  };
  const std::int32_t n = this->kCount;
  run([&] { AscendC::Add(dst, a, b, n); }, [](auto x, auto y) { return x + y; });
  run([&] { AscendC::Sub(dst, a, b, n); }, [](auto x, auto y) { return x - y; });
  run([&] { AscendC::Mul(dst, a, b, n); }, [](auto x, auto y) { return x * y; });
  run([&] { AscendC::Adds(dst, a, T{12345}, n); }, [](auto x, auto) { return x + 12345; });
  run([&] { AscendC::Muls(dst, a, T{-3}, n); }, [](auto x, auto) { return x * -3; });
  run([&] { AscendC::Max(dst, a, b, n); }, [](auto x, auto y) { return std::max(x, y); });
}

TEST_F(VectorOverflow, FusedIntegerSumsSaturate) {
  AscendC::SetCtrlSpr<53, 53>(1);
  fill<std::int16_t>();
  const auto a = tensor<std::int16_t>(kA), b = tensor<std::int16_t>(kB);
  AscendC::AddRelu(tensor<std::int16_t>(0), a, b, kCount);
  expect<std::int16_t, std::int16_t>(
      [](int x, int y, int) { return static_cast<std::int16_t>(std::clamp(x + y, 0, 32767)); });
  AscendC::SubRelu(tensor<std::int16_t>(0), a, b, kCount);
  expect<std::int16_t, std::int16_t>(
      [](int x, int y, int) { return static_cast<std::int16_t>(std::clamp(x - y, 0, 32767)); });
  AscendC::AddReluCast(tensor<std::int8_t>(0), a, b, kCount);
  expect<std::int8_t, std::int16_t>(
      [](int x, int y, int) { return static_cast<std::int8_t>(std::clamp(x + y, 0, 127)); });
  AscendC::SubReluCast(tensor<std::int8_t>(0), a, b, kCount);
  expect<std::int8_t, std::int16_t>(
      [](int x, int y, int) { return static_cast<std::int8_t>(std::clamp(x - y, 0, 127)); });
  fill<std::int32_t>();
  AscendC::SetDeqScale(half(1.0f / 65536));
  AscendC::AddDeqRelu(tensor<half>(0), tensor<std::int32_t>(kA), tensor<std::int32_t>(kB), kCount);
  expect<half, std::int32_t>([](std::int64_t x, std::int64_t y, half) {
    const auto sum = std::clamp<std::int64_t>(x + y, INT32_MIN, INT32_MAX);
    return half(std::max(static_cast<float>(sum) / 65536, 0.0f));
  });
}

/// Results that are not above 0 are +0, also where the scale makes -0 of a sum of 0.
TEST_F(VectorOverflow, AddDeqReluHasNoNegativeZero) {
  AscendC::SetCtrlSpr<53, 53>(1);
  fill<std::int32_t>();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    put<std::int32_t>(kA + 4 * i, static_cast<std::int32_t>(i % 3) - 1);
    put<std::int32_t>(kB + 4 * i, 0);
  }
  std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
  AscendC::SetDeqScale(half(-2.0f));
  AscendC::AddDeqRelu(tensor<half>(0), tensor<std::int32_t>(kA), tensor<std::int32_t>(kB), kCount);
  expect<half, std::int32_t>(
      [](std::int64_t x, std::int64_t, half) { return half(x < 0 ? 2.0f : 0.0f); });
}

TEST_F(VectorOverflow, CastsToIntegersKeepTheLowBits) {
  AscendC::SetCtrlSpr<59, 59>(1);
  const auto whole = [](double x) {
    if (std::isnan(x)) return std::int64_t{0};
    if (x >= 0x1p63) return INT64_MAX;
    if (x <= -0x1p63) return INT64_MIN;
    return static_cast<std::int64_t>(std::floor(x));
  };
  fill<half>();
  AscendC::Cast(tensor<std::uint8_t>(0), tensor<half>(kA), RoundMode::CAST_FLOOR, kCount);
  expect<std::uint8_t, half>([&](half x, half, std::uint8_t) {
    return static_cast<std::uint8_t>(whole(decode(x.bits, kHalfFormat)));
  });
  fill<float>();
  AscendC::Cast(tensor<std::int16_t>(0), tensor<float>(kA), RoundMode::CAST_FLOOR, kCount);
  expect<std::int16_t, float>(
      [&](float x, float, std::int16_t) { return static_cast<std::int16_t>(whole(x)); });
  fill<std::int32_t>();
  AscendC::Cast(tensor<std::int16_t>(0), tensor<std::int32_t>(kA), RoundMode::CAST_NONE, kCount);
  expect<std::int16_t, std::int32_t>(
      [](std::int32_t x, std::int32_t, std::int16_t) { return static_cast<std::int16_t>(x); });
  fill<std::int64_t>();
  AscendC::Cast(tensor<std::int32_t>(0), tensor<std::int64_t>(kA), RoundMode::CAST_NONE, kCount);
  expect<std::int32_t, std::int64_t>(
      [](std::int64_t x, std::int64_t, std::int32_t) { return static_cast<std::int32_t>(x); });
}

/// Every way of rounding has wrapping results of its own.
TEST_F(VectorOverflow, CastsThatKeepTheLowBitsRoundAsTheyAreTold) {
  AscendC::SetCtrlSpr<59, 59>(1);
  const std::pair<RoundMode, double (*)(double)> modes[] = {
      {RoundMode::CAST_RINT, [](double x) { return std::nearbyint(x); }},
      {RoundMode::CAST_FLOOR, [](double x) { return std::floor(x); }},
      {RoundMode::CAST_CEIL, [](double x) { return std::ceil(x); }},
      {RoundMode::CAST_ROUND, [](double x) { return std::round(x); }},
      {RoundMode::CAST_TRUNC, [](double x) { return std::trunc(x); }},
  };
  for (const auto& [mode, round] : modes) {
    fill<float>();
    // Halves, quarters and what no 16 bits hold.
    for (std::uint32_t i = 0; i < kCount; ++i) {
      put<float>(kA + 4 * i, (static_cast<float>(i) - 1500) * 40.25f);
    }
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
    AscendC::Cast(tensor<std::int16_t>(0), tensor<float>(kA), mode, kCount);
    expect<std::int16_t, float>([round = round](float x, float, std::int16_t) {
      return static_cast<std::int16_t>(static_cast<std::int64_t>(round(x)));
    });
  }
}

}  // namespace
}  // namespace davsim::test
