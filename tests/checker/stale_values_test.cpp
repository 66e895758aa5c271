// Runs without values: kernels that decide by what they compute are refused.
#include "checker/stale_values.hpp"

#include <gtest/gtest.h>

#include "kernel_operator.h"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using checker::ByteRanges;

TEST(ByteRangesTest, HoldsWhatIsAddedAndNotRemoved) {
  ByteRanges ranges;
  ranges.add(10, 20);
  ranges.add(30, 40);
  ranges.add(20, 25);
  EXPECT_TRUE(ranges.meets(24, 25));
  EXPECT_FALSE(ranges.meets(25, 30));
  ranges.remove(12, 32);
  EXPECT_TRUE(ranges.meets(0, 11));
  EXPECT_FALSE(ranges.meets(12, 32));
  EXPECT_TRUE(ranges.meets(31, 33));
  ranges.add(5, 50);
  EXPECT_TRUE(ranges.meets(25, 26));
  EXPECT_FALSE(ranges.meets(50, 60));
  EXPECT_FALSE(ranges.meets(0, 5));
}

class StaleValuesTest : public ::testing::Test {
 protected:
  StaleValuesTest() { device_.check(&stale_); }
  ~StaleValuesTest() override { device_.check(nullptr); }
  /// Runs a kernel on a vector core; the message of its fault, or nothing.
  std::string fault_of(const std::function<void()>& kernel) {
    try {
      device_.launch(entry_, 1, {}, kernel);
      return "";
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, isa::FaultClass::kLimit);
      EXPECT_NE(fault.where.line(), 0u);
      return fault.message;
    }
  }

  sim::Device device_{without_code("Ascend910B3"), {.values = false}};
  checker::StaleValues stale_;
  isa::KernelEntry entry_{"test_kernel", isa::KernelType::kAivOnly, nullptr, nullptr};
};

TEST_F(StaleValuesTest, AReadOfAComputedValueIsRefused) {
  EXPECT_NE(fault_of([] {
              const auto x = ub<float>(0, 64);
              Duplicate(x, 1.0f, 64);
              SetFlag<HardEvent::V_S>(EVENT_ID0);
              WaitFlag<HardEvent::V_S>(EVENT_ID0);
              x.GetValue(3);
            }).find("times-only"),
            std::string::npos);
}

TEST_F(StaleValuesTest, WhatTheScalarUnitWroteMayBeRead) {
  EXPECT_EQ(fault_of([] {
              const auto x = ub<float>(0, 64);
              Duplicate(x, 1.0f, 64);
              SetFlag<HardEvent::V_S>(EVENT_ID0);
              WaitFlag<HardEvent::V_S>(EVENT_ID0);
              x.SetValue(3, 2.0f);
              EXPECT_EQ(x.GetValue(3), 2.0f);
            }),
            "");
}

TEST_F(StaleValuesTest, InputsInGlobalMemoryMayBeReadAndResultsMayNot) {
  auto* memory = reinterpret_cast<float*>(device_.memory().allocate(1024, "tensor"));
  memory[0] = 5;
  const auto read = [memory] { EXPECT_EQ(gm(memory, 256).GetValue(0), 5.0f); };
  EXPECT_EQ(fault_of(read), "");
  EXPECT_EQ(fault_of([memory] { DataCopy(gm(memory, 64), ub<float>(0, 64), 64); }), "");
  EXPECT_NE(fault_of(read), "");
}

}  // namespace
}  // namespace davsim::test
