// The best of all repeats that WholeReduceMax and WholeReduceMin leave in registers: of more
// repeats than are reduced together, with special values on both sides of the seams.
#include "tests/isa/exec/vector/reduce_reference.hpp"

namespace davsim::test {
namespace {

constexpr std::uint32_t kRepeats = 150;
constexpr std::uint32_t kDst = 128 * 1024;

template <class T>
class BestOfRepeats : public ReduceTest {
 protected:
  using Bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
  static constexpr std::uint32_t kLanes = 256 / sizeof(T);

  /// Numbers in [low, low + 32).
  void fill_from(float low) {
    for (std::uint32_t i = 0; i < kRepeats * kLanes; ++i) {
      lanes[i] = T(low + static_cast<float>(i * 37 % 128) / 4);
    }
  }
  void set(std::uint32_t repeat, std::uint32_t lane, float value) {
    lanes[repeat * kLanes + lane] = T(value);
  }
  void check_both(const std::string& what) {
    this->template fill<T>(1);
    for (std::uint32_t i = 0; i < lanes.size(); ++i)
      this->template put<T>(i * sizeof(T), *lanes[i]);
    std::memcpy(core.buffer<std::byte>(isa::Space::kUb), expected.data(), kUbBytes);
    const auto dst = tensor<T>(kDst), src = tensor<T>(0);
    const auto order = AscendC::ReduceOrder::ORDER_ONLY_VALUE;
    AscendC::WholeReduceMax(dst, src, kLanes, kRepeats, 1, 1, 8, order);
    expect_best(Reduce::kMax, what + ", max");
    AscendC::WholeReduceMin(dst, src, kLanes, kRepeats, 1, 1, 8, order);
    expect_best(Reduce::kMin, what + ", min");
  }
  void expect_best(Reduce kind, const std::string& what) {
    std::uint32_t value = 0, index = 0;
    AscendC::GetReduceMaxMinCount<T>(value, index);
    const auto best = best_lane<T>(kind, lanes, 0, lanes.size());
    const double is = Exact<T>::read(std::bit_cast<T>(static_cast<Bits>(value)));
    const double should = Exact<T>::read(best->value);
    EXPECT_EQ(index, best->lane) << what;
    EXPECT_EQ(std::isnan(is), std::isnan(should)) << what;
    if (std::isnan(should)) return;
    EXPECT_EQ(is, should) << what;
    EXPECT_EQ(std::signbit(is), std::signbit(should)) << what;
  }

  std::vector<MaybeLane<T>> lanes = std::vector<MaybeLane<T>>(std::size_t{kRepeats} * kLanes);
};

using Types = testing::Types<float, half>;
TYPED_TEST_SUITE(BestOfRepeats, Types);

/// Repeats at both sides of where 64 of them end, and the ends.
constexpr std::uint32_t kPlaces[] = {0, 1, 63, 64, 65, 127, 128, 149};

TYPED_TEST(BestOfRepeats, FirstOfEqualOnes) {
  for (const float low : {-100.0f, 0.0f, 100.0f}) {
    this->fill_from(low);
    this->check_both("numbers from " + std::to_string(low));
    for (const std::uint32_t a : kPlaces) {
      for (const std::uint32_t b : kPlaces) {
        this->fill_from(low);
        this->set(a, 5, low - 50), this->set(b, 3, low - 50);
        this->set(a, 9, low + 90), this->set(b, 8, low + 90);
        this->check_both("best in repeats " + std::to_string(a) + " and " + std::to_string(b));
      }
    }
  }
}

TYPED_TEST(BestOfRepeats, NanWinsAndTheFirstOfThemStays) {
  for (const std::uint32_t a : kPlaces) {
    for (const std::uint32_t b : kPlaces) {
      this->fill_from(-16);
      this->set(a, 7, NAN);
      this->set(b, 40, NAN);
      this->check_both("NaN in repeats " + std::to_string(a) + " and " + std::to_string(b));
    }
  }
}

TYPED_TEST(BestOfRepeats, ZerosHaveASign) {
  for (const std::uint32_t at : kPlaces) {
    for (const float zero : {0.0f, -0.0f}) {
      for (const float beyond : {-5.0f, 0.0f, 5.0f}) {
        std::fill(this->lanes.begin(), this->lanes.end(), TypeParam(beyond == 0 ? -zero : beyond));
        this->set(at, 11, zero);
        this->set(140, 2, -zero);
        this->check_both("zero in repeat " + std::to_string(at));
      }
    }
  }
}

TYPED_TEST(BestOfRepeats, InfinityIsANumber) {
  for (const std::uint32_t at : kPlaces) {
    this->fill_from(0);
    this->set(at, 1, INFINITY);
    this->set(149 - at, 2, -INFINITY);
    this->check_both("infinity in repeat " + std::to_string(at));
  }
}

}  // namespace
}  // namespace davsim::test
