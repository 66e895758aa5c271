// The time that the scalar work of a kernel takes.
#include <gtest/gtest.h>

#include <array>

#include "sim/soc/timing_table.hpp"
#include "tests/scalar/kernels/matmul_kernels.hpp"
#include "tests/scalar/kernels/scalar_kernels.hpp"
#include "tests/scalar/scalar_device.hpp"

namespace davsim::test {
namespace {

using observe::Cycle;

class ScalarTime : public ScalarDevice {
 protected:
  ScalarTime() : ScalarDevice("1") {}
};

TEST_F(ScalarTime, APublishedLoopOfTwoLoadsAndAStoreTakesItsTime) {
  constexpr std::uint32_t kFew = 256, kMany = 1280;
  const Cycle few = cycles([] { add_halves_in_ub(kFew); });
  const Cycle many = cycles([] { add_halves_in_ub(kMany); });
  const double each = static_cast<double>(many - few) / (kMany - kFew);
  EXPECT_NEAR(each, 34.2, 0.15 * 34.2);
}

TEST_F(ScalarTime, ConversionsThatTheKernelWritesTakeWhatThoseOfOperatorsTake) {
  const Cycle by_operator = cycles([] { add_halves_in_ub(1000); });
  const Cycle written = cycles([] { add_widened_halves_in_ub(1000); });
  EXPECT_NEAR(static_cast<double>(written), static_cast<double>(by_operator), 1000);
}

TEST_F(ScalarTime, ALoopOfTheKernelsOwnCodeTakesTheTimeOfItsInstructions) {
  constexpr std::uint32_t kMore = 1000;
  const Cycle few = cycles([] { abs_behind_products(100); });
  const Cycle many = cycles([] { abs_behind_products(100 + kMore); });
  // A product, the sum in it, the next index, a comparison and a branch.
  const double pass = constant("multiply") + 3 * constant("arithmetic") + constant("branch");
  EXPECT_NEAR(static_cast<double>(many - few), pass * kMore, 1);
}

TEST_F(ScalarTime, WhatFollowsTheLastCallTakesItsTime) {
  std::uint32_t result = 0;
  const Cycle without = cycles([] { abs_behind_products(0); });
  const Cycle with = cycles([&] { quotients_behind_abs(3, &result); });
  // Most of eight quotients that depend on each other lie behind the end of the Abs.
  EXPECT_GT(static_cast<double>(with - without), 4 * constant("divide"));
}

TEST_F(ScalarTime, ALoopIsShownUnderItsOwnLine) {
  cycles([] { abs_behind_products(1000); });
  const auto work = recorder.of(isa::Opcode::kScalarOp);
  ASSERT_FALSE(work.empty());
  const auto longest = std::max_element(work.begin(), work.end(),
                                        [](const Recorder::Event& a, const Recorder::Event& b) {
                                          return a.end - a.start < b.end - b.start;
                                        });
  EXPECT_EQ(longest->instr.where.line(), 37u);
  const auto abs = recorder.of(isa::Opcode::kAbs);
  ASSERT_EQ(abs.size(), 1u);
  EXPECT_GE(abs[0].dispatched, longest->end);
}

/// A slice ends where the instruction leaves the scalar unit, and bears the line of the call; the
/// slices of a launch follow each other.
TEST_F(ScalarTime, SlicesOfWorkCoverTheCallsThemselves) {
  cycles([] { abs_in_loop(20, false); });
  const auto work = recorder.of(isa::Opcode::kScalarOp);
  const auto calls = recorder.of(isa::Opcode::kAbs);
  ASSERT_EQ(calls.size(), 20u);
  for (const Recorder::Event& call : calls) {
    EXPECT_TRUE(std::any_of(work.begin(), work.end(), [&](const Recorder::Event& slice) {
      return slice.end == call.dispatched && slice.start < slice.end &&
             slice.instr.where.line() == call.instr.where.line();
    })) << call.dispatched;
  }
  for (std::size_t i = 1; i < work.size(); ++i) EXPECT_LE(work[i - 1].end, work[i].start);
}

TEST_F(ScalarTime, QueuesTakeTheirBookkeeping) {
  const Cycle plain =
      cycles([] { abs_in_loop(600, false); }) - cycles([] { abs_in_loop(100, false); });
  const Cycle queues =
      cycles([] { abs_in_loop(600, true); }) - cycles([] { abs_in_loop(100, true); });
  EXPECT_GT(queues, plain);
}

double scalar_busy(const observe::LaunchReport& report) {
  for (const observe::CoreCounters& core : report.cores) {
    const auto& scalar = core.pipes[static_cast<std::size_t>(isa::Pipe::S)];
    if (scalar.instructions != 0) {
      return static_cast<double>(
          scalar.cycles[static_cast<std::size_t>(observe::CycleClass::kBusy)]);
    }
  }
  return 0;
}

/// The scalar unit's busy cycles for one tile more.
class ScalarTimeOfTiles : public ScalarTime {
 protected:
  using Kernel = void(std::uint16_t*, std::uint16_t*, std::uint16_t*, std::uint32_t, std::uint32_t);
  double cycles_of_a_tile(Kernel& kernel) {
    constexpr std::uint32_t kFew = 20, kMany = 120;
    return (busy(kernel, kMany) - busy(kernel, kFew)) / (kMany - kFew);
  }

