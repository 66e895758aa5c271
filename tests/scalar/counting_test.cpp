// What the compiler plugin counts of functions whose instructions are known.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/scalar/counted_work.hpp"
#include "tests/scalar/kernels/counted_code.hpp"

namespace davsim::test {
namespace {

using isa::ScalarClass;

TEST(ScalarCounting, AProductAndAQuotientCountOnceEach) {
  int to = 0;
  const isa::ScalarWork work = work_of([&] { product_and_quotient(7, 3, &to); });
  EXPECT_EQ(to, 23);
  EXPECT_EQ(count(work, ScalarClass::kMultiply), 1u);
  EXPECT_EQ(count(work, ScalarClass::kDivide), 1u);
  EXPECT_EQ(count(work, ScalarClass::kArithmetic), 1u);
  EXPECT_EQ(count(work, ScalarClass::kStore), 1u);
  EXPECT_EQ(count(work, ScalarClass::kLoad), 0u);
}

TEST(ScalarCounting, ALoopCountsEachPass) {
  const std::vector<int> values(1000, 2);
  const isa::ScalarWork work = work_of([&] { EXPECT_EQ(sum_of(values.data(), 1000), 2000); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 1000u);
  EXPECT_EQ(count(work, ScalarClass::kBranch), 1001u);  // one before the loop
  EXPECT_EQ(count(work, ScalarClass::kMultiply), 0u);
  // Address, extension to 64 bits, sum, next index, comparison.
  EXPECT_EQ(count(work, ScalarClass::kArithmetic), 5001u);
}

TEST(ScalarCounting, UnrollingChangesNothing) {
  std::array<int, 8> to{};
  const isa::ScalarWork work = work_of([&] { eight_stores(to.data()); });
  EXPECT_EQ(to[7], 21);
  EXPECT_EQ(count(work, ScalarClass::kStore), 8u);
  EXPECT_EQ(count(work, ScalarClass::kBranch), 8u);
}

TEST(ScalarCounting, VectorisationChangesNothing) {
  std::vector<float> to(1003, 1), from(1003, 2);
  const isa::ScalarWork work = work_of([&] { add_floats(to.data(), from.data(), 1003); });
  EXPECT_EQ(to[1002], 3);
  EXPECT_EQ(count(work, ScalarClass::kFloat), 1003u);
  EXPECT_EQ(count(work, ScalarClass::kLoad), 2006u);
  EXPECT_EQ(count(work, ScalarClass::kStore), 1003u);
}

TEST(ScalarCounting, DivisionsByConstantsAreNoDivisions) {
  const isa::ScalarWork work = work_of([] { EXPECT_EQ(quotients_of_constants(107), 19u); });
  EXPECT_EQ(count(work, ScalarClass::kDivide), 0u);
  EXPECT_EQ(count(work, ScalarClass::kMultiply), 1u);
}

TEST(ScalarCounting, CallsThatAreNotInlinedCount) {
  const isa::ScalarWork work = work_of([] { EXPECT_EQ(calls(5), 5); });
  EXPECT_EQ(count(work, ScalarClass::kCall), 5u);
}

TEST(ScalarCounting, FieldsOfAnObjectAreLoadedOnce) {
  const Sizes sizes = {3, 4, 4};
  const isa::ScalarWork work = work_of([&] { EXPECT_EQ(elements_of_tiles(sizes, 100), 1200u); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 2u);
  EXPECT_EQ(count(work, ScalarClass::kMultiply), 100u);
}

TEST(ScalarCounting, FieldsOfAVariableAreInRegisters) {
  const isa::ScalarWork work = work_of([] { EXPECT_EQ(sizes_in_a_variable(5), 18u); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 0u);
  EXPECT_EQ(count(work, ScalarClass::kStore), 0u);
}

TEST(ScalarCounting, AVariableWhosePlaceVariesIsInMemory) {
  const isa::ScalarWork work = work_of([] { EXPECT_EQ(one_of_four(2, 6), 6u); });
  EXPECT_EQ(count(work, ScalarClass::kLoad), 1u);
  EXPECT_EQ(count(work, ScalarClass::kStore), 3u);  // two pairs of zeros
}

TEST(ScalarCounting, ARemainderBehindItsQuotientIsNoDivision) {
  const isa::ScalarWork work = work_of([] { EXPECT_EQ(quotient_and_remainder(17, 5), 5u); });
  EXPECT_EQ(count(work, ScalarClass::kDivide), 1u);
  EXPECT_EQ(count(work, ScalarClass::kMultiply), 1u);
  EXPECT_EQ(count(work, ScalarClass::kArithmetic), 2u);
}

TEST(ScalarCounting, OperatorsOfHalfAreFloatInstructions) {
  const std::vector<isa::half> values(10, isa::half(0.5F));
  const isa::ScalarWork work = work_of([&] { sum_of_halves(values.data(), 10); });
  EXPECT_EQ(count(work, ScalarClass::kFloat), 20u);
}

TEST(ScalarCounting, OperandsThatTheKernelWidensCountAsThoseOfAnOperator) {
  const std::vector<isa::half> values(10, isa::half(0.5F));
  const isa::ScalarWork work = work_of([&] { sum_of_widened(values.data(), 10); });
  EXPECT_EQ(count(work, ScalarClass::kFloat), 20u);
}

TEST(ScalarCounting, AComparisonOfFloatsIsAFloatInstruction) {
  const isa::ScalarWork work = work_of([] { EXPECT_TRUE(is_less(1, 2)); });
  EXPECT_EQ(count(work, ScalarClass::kFloat), 1u);
  EXPECT_EQ(count(work, ScalarClass::kArithmetic), 0u);
}

TEST(ScalarCounting, InstancesOfATemplateAreDifferentCode) {
  const isa::ScalarWork one = work_of([] { steps<1>(4); }), three = work_of([] { steps<3>(4); });
  EXPECT_NE(one.place, 0u);
  EXPECT_NE(one.place, three.place);
}

TEST(ScalarCounting, WhatWasTakenIsCountedNoMore) {
  int to = 0;
  work_of([&] { product_and_quotient(7, 3, &to); });
  const isa::ScalarWork nothing = isa::take_scalar_work();
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(count(nothing, ScalarClass::kMultiply), 0u);
}

}  // namespace
}  // namespace davsim::test
