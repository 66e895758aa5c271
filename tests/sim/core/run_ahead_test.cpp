// The host runs a kernel's code ahead of the scalar unit; nothing that a kernel can see or do shows
// it.
#include <stdexcept>
#include <string>

#include "isa/core/kernel_output.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// More than a queue takes, so that the scalar unit stands still behind them.
constexpr int kMoreThanAQueue = 40;

class RunAhead : public DeviceTest {
 protected:
  RunAhead() {
    isa::set_kernel_output([this](std::string_view text) { printed_ += text; });
  }
  ~RunAhead() override { isa::set_kernel_output({}); }

  /// The vector pipe waits for ever, and the scalar unit for room in its queue.
  static void block_vector_pipe() {
    const auto x = ub<float>(0, 64);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    for (int i = 0; i < kMoreThanAQueue; ++i) Adds(x, x, 1.0f, 64);
  }

  std::string printed_;
};

TEST_F(RunAhead, WhatTheScalarUnitNeverReachesIsNotPrinted) {
  const isa::Fault fault = fault_of([&] {
    on_vector(1, [] {
      AscendC::printf("before\n");
      block_vector_pipe();
      AscendC::printf("behind\n");
    });
  });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
  EXPECT_EQ(printed_, "before\n");
}

TEST_F(RunAhead, WhatTheScalarUnitNeverReachesDoesNoWrong) {
  const isa::Fault fault = fault_of([&] {
    on_vector(1, [] {
      block_vector_pipe();
      Adds(ub<float>(4, 64), ub<float>(4, 64), 1.0f, 64);  // not aligned
    });
  });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock) << fault.what();
}

TEST_F(RunAhead, ExceptionsOfTheKernelComeInTheirTurn) {
  const isa::Fault fault = fault_of([&] {
    on_vector(1, [] {
      block_vector_pipe();
      throw std::runtime_error("too early");
    });
  });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock) << fault.what();
}

TEST_F(RunAhead, ADeadlockNamesTheInstructionThatFindsNoRoom) {
  const isa::Fault fault = fault_of([&] {
    on_vector(1, [] {
      block_vector_pipe();
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    });
  });
  const std::string text = fault.what();
  EXPECT_NE(text.find("scalar unit"), std::string::npos) << text;
  EXPECT_NE(text.find("(V) at"), std::string::npos) << text;
}

TEST_F(RunAhead, TheClockIsThatOfTheScalarUnit) {
  std::int64_t before = 0, behind = 0;
  on_vector(1, [&] {
    const auto x = ub<float>(0, 64 * 64);
    before = core_cycle();
    for (int i = 0; i < 2 * kMoreThanAQueue; ++i) Adds(x, x, 1.0f, 64 * 64);
    behind = core_cycle();
  });
  // All but a queue and what is under way have run by then.
  const auto adds = recorder.of(isa::Opcode::kAdds);
  ASSERT_EQ(adds.size(), 2u * kMoreThanAQueue);
  EXPECT_GT(behind - before, static_cast<std::int64_t>(adds[kMoreThanAQueue].end - adds[0].start));
}

TEST_F(RunAhead, PrintsOfWhatLiesInUbComeAfterTheBarrier) {
  on_vector(1, [] {
    const auto x = ub<float>(0, 8);
    Duplicate(x, 0.0f, 8);
    PipeBarrier<PIPE_V>();
    for (int i = 0; i < 2 * kMoreThanAQueue; ++i) {
      Adds(x, x, 1.0f, 8);
      PipeBarrier<PIPE_V>();
    }
    PipeBarrier<PIPE_ALL>();
    AscendC::printf("%d\n", static_cast<int>(x.GetValue(0)));
  });
  EXPECT_EQ(printed_, std::to_string(2 * kMoreThanAQueue) + "\n");
}

}  // namespace
}  // namespace davsim::test