 private:
  static constexpr std::uint32_t kElements = 128;
  double busy(Kernel& kernel, std::uint32_t tiles) {
    std::array<std::uint16_t*, 3> data{};
    for (std::uint16_t*& tensor : data) {
      tensor = global<std::uint16_t>(std::size_t{tiles} * kElements, "tensor",
                                     [](std::size_t) { return 0; });
    }
    return scalar_busy(on_vector(1, [&] { kernel(data[0], data[1], data[2], tiles, kElements); }));
  }
};

/// The same for one base block of k more in a product by a Matmul object.
class ScalarTimeOfMatmul : public ScalarTime {
 protected:
  using Kernel = void(std::uint16_t*, std::uint16_t*, float*, std::uint32_t);
  double cycles_of_a_step(Kernel& kernel) {
    constexpr std::uint32_t kFew = 16, kMany = 80;
    return (busy(kernel, kMany) - busy(kernel, kFew)) / (kMany - kFew);
  }

 private:
  double busy(Kernel& kernel, std::uint32_t steps) {
    constexpr std::size_t kFractal = 256;
    const auto zeros = [](std::size_t) { return 0; };
    auto* a = global<std::uint16_t>(steps * kFractal, "a", zeros);
    auto* b = global<std::uint16_t>(steps * kFractal, "b", zeros);
    auto* c = global<float>(kFractal, "c", zeros);
    return scalar_busy(on_cube(1, [&] { kernel(a, b, c, steps); }));
  }
};

TEST_F(ScalarTimeOfMatmul, StepsTakeTheMeasuredCycles) {
  EXPECT_NEAR(cycles_of_a_step(product_by_norm), 449, 0.05 * 449);
  EXPECT_NEAR(cycles_of_a_step(product_by_mdl), 248, 0.05 * 248);
}

TEST_F(ScalarTimeOfTiles, MembersOfAClassTakeAFewLoadsMoreThanVariables) {
  const double in_class = cycles_of_a_tile(add_in_class);
  const double in_function = cycles_of_a_tile(add_in_function);
  EXPECT_GE(in_class, in_function);
  // Each of its three functions loads the number of elements, the place of the tile and tensors.
  EXPECT_LE(in_class, in_function + 9 * constant("load"));
}

TEST_F(ScalarTimeOfTiles, ATileTakesThePublishedInstructions) {
  // One tile of an addition through three queues takes 366 scalar instructions, about 106 of them
  // for TPipe and buffers; 0.65 cycles each, and a cycle for each of its 12 other instructions.
  EXPECT_NEAR(cycles_of_a_tile(add_in_class), (366 - 106) * 0.65 + 12, 30);
}

class WithoutScalarWork : public ScalarDevice {
 protected:
  WithoutScalarWork() : ScalarDevice("0") {}
};

TEST_F(WithoutScalarWork, LoadsAndStoresTakeTheirOldConstants) {
  constexpr std::uint32_t kFew = 256, kMany = 1280;
  const Cycle few = cycles([] { add_halves_in_ub(kFew); });
  const Cycle many = cycles([] { add_halves_in_ub(kMany); });
  const double each = 2 * constant("load_hit") + constant("store");
  EXPECT_EQ(static_cast<double>(many - few), each * (kMany - kFew));
}

TEST_F(WithoutScalarWork, OnlyTheApiTakesTime) {
  const Cycle few = cycles([] { abs_behind_products(1); });
  const Cycle many = cycles([] { abs_behind_products(100000); });
  EXPECT_EQ(few, many);
  EXPECT_TRUE(recorder.of(isa::Opcode::kScalarOp).empty());
}

}  // namespace
}  // namespace davsim::test
