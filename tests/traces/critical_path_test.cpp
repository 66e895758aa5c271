// The critical path of timelines that are small enough to be followed by hand.
#include "traces/critical_path.hpp"

#include <gtest/gtest.h>

namespace davsim::traces {
namespace {

using isa::Pipe;

/// A timeline under construction; cycles count from the launch's start.
class Example {
 public:
  explicit Example(Cycle end, std::size_t cores = 1) {
    timeline_.start = 0;
    timeline_.end = end;
    timeline_.queue_depth = 32;
    timeline_.cores.resize(cores);
    for (std::size_t i = 0; i < cores; ++i) {
      timeline_.cores[i].name = "core" + std::to_string(i) + ".veccore0";
      timeline_.texts.push_back("unused");
    }
  }

  /// `name` stands for itself: steps are told apart by it.
  TimelineEvent& add(Pipe pipe, EventKind kind, std::uint32_t name, Cycle dispatched, Cycle start,
                     Cycle end, std::uint64_t flow = 0, std::size_t core = 0) {
    TimelineEvent event;
    event.kind = kind;
    event.name = name;
    event.dispatched = dispatched;
    event.start = start;
    event.end = end;
    event.flow = flow;
    auto& events = timeline_.cores[core].pipes[static_cast<std::size_t>(pipe)];
    events.push_back(event);
    return events.back();
  }
  void block(Cycle start, Cycle issued, Cycle end, std::size_t core = 0, std::uint32_t number = 0) {
    timeline_.cores[core].blocks.push_back({number, start, issued, end});
  }
  /// Makes a core the second one of the AI core of the first.
  void make_sibling(std::size_t core) { timeline_.cores[core].name = "core0.veccore1"; }

  std::vector<PathStep> path() const {
    std::vector<PathStep> steps = critical_path(timeline_);
    Cycle at = timeline_.start;
    for (const PathStep& step : steps) {  // no gap, nothing twice
      EXPECT_EQ(step.begin, at);
      EXPECT_LT(step.begin, step.end);
      at = step.end;
    }
    EXPECT_EQ(at, timeline_.end);
    return steps;
  }

 private:
  Timeline timeline_;
};

void expect_step(const PathStep& step, Pipe pipe, CycleClass cycle_class, std::uint32_t name,
                 Cycle begin, Cycle end) {
  EXPECT_EQ(step.pipe, pipe);
  EXPECT_EQ(step.cycle_class, cycle_class);
  EXPECT_EQ(step.name, name);
  EXPECT_EQ(step.begin, begin);
  EXPECT_EQ(step.end, end);
}

TEST(CriticalPath, FollowsAFlagFromPipeToPipe) {
  Example example(150);
  example.add(Pipe::MTE2, EventKind::kWork, 1, 3, 3, 100);
  example.add(Pipe::MTE2, EventKind::kSet, 2, 4, 4, 100, 7);
  example.add(Pipe::V, EventKind::kWork, 5, 1, 1, 20);  // not on the path
  example.add(Pipe::V, EventKind::kWait, 3, 5, 20, 100, 7);
  example.add(Pipe::V, EventKind::kWork, 4, 6, 100, 150);
  example.block(0, 7, 150);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 3u);
  expect_step(path[0], Pipe::S, CycleClass::kBusy, 0, 0, 3);
  expect_step(path[1], Pipe::MTE2, CycleClass::kBusy, 1, 3, 100);
  expect_step(path[2], Pipe::V, CycleClass::kBusy, 4, 100, 150);
}

TEST(CriticalPath, SplitsAnInstructionThatWaitedForMemory) {
  Example example(110);
  TimelineEvent& move = example.add(Pipe::MTE2, EventKind::kWork, 1, 10, 10, 110);
  move.lost = 60;
  move.lost_to = CycleClass::kMemory;
  example.block(0, 11, 110);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 3u);
  expect_step(path[1], Pipe::MTE2, CycleClass::kBusy, 1, 10, 50);
  expect_step(path[2], Pipe::MTE2, CycleClass::kMemory, 1, 50, 110);
}

TEST(CriticalPath, GoesBackInOrderWhereAPipeIsTheBottleneck) {
  Example example(90);
  for (Cycle i = 0; i < 3; ++i) {
    example.add(Pipe::V, EventKind::kWork, 1 + static_cast<std::uint32_t>(i), i, i * 30,
                i * 30 + 30);
  }
  example.block(0, 3, 90);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 3u);
  for (std::uint32_t i = 0; i < 3; ++i) {
    expect_step(path[i], Pipe::V, CycleClass::kBusy, 1 + i, i * 30, i * 30 + 30);
  }
}

TEST(CriticalPath, AFullQueueHoldsTheScalarUnitBack) {
  // The 33rd instruction enters the queue when the first one leaves it, and a move behind it has to
  // wait for that.
  Example example(600);
  example.add(Pipe::V, EventKind::kWork, 1, 1, 1, 101);
  for (std::uint32_t i = 1; i < 32; ++i) example.add(Pipe::V, EventKind::kWork, 2, 1 + i, 101, 102);
  example.add(Pipe::V, EventKind::kWork, 3, 33, 102, 103);
  example.add(Pipe::V, EventKind::kWork, 4, 101, 103, 104);  // a queue behind the second one
  example.add(Pipe::MTE3, EventKind::kWork, 5, 103, 103, 600);
  example.block(0, 104, 600);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 4u);
  expect_step(path[0], Pipe::S, CycleClass::kBusy, 0, 0, 1);
  expect_step(path[1], Pipe::V, CycleClass::kBusy, 1, 1, 101);
  expect_step(path[2], Pipe::S, CycleClass::kBusy, 0, 101, 103);
  expect_step(path[3], Pipe::MTE3, CycleClass::kBusy, 5, 103, 600);
}

