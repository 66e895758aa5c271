// The yardstick itself: what the comparisons of tests/reference let pass and what they catch.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "isa/numeric/bfloat16.hpp"
#include "isa/numeric/half.hpp"
#include "reference/reference.hpp"

namespace davsim::reference {
namespace {

using isa::DType;
constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Comparison compare_one(double actual, double expected, const Tolerance& tolerance) {
  Comparer comparer("t", tolerance);
  comparer.add(0, actual, expected);
  return comparer.result();
}

TEST(Reference, AbsoluteAndRelativeTolerance) {
  EXPECT_TRUE(compare_one(1.5, 1, {.rtol = 0, .atol = 0.5}).passed);
  EXPECT_FALSE(compare_one(1.51, 1, {.rtol = 0, .atol = 0.5}).passed);
  EXPECT_TRUE(compare_one(110, 100, {.rtol = 0.1, .atol = 0}).passed);
  EXPECT_FALSE(compare_one(110.1, 100, {.rtol = 0.1, .atol = 0}).passed);
  EXPECT_EQ(compare_one(1.5, 1, {}).max_abs_diff, 0.5);
}

TEST(Reference, NonFiniteValuesMustAgree) {
  const Tolerance loose{.rtol = 1, .atol = 1e9, .outside_share = 0.9};
  EXPECT_TRUE(compare_one(kNan, kNan, {}).passed);
  EXPECT_TRUE(compare_one(kInf, kInf, {}).passed);
  const std::pair<double, double> pairs[] = {{kNan, 1}, {1, kNan}, {kInf, -kInf}, {kInf, kNan}};
  for (const auto& [actual, expected] : pairs) {
    const Comparison found = compare_one(actual, expected, loose);
    EXPECT_FALSE(found.passed);
    EXPECT_EQ(found.nonfinite, 1);
  }
}

TEST(Reference, ShareOutsideAndHardLimit) {
  const Tolerance tolerance{.rtol = 0, .atol = 1, .outside_share = 0.5, .atol_limit = 2};
  Comparer half("t", tolerance);
  half.add(0, 2, 0), half.add(1, 1, 0);
  EXPECT_TRUE(half.result().passed);
  EXPECT_EQ(half.result().outside, 1);
  half.add(2, 2, 0);
  EXPECT_FALSE(half.result().passed);
  Comparer limit("t", tolerance);
  limit.add(0, 3, 0), limit.add(1, 0, 0);
  EXPECT_FALSE(limit.result().passed);
}

TEST(Reference, NamesTheFirstElementOutside) {
  Comparer comparer("t", {});
  comparer.add(0, 1, 1), comparer.add(7, 2, 1), comparer.add(8, 3, 1);
  EXPECT_EQ(comparer.result().detail, "element 7 is 2, expected 1");
  EXPECT_EQ(to_string(comparer.result()),
            "t: FAILED, 3 elements, max |diff| 2, 2 out of tolerance; element 7 is 2, expected 1");
}

TEST(Reference, RulesOfTheOperatorsOwn) {
  Comparer comparer("t", {});
  comparer.add(0, 1, 1);
  EXPECT_TRUE(comparer.result().passed);
  comparer.fail("cosine of row 3 is 0.9");
  EXPECT_FALSE(comparer.result().passed);
  EXPECT_EQ(comparer.result().detail, "cosine of row 3 is 0.9");
}

TEST(Reference, ElementsOfEveryDtype) {
  memory::GlobalMemory memory(1 << 20);
  operators::Tensor f16(memory, DType::kF16, {1}, "t");
  f16.as<isa::half>()[0] = isa::half(-0.5f);
  EXPECT_EQ(element(f16, 0), -0.5);
  operators::Tensor bf16(memory, DType::kBF16, {1}, "t");
  bf16.as<isa::bfloat16_t>()[0] = isa::bfloat16_t(3.0f);
  EXPECT_EQ(element(bf16, 0), 3);
  operators::Tensor i8(memory, DType::kI8, {1}, "t");
  i8.as<std::int8_t>()[0] = -128;
  EXPECT_EQ(element(i8, 0), -128);
  operators::Tensor i4(memory, DType::kI4, {2}, "t");
  i4.as<std::uint8_t>()[0] = 0x7f;
  EXPECT_EQ(elements(i4), (std::vector<double>{-1, 7}));
  EXPECT_THROW(element(operators::Tensor(), 0), std::invalid_argument);
}

TEST(Reference, WholeTensor) {
  memory::GlobalMemory memory(1 << 20);
  operators::Tensor tensor(memory, DType::kF32, {2}, "t");
  EXPECT_TRUE(compare("t", tensor, {0, 0}, {}).passed);
  EXPECT_FALSE(compare("t", tensor, {0, 1}, {}).passed);
  EXPECT_FALSE(compare("t", tensor, {0}, {}).passed);
  EXPECT_FALSE(compare("t", operators::Tensor(), {}, {}).passed);
}

class InPlace : public ::testing::Test {
 protected:
  InPlace()
      : before_(memory_, DType::kI16, {8}, "before"), after_(memory_, DType::kI16, {8}, "after") {}
  void set(std::int64_t element, std::int16_t value) { after_.as<std::int16_t>()[element] = value; }
  Comparison compare(std::vector<Write> writes) {
    return compare_in_place("cache", before_, after_, std::move(writes), {});
  }
  memory::GlobalMemory memory_{1 << 20};
  operators::Tensor before_, after_;
};

TEST_F(InPlace, WritesAndNothingElse) {
  set(2, 5), set(3, 6);
  const Comparison found = compare({{3, 6}, {2, 5}});
  EXPECT_TRUE(found.passed) << found.detail;
  EXPECT_EQ(found.elements, 2);
  EXPECT_EQ(found.changed_bytes, 0);
}

TEST_F(InPlace, CatchesAWriteThatIsMissing) {
  EXPECT_FALSE(compare({{3, 6}}).passed);
}

TEST_F(InPlace, CatchesChangesBeforeBetweenAndBehindTheWrites) {
  for (const std::int64_t stray : {0, 3, 7}) {
    set(2, 5), set(5, 5), set(stray, 0x0101);
    const Comparison found = compare({{2, 5}, {5, 5}});
    EXPECT_FALSE(found.passed) << stray;
    EXPECT_EQ(found.changed_bytes, 2) << stray;
    set(stray, 0);
  }
}

TEST_F(InPlace, LastOfSeveralWritesCounts) {
  set(2, 9);
  EXPECT_TRUE(compare({{2, 5}, {2, 9}}).passed);
  EXPECT_FALSE(compare({{2, 9}, {2, 5}}).passed);
}

TEST_F(InPlace, CatchesWritesOutside) {
  EXPECT_FALSE(compare({{8, 0}}).passed);
}

TEST(Reference, NoComparisonIsNoPass) {
  EXPECT_FALSE(passed({}));
  Comparison good, bad;
  bad.passed = false;
  EXPECT_TRUE(passed({good}));
  EXPECT_FALSE(passed({good, bad}));
}

}  // namespace
}  // namespace davsim::reference
