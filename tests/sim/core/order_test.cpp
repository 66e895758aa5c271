// What orders instructions: queues, flags, barriers, and what happens without them.
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class Order : public TimingTest {};

constexpr std::uint32_t kOrdered = 1024;

TEST_F(Order, AFlagOrdersMoveComputeMove) {
  float* in = global<float>(kOrdered, "in", [](auto i) { return float(i); });
  float* out = global<float>(kOrdered, "out", [](auto) { return 0.f; });
  on_vector(1, [=] {
    const auto x = ub<float>(0, kOrdered), y = ub<float>(65536, kOrdered);
    DataCopy(x, gm(in, kOrdered), kOrdered);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(y, x, 1.0f, kOrdered);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(out, kOrdered), y, kOrdered);
  });
  for (std::uint32_t i = 0; i < kOrdered; ++i) ASSERT_EQ(out[i], float(i) + 1) << i;

  const auto load = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  const auto adds = recorder.of(isa::Opcode::kAdds).at(0);
  const auto store = recorder.of(isa::Opcode::kMoveUbToGm).at(0);
  EXPECT_GE(adds.start, load.end);
  EXPECT_GE(store.start, adds.end);
  const auto sets = recorder.of(isa::Opcode::kSetFlag), waits = recorder.of(isa::Opcode::kWaitFlag);
  ASSERT_EQ(sets.size(), 2u);
  ASSERT_EQ(waits.size(), 2u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_NE(sets[i].flow, 0u);
    EXPECT_EQ(sets[i].flow, waits[i].flow);
  }
}

TEST_F(Order, WithoutTheFlagTheResultIsWrongAsOnTheDevice) {
  float* in = global<float>(kOrdered, "in", [](auto i) { return float(i) + 5; });
  float* out = global<float>(kOrdered, "out", [](auto) { return -1.f; });
  on_vector(1, [=] {
    const auto x = ub<float>(0, kOrdered), y = ub<float>(65536, kOrdered);
    DataCopy(x, gm(in, kOrdered), kOrdered);
    Adds(y, x, 1.0f, kOrdered);  // reads x long before it has come
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(out, kOrdered), y, kOrdered);
  });
  EXPECT_EQ(out[10], 1.0f);
}

TEST_F(Order, APipeBarrierHoldsOnlyItsPipe) {
  on_vector(1, [] {
    Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
  });
  const auto adds = recorder.of(isa::Opcode::kAdds);
  const auto barrier = recorder.of(isa::Opcode::kPipeBarrier).at(0);
  EXPECT_EQ(barrier.end, adds[0].end);
  EXPECT_GE(adds[1].start, barrier.end);
}

TEST_F(Order, ASetComesWhenAllBeforeItHasEndedAndHoldsNothingBack) {
  float* in = global<float>(2 * kOrdered, "in", [](auto i) { return float(i); });
  on_vector(1, [=] {
    DataCopy(ub<float>(0, kOrdered), gm(in, 2 * kOrdered), kOrdered);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    DataCopy(ub<float>(65536, kOrdered), gm(in, 2 * kOrdered)[kOrdered], kOrdered);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(ub<float>(0, kOrdered), ub<float>(0, kOrdered), 1.0f, kOrdered);
  });
  const auto loads = recorder.of(isa::Opcode::kMoveGmToUb);
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_LT(loads[1].start, loads[0].end);
  EXPECT_EQ(recorder.of(isa::Opcode::kSetFlag).at(0).end, loads[0].end);
  EXPECT_EQ(recorder.of(isa::Opcode::kAdds).at(0).start, loads[0].end);
}

TEST_F(Order, TheScalarUnitStallsWhenAQueueIsFull) {
  const auto report = on_vector(1, [] {
    for (int i = 0; i < 100; ++i) Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
  });
  const auto adds = recorder.of(isa::Opcode::kAdds);
  ASSERT_EQ(adds.size(), 100u);
  // The instruction behind a full queue enters when the first one starts, and so on.
  const std::size_t depth = timing().scalar.queue_depth;
  for (std::size_t i = depth + 8; i < 100; ++i) {
    EXPECT_EQ(adds[i].dispatched, adds[i - depth].start) << i;
  }
  const auto& scalar = report.cores.at(0).pipes[static_cast<std::size_t>(isa::Pipe::S)];
  EXPECT_GT(scalar.of(observe::CycleClass::kQueueFull), 0u);
}

TEST_F(Order, TheScalarUnitGoesOnWhenAPipeHoldsAllItCanInFlight) {
  // All cores ask for more than HBM gives: loads start faster than they end, until as many are in
  // flight as a pipe holds and none is queued.
  constexpr std::uint32_t kCores = 40, kLoads = 200, kFloats = 960 / sizeof(float);
  float* in = global<float>(kCores * kLoads * kFloats, "in", [](std::size_t) { return 1; });
  on_vector(kCores, [=] {
    const auto mine = gm(in, kCores * kLoads * kFloats)[GetBlockIdx() * kLoads * kFloats];
    for (std::uint32_t i = 0; i < kLoads; ++i) {
      DataCopy(ub<float>(i * 960, kFloats), mine[i * kFloats], kFloats);
    }
  });
  EXPECT_EQ(recorder.of(isa::Opcode::kMoveGmToUb).size(), kCores * kLoads);
}

TEST_F(Order, BarrierAllHoldsTheScalarUnit) {
  std::int64_t before = 0, after = 0;
  on_vector(1, [&] {
    Adds(ub<float>(0, 6400), ub<float>(65536, 6400), 1.0f, 6400);
    before = core_cycle();
    PipeBarrier<PIPE_ALL>();
    after = core_cycle();
  });
  const auto adds = recorder.of(isa::Opcode::kAdds).at(0);
  EXPECT_LT(before - static_cast<std::int64_t>(recorder.start),
            static_cast<std::int64_t>(adds.end));
  EXPECT_GE(after - static_cast<std::int64_t>(recorder.start), static_cast<std::int64_t>(adds.end));
}

TEST_F(Order, ScalarReadsSeeUbAtTheirTime) {
  float early = 0, late = 0;
  on_vector(1, [&] {
    const auto x = ub<float>(0, 64);
    Duplicate(x, 3.0f, 64);
    early = x.GetValue(0);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    late = x.GetValue(0);
  });
  EXPECT_EQ(early, 0.0f);
  EXPECT_EQ(late, 3.0f);
}

}  // namespace
}  // namespace davsim::test