TEST(CriticalPath, ABarrierWaitsForThePipeThatEndsLast) {
  Example example(300);
  example.add(Pipe::V, EventKind::kWork, 1, 1, 1, 50);
  example.add(Pipe::MTE2, EventKind::kWork, 2, 2, 2, 200);
  example.add(Pipe::S, EventKind::kBarrier, 3, 3, 3, 200);
  example.add(Pipe::V, EventKind::kWork, 4, 201, 201, 300);
  example.block(0, 202, 300);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 4u);
  expect_step(path[1], Pipe::MTE2, CycleClass::kBusy, 2, 2, 200);
  expect_step(path[2], Pipe::S, CycleClass::kBusy, 0, 200, 201);
}

TEST(CriticalPath, CrossesToTheCoreThatSetTheFlag) {
  Example example(500, 2);
  example.add(Pipe::MTE3, EventKind::kWork, 1, 5, 5, 100, 0, 1);
  example.add(Pipe::MTE3, EventKind::kSet, 2, 6, 6, 100, 9, 1);
  example.block(0, 7, 100, 1);
  example.add(Pipe::MTE2, EventKind::kWait, 3, 2, 2, 400, 9, 0);
  example.add(Pipe::MTE2, EventKind::kWork, 4, 3, 400, 500, 0, 0);
  example.block(0, 4, 500, 0);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 4u);
  EXPECT_EQ(path[1].core, 1u);
  expect_step(path[1], Pipe::MTE3, CycleClass::kBusy, 1, 5, 100);
  expect_step(path[2], Pipe::MTE2, CycleClass::kWaitCrossCore, 3, 100, 400);
  EXPECT_EQ(path[3].core, 0u);
}

TEST(CriticalPath, ALaterBlockBeginsWithItsDispatch) {
  Example example(700);
  example.add(Pipe::V, EventKind::kWork, 1, 1, 1, 200);
  example.block(0, 2, 200);
  example.add(Pipe::V, EventKind::kWork, 2, 501, 501, 700);
  example.block(500, 502, 700);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 5u);
  expect_step(path[1], Pipe::V, CycleClass::kBusy, 1, 1, 200);
  EXPECT_EQ(path[2].cycle_class, CycleClass::kLaunch);
  expect_step(path[3], Pipe::S, CycleClass::kBusy, 0, 500, 501);
}

/// Two cores of an AI core; the second one ends its first block last, and the first one has
/// another.
std::vector<PathStep> path_of_siblings(std::uint32_t second_block) {
  Example example(700, 2);
  example.make_sibling(1);
  example.add(Pipe::V, EventKind::kWork, 1, 1, 1, 200, 0, 0);
  example.block(0, 2, 200, 0, 0);
  example.add(Pipe::V, EventKind::kWork, 2, 1, 1, 300, 0, 1);
  example.block(0, 2, 300, 1, second_block);
  example.add(Pipe::V, EventKind::kWork, 3, 501, 501, 700, 0, 0);
  example.block(500, 502, 700, 0, 7);
  return example.path();
}

TEST(CriticalPath, ABlockOfSeveralCoresEndsWithTheLastOfThem) {
  const auto together = path_of_siblings(0), apart = path_of_siblings(1);
  ASSERT_EQ(together.size(), 5u);
  EXPECT_EQ(together[1].core, 1u);
  EXPECT_EQ(together[2].cycle_class, CycleClass::kLaunch);
  EXPECT_EQ(together[2].begin, 300u);
  ASSERT_EQ(apart.size(), 5u);
  EXPECT_EQ(apart[1].core, 0u);
  EXPECT_EQ(apart[2].begin, 200u);
}

TEST(CriticalPath, ABlockThatTheScalarUnitEndsAlone) {
  Example example(80);
  example.add(Pipe::V, EventKind::kWork, 1, 1, 1, 20);
  example.add(Pipe::S, EventKind::kWork, 2, 30, 30, 75);
  example.block(0, 80, 80);
  const auto path = example.path();
  ASSERT_EQ(path.size(), 3u);
  expect_step(path[0], Pipe::S, CycleClass::kBusy, 0, 0, 30);
  expect_step(path[1], Pipe::S, CycleClass::kBusy, 2, 30, 75);
  expect_step(path[2], Pipe::S, CycleClass::kBusy, 0, 75, 80);
}

TEST(CriticalPath, AFileWithoutSenseStillEnds) {
  // Two waits that claim to be released by each other's pipes.
  Example example(100);
  example.add(Pipe::V, EventKind::kWait, 1, 0, 10, 100, 5);
  example.add(Pipe::V, EventKind::kSet, 2, 0, 100, 100, 6);
  example.add(Pipe::MTE2, EventKind::kWait, 3, 0, 10, 100, 6);
  example.add(Pipe::MTE2, EventKind::kSet, 4, 0, 100, 100, 5);
  example.block(0, 1, 100);
  example.path();
}

}  // namespace
}  // namespace davsim::traces
