#include "tests/isa/exec/vector/vector_calls.hpp"

namespace davsim::test {
namespace {

DAVSIM_TEST_CALL(ShiftLeft);
DAVSIM_TEST_CALL(ShiftRight);

/// The value of `x` divided by 2^places, downwards.
std::int64_t divided(std::int64_t x, int places) {
  const std::int64_t divisor = std::int64_t{1} << places;
  return x >= 0 ? x / divisor : -((-x + divisor - 1) / divisor);
}

/// Bit by bit: the sign stays, the others move up.
template <class T>
T moved_left(T x, int places) {
  constexpr int kWidth = sizeof(T) * 8;
  const auto bits = static_cast<std::uint64_t>(x);
  std::uint64_t result = 0;
  for (int bit = 0; bit < kWidth; ++bit) {
    const bool sign = std::is_signed_v<T> && bit == kWidth - 1;
    const int from = sign ? bit : bit - places;
    if (from >= 0 && (bits >> from & 1) != 0) result |= std::uint64_t{1} << bit;
  }
  return static_cast<T>(result);
}

template <class T>
class VectorShift : public VectorCallTest {
 protected:
  static constexpr int kWidth = sizeof(T) * 8;
};
using VectorShiftTypes = ::testing::Types<std::int16_t, std::uint16_t, std::int32_t, std::uint32_t>;
TYPED_TEST_SUITE(VectorShift, VectorShiftTypes);

TYPED_TEST(VectorShift, LeftKeepsTheSign) {
  using T = TypeParam;
  for (int places : {0, 3, this->kWidth}) {
    this->template check_unary<T, T>(
        ShiftLeftCall(), [&](T a, T) { return moved_left(a, places); }, T(places));
  }
}

TYPED_TEST(VectorShift, RightIsArithmeticForSignedTypes) {
  using T = TypeParam;
  for (int places : {0, 5, this->kWidth}) {
    this->template check_unary<T, T>(
        ShiftRightCall(), [&](T a, T) { return static_cast<T>(divided(a, places)); }, T(places));
  }
}

TYPED_TEST(VectorShift, RoundingAddsTheLastBitThatIsLost) {
  using T = TypeParam;
  for (int places : {0, 1, 5, this->kWidth}) {
    this->template fill<T>();
    const std::uint64_t mask[2] = {0x5555aaaa5555aaaa, ~std::uint64_t{0}};
    AscendC::ShiftRight(this->template tensor<T>(0), this->template tensor<T>(8192), T(places),
                        mask, 7, {1, 1, 8, 8}, true);
    const auto expect = [&](T a, T, T) {
      const bool last = places > 0 && (divided(a, places - 1) & 1) != 0;
      return static_cast<T>(divided(a, places) + (std::is_signed_v<T> && last ? 1 : 0));
    };
    this->template expect_walk<T, T>(Lanes::bits(mask[0], mask[1], 256 / sizeof(T), 7), 0, {}, 8192,
                                     {}, 8192, {}, expect);
    this->check();
    AscendC::ShiftRight(this->template tensor<T>(0), this->template tensor<T>(8192), T(places), 3,
                        2, {1, 1, 8, 8}, true);
    this->template expect_walk<T, T>(Lanes::first(3, 256 / sizeof(T), 2), 0, {}, 8192, {}, 8192, {},
                                     expect);
    this->check();
  }
}

/// The examples of the documentation.
TEST(VectorShiftExamples, OfTheDocumentation) {
  EXPECT_EQ(moved_left(static_cast<std::int16_t>(0xaaaa), 1), static_cast<std::int16_t>(0xd554));
  EXPECT_EQ(moved_left(static_cast<std::int16_t>(0xaaaa), 3), static_cast<std::int16_t>(0xd550));
  EXPECT_EQ(moved_left(static_cast<std::uint16_t>(0xaaaa), 1), 0x5554);
  EXPECT_EQ(divided(static_cast<std::int16_t>(0xaaaa), 3), static_cast<std::int16_t>(0xf555));
}

TEST_F(VectorTest, ShiftsBeyondTheWidthAreRefused) {
  const auto refusal = [&](auto call) {
    try {
      call();
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
      return fault.message;
    }
    return std::string("nothing");
  };
  const auto i16 = tensor<std::int16_t>(0);
  const auto u32 = tensor<std::uint32_t>(0);
  EXPECT_EQ(refusal([&] { AscendC::ShiftLeft(i16, i16, std::int16_t{17}, 8); }),
            "VSHL: scalarValue is 17, allowed are 0 to 16");
  EXPECT_EQ(refusal([&] { AscendC::ShiftRight(i16, i16, std::int16_t{-1}, 8); }),
            "VSHR: scalarValue is -1, allowed are 0 to 16");
  EXPECT_EQ(refusal([&] {
              AscendC::ShiftRight(u32, u32, 33u, 8, 1, {1, 1, 8, 8}, true);
            }),
            "VSHR: scalarValue is 33, allowed are 0 to 32");
}

}  // namespace
}  // namespace davsim::test
