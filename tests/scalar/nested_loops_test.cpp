// What the plugin counts in loops within loops, and what that costs the host.
#include "tests/scalar/kernels/nested_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include "tests/scalar/counted_work.hpp"

namespace davsim::test {
namespace {

using isa::ScalarClass;
using Clock = std::chrono::steady_clock;

std::vector<unsigned> random_numbers(std::size_t n) {
  std::mt19937 engine(7);
  std::vector<unsigned> numbers(n);
  for (unsigned& number : numbers) number = engine() >> 8;
  return numbers;
}

TEST(ScalarCountingInNests, EachPassOfTheInnerLoopCounts) {
  const std::vector<unsigned> values(1000, 1);
  const isa::ScalarWork work = work_of([&] { counted::sum_of_rows(values.data(), 100, 7); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 700u);
  // One at each end of a pass, one before the inner loops, one before the outer one.
  EXPECT_EQ(count(work, ScalarClass::kBranch), 901u);
}

TEST(ScalarCountingInNests, AnArmCountsWhenItIsTaken) {
  const std::vector<unsigned> values = random_numbers(300);
  const auto odd = std::count_if(values.begin(), values.end(), [](unsigned v) { return v & 1; });
  const isa::ScalarWork work = work_of([&] { counted::odd_squares(values.data(), 100); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 300u);
  EXPECT_EQ(count(work, ScalarClass::kMultiply), odd + 3);  // and where each row begins
}

TEST(ScalarCountingInNests, ALoopThatIsLeftEarlyCountsUpToThere) {
  // Large is the second element, the first one, none, and none.
  const std::vector<unsigned> values = {1, 9, 9, 9, 9, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 9, 9, 9, 9};
  isa::ScalarWork work =
      work_of([&] { EXPECT_EQ(counted::large_ones(values.data(), 5, 9, 0), 2); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 2u + 1 + 4 + 4 + 1);
  work = work_of([&] { EXPECT_EQ(counted::large_ones(values.data(), 5, 9, 1), 1); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 2u + 1 + 4);
}

TEST(ScalarCountingInNests, WaysThroughASwitchCount) {
  const std::vector<unsigned> values = random_numbers(300);
  const auto with = [&values](unsigned remainder) {
    return std::count_if(values.begin(), values.end(),
                         [remainder](unsigned v) { return (v & 3) == remainder; });
  };
  const isa::ScalarWork work = work_of([&] { counted::by_remainder(values.data(), 20, 15); });
  EXPECT_EQ(count(work, ScalarClass::kMultiply), with(1) + 20);  // and where each row begins
  EXPECT_EQ(count(work, ScalarClass::kDivide), with(2));
}

/// Seconds, the best of several: other programs take the host's time.
template <class Code>
double seconds(Code code) {
  [[maybe_unused]] volatile unsigned result = 0;
  double best = 1e9;
  for (int i = 0; i < 40; ++i) {
    const auto start = Clock::now();
    result = code();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// About 1.2 times what the host takes without counting. With a counter in each arm, the selections
// become jumps that the host guesses wrong, and this is 7.
TEST(ScalarCountingInNests, SelectionsOfValuesStaySelections) {
  const std::vector<unsigned> values = random_numbers(1 << 15);
  const auto n = static_cast<int>(values.size());
  const double plain = seconds([&] { return native::select_by_bits(values.data(), n); });
  const double counting = seconds([&] { return counted::select_by_bits(values.data(), n); });
  EXPECT_LT(counting, 2.5 * plain);
}

}  // namespace
}  // namespace davsim::test
