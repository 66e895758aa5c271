#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

using AscendC::RoundMode;

/// Cast with its mode behind the source, as VectorCallTest passes extra arguments.
DAVSIM_TEST_CALL_TWO_TYPES(Cast);

constexpr RoundMode kFive[] = {RoundMode::CAST_RINT, RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL,
                               RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC};
constexpr RoundMode kFiveOrNone[] = {RoundMode::CAST_NONE,  RoundMode::CAST_RINT,
                                     RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL,
                                     RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC};
constexpr RoundMode kWithOdd[] = {
    RoundMode::CAST_NONE,  RoundMode::CAST_RINT,  RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL,
    RoundMode::CAST_ROUND, RoundMode::CAST_TRUNC, RoundMode::CAST_ODD};
constexpr RoundMode kNone[] = {RoundMode::CAST_NONE};

template <class T>
double read(T x) {
  if constexpr (std::is_same_v<T, half>)
    return decode(x.bits, kHalfFormat);
  else if constexpr (std::is_same_v<T, bfloat16_t>)
    return decode(x.bits, kBfloat16Format);
  else
    return static_cast<double>(x);
}

/// Upper bits of a NaN's payload survive a change of format, and it becomes quiet.
template <class From>
std::uint32_t nan_as_float(From x) {
  if constexpr (std::is_same_v<From, half>) {
    return (x.bits & 0x8000u) << 16 | 0x7fc00000u | (x.bits & 0x3ffu) << 13;
  } else if constexpr (std::is_same_v<From, bfloat16_t>) {
    return static_cast<std::uint32_t>(x.bits) << 16;
  } else {
    return std::bit_cast<std::uint32_t>(static_cast<float>(x));
  }
}

template <class To, class From>
To reference_cast(From from, isa::RoundMode mode) {
  const double x = read(from);
  if constexpr (std::is_integral_v<To>) {
    if (std::isnan(x)) return 0;
    const double whole = round_whole(x, mode);
    if (whole >= std::ldexp(1.0, std::numeric_limits<To>::digits))
      return std::numeric_limits<To>::max();
    if (whole <= static_cast<double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return static_cast<To>(whole);
  } else if constexpr (std::is_same_v<To, float>) {
    if constexpr (std::is_same_v<From, float>) {
      if (std::isnan(x)) return std::bit_cast<float>(kNanBits);
      return static_cast<float>(round_whole(x, mode)) + 0.0f;  // documented: -0 becomes +0
    } else {
      if (std::isnan(x)) return std::bit_cast<float>(nan_as_float(from));
      return static_cast<float>(round_to_format(x, kFloatFormat, mode));
    }
  } else {
    constexpr Format kFormat = std::is_same_v<To, half> ? kHalfFormat : kBfloat16Format;
    if (std::isnan(x)) {
      const std::uint32_t bits = nan_as_float(static_cast<float>(x));
      return std::is_same_v<To, half>
                 ? To::from_bits(static_cast<std::uint16_t>((bits >> 16 & 0x8000u) | 0x7e00u |
                                                            (bits >> 13 & 0x3ffu)))
                 : To::from_bits(static_cast<std::uint16_t>(bits >> 16 | 0x40u));
    }
    return To::from_bits(encode(round_to_format(x, kFormat, mode), kFormat));
  }
}

class VectorCast : public VectorCallTest {
 protected:
  template <class To, class From, std::size_t n>
  void check_modes(const RoundMode (&modes)[n]) {
    for (RoundMode mode : modes) {
      check_unary<To, From>(
          CastCall(),
          [&](From a, To) { return reference_cast<To>(a, static_cast<isa::RoundMode>(mode)); },
          mode);
      if (HasFatalFailure()) FAIL() << "mode " << static_cast<int>(mode);
    }
  }
};

TEST_F(VectorCast, Int8ToHalf) {
  check_modes<half, std::int8_t>(kNone);
}
TEST_F(VectorCast, Uint8ToHalf) {
  check_modes<half, std::uint8_t>(kNone);
}
TEST_F(VectorCast, Int16ToHalf) {
  check_modes<half, std::int16_t>(kFiveOrNone);
}
TEST_F(VectorCast, Int16ToFloat) {
  check_modes<float, std::int16_t>(kNone);
}
TEST_F(VectorCast, HalfToInt8) {
  check_modes<std::int8_t, half>(kFiveOrNone);
}
TEST_F(VectorCast, HalfToUint8) {
  check_modes<std::uint8_t, half>(kFiveOrNone);
}
TEST_F(VectorCast, HalfToInt16) {
  check_modes<std::int16_t, half>(kFive);
}
TEST_F(VectorCast, HalfToInt32) {
  check_modes<std::int32_t, half>(kFive);
}
TEST_F(VectorCast, HalfToFloat) {
  check_modes<float, half>(kNone);
}
TEST_F(VectorCast, BfloatToInt32) {
  check_modes<std::int32_t, bfloat16_t>(kFive);
}
TEST_F(VectorCast, BfloatToFloat) {
  check_modes<float, bfloat16_t>(kNone);
}
TEST_F(VectorCast, Int32ToFloat) {
  check_modes<float, std::int32_t>(kFiveOrNone);
}
TEST_F(VectorCast, FloatToInt16) {
  check_modes<std::int16_t, float>(kFive);
}
TEST_F(VectorCast, FloatToHalf) {
  check_modes<half, float>(kWithOdd);
}
TEST_F(VectorCast, FloatToBfloat) {
  check_modes<bfloat16_t, float>(kFive);
}
TEST_F(VectorCast, FloatToInt32) {
  check_modes<std::int32_t, float>(kFive);
}
TEST_F(VectorCast, FloatToWholeFloat) {
  check_modes<float, float>(kFive);
}
TEST_F(VectorCast, FloatToInt64) {
  check_modes<std::int64_t, float>(kFive);
}

// These lose nothing or saturate, in integers.
TEST_F(VectorCast, Int32ToInt16) {
  check_unary<std::int16_t, std::int32_t>(
      CastCall(),
      [](std::int32_t a, std::int16_t) {
        return static_cast<std::int16_t>(std::clamp(a, -32768, 32767));
      },
      RoundMode::CAST_NONE);
}
TEST_F(VectorCast, Int32ToInt64) {
  check_unary<std::int64_t, std::int32_t>(
      CastCall(), [](std::int32_t a, std::int64_t) { return std::int64_t{a}; },
      RoundMode::CAST_NONE);
}
TEST_F(VectorCast, Int64ToInt32) {
  check_unary<std::int32_t, std::int64_t>(
      CastCall(),
      [](std::int64_t a, std::int32_t) {
        return static_cast<std::int32_t>(
            std::clamp<std::int64_t>(a, std::int64_t{INT32_MIN}, std::int64_t{INT32_MAX}));
      },
      RoundMode::CAST_NONE);
}

TEST_F(VectorCast, Int64ToFloat) {
  for (RoundMode mode : kFive) {
    check_unary<float, std::int64_t>(
        CastCall(),
        [&](std::int64_t a, float) { return int_to_float(a, static_cast<isa::RoundMode>(mode)); },
        mode);
  }
}

TEST_F(VectorCast, Int32ToHalfIsScaled) {
  for (float scale : {1.0f, 0.0078125f, 0.333f}) {
    const half factor(scale);
    AscendC::SetDeqScale(factor);
    check_unary<half, std::int32_t>(
        CastCall(),
        [&](std::int32_t a, half) {
          const double product =
              static_cast<double>(static_cast<float>(a)) * decode(factor.bits, kHalfFormat);
          return half::from_bits(to_half_bits(to_float(product)));
        },
        RoundMode::CAST_NONE);
  }
}

/// An instruction takes the scale with it when it is issued.
TEST_F(VectorCast, ScaleIsTakenWhenTheRecordIsBuilt) {
  AscendC::SetDeqScale(half(2.0f));
  AscendC::Cast(tensor<half>(64), tensor<std::int32_t>(0), RoundMode::CAST_NONE, 8);
  AscendC::SetDeqScale(half(3.0f));
  const auto& params = std::get<isa::VectorParams>(core.emitted[1].params);
  EXPECT_EQ(params.scalar, half(2.0f).bits);
  EXPECT_EQ(core.emitted[0].op, isa::Opcode::kSetRegister);
}

/// From half to int32 with a mask and repeats, as documented: 64 lanes a repeat, strides 8 and 4.
TEST_F(VectorCast, WiderTypeDecidesAboutRepeats) {
  fill<half>();
  AscendC::Cast(tensor<std::int32_t>(65536), tensor<half>(0), RoundMode::CAST_CEIL, 64, 8,
                {1, 1, 8, 4});
  for (std::uint32_t i = 0; i < 512; ++i) {
    put(65536 + i * 4, reference_cast<std::int32_t>(get<half>(i * 2), isa::RoundMode::kCeil));
  }
  check();
}

}  // namespace
}  // namespace davsim::test
