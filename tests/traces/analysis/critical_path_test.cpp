// The critical path of timelines that are small enough to be followed by hand.
#include "traces/analysis/critical_path.hpp"

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
      timeline_.cores[i].ai_core = static_cast<std::uint32_t>(i);
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
  TimelineEvent& work(Pipe pipe, std::uint32_t name, Cycle dispatched, Cycle start, Cycle end,
                      std::size_t core = 0) {
    return add(pipe, EventKind::kWork, name, dispatched, start, end, 0, core);
  }
  void block(Cycle start, Cycle issued, Cycle end, std::size_t core = 0, std::uint32_t number = 0) {
    timeline_.cores[core].blocks.push_back({number, start, issued, end});
  }
  /// Makes a core the second one of the AI core of the first.
  void make_sibling(std::size_t core) {
    timeline_.cores[core].name = "core0.veccore1";
    timeline_.cores[core].ai_core = 0;
    timeline_.cores[core].sub_block = 1;
  }

  /// The path, a line a step: "V busy 4: 100 to 150", the number being the event's name. Steps of
  /// the first core do not say so.
  std::vector<std::string> path() const {
    std::vector<std::string> lines;
    Cycle at = timeline_.start;
    for (const PathStep& step : critical_path(timeline_)) {
      EXPECT_EQ(step.begin, at) << "no gap, nothing twice";
      EXPECT_LT(step.begin, step.end);
      at = step.end;
      lines.push_back(text_of(step));
    }
    EXPECT_EQ(at, timeline_.end);
    return lines;
  }

 private:
  static std::string text_of(const PathStep& step) {
    std::string text = step.core == 0 ? "" : "core " + std::to_string(step.core) + " ";
    text += std::string(isa::pipe_name(step.pipe)) + " ";
    text += std::string(cycle_class_name(step.cycle_class));
    if (step.name != 0) text += " " + std::to_string(step.name);
    return text + ": " + std::to_string(step.begin) + " to " + std::to_string(step.end);
  }

  Timeline timeline_;
};

using Lines = std::vector<std::string>;

TEST(CriticalPath, FollowsAFlagFromPipeToPipe) {
  Example example(150);
  example.work(Pipe::MTE2, 1, 3, 3, 100);
  example.add(Pipe::MTE2, EventKind::kSet, 2, 4, 4, 100, 7);
  example.work(Pipe::V, 5, 1, 1, 20);  // not on the path
  example.add(Pipe::V, EventKind::kWait, 3, 5, 20, 100, 7);
  example.work(Pipe::V, 4, 6, 100, 150);
  example.block(0, 7, 150);
  EXPECT_EQ(example.path(),
            (Lines{"S busy: 0 to 3", "MTE2 busy 1: 3 to 100", "V busy 4: 100 to 150"}));
}

TEST(CriticalPath, SplitsAnInstructionThatWaitedForMemory) {
  Example example(110);
  TimelineEvent& move = example.work(Pipe::MTE2, 1, 10, 10, 110);
  move.stalled = 60;
  move.stall_class = CycleClass::kMemory;
  example.block(0, 11, 110);
  EXPECT_EQ(example.path(),
            (Lines{"S busy: 0 to 10", "MTE2 busy 1: 10 to 50", "MTE2 memory 1: 50 to 110"}));
}

TEST(CriticalPath, GoesBackInOrderWhereAPipeIsTheBottleneck) {
  Example example(90);
  for (Cycle i = 0; i < 3; ++i) {
    example.work(Pipe::V, 1 + static_cast<std::uint32_t>(i), i, i * 30, i * 30 + 30);
  }
  example.block(0, 3, 90);
  EXPECT_EQ(example.path(),
            (Lines{"V busy 1: 0 to 30", "V busy 2: 30 to 60", "V busy 3: 60 to 90"}));
}

TEST(CriticalPath, AFullQueueHoldsTheScalarUnitBack) {
  // The 33rd instruction enters the queue when the first one leaves it, and a move behind it has to
  // wait for that.
  Example example(600);
  example.work(Pipe::V, 1, 1, 1, 101);
  for (std::uint32_t i = 1; i < 32; ++i) example.work(Pipe::V, 2, 1 + i, 101, 102);
  example.work(Pipe::V, 3, 33, 102, 103);
  example.work(Pipe::V, 4, 101, 103, 104);  // a queue behind the second one
  example.work(Pipe::MTE3, 5, 103, 103, 600);
  example.block(0, 104, 600);
  EXPECT_EQ(example.path(), (Lines{"S busy: 0 to 1", "V busy 1: 1 to 101", "S busy: 101 to 103",
                                   "MTE3 busy 5: 103 to 600"}));
}

TEST(CriticalPath, ABarrierWaitsForThePipeThatEndsLast) {
  Example example(300);
  example.work(Pipe::V, 1, 1, 1, 50);
  example.work(Pipe::MTE2, 2, 2, 2, 200);
  example.add(Pipe::S, EventKind::kBarrier, 3, 3, 3, 200);
  example.work(Pipe::V, 4, 201, 201, 300);
  example.block(0, 202, 300);
  EXPECT_EQ(example.path(), (Lines{"S busy: 0 to 2", "MTE2 busy 2: 2 to 200", "S busy: 200 to 201",
                                   "V busy 4: 201 to 300"}));
}

TEST(CriticalPath, CrossesToTheCoreThatSetTheFlag) {
  Example example(500, 2);
  example.work(Pipe::MTE3, 1, 5, 5, 100, 1);
  example.add(Pipe::MTE3, EventKind::kSet, 2, 6, 6, 100, 9, 1);
  example.block(0, 7, 100, 1);
  example.add(Pipe::MTE2, EventKind::kWait, 3, 2, 2, 400, 9, 0);
  example.work(Pipe::MTE2, 4, 3, 400, 500, 0);
  example.block(0, 4, 500, 0);
  EXPECT_EQ(example.path(),
            (Lines{"core 1 S busy: 0 to 5", "core 1 MTE3 busy 1: 5 to 100",
                   "MTE2 wait_cross_core 3: 100 to 400", "MTE2 busy 4: 400 to 500"}));
}

TEST(CriticalPath, ALaterBlockBeginsWithItsDispatch) {
  Example example(700);
  example.work(Pipe::V, 1, 1, 1, 200);
  example.block(0, 2, 200);
  example.work(Pipe::V, 2, 501, 501, 700);
  example.block(500, 502, 700);
  EXPECT_EQ(example.path(), (Lines{"S busy: 0 to 1", "V busy 1: 1 to 200", "S launch: 200 to 500",
                                   "S busy: 500 to 501", "V busy 2: 501 to 700"}));
}

/// Two cores of an AI core; the second one ends its first block last, and the first one has
/// another.
Lines path_of_siblings(std::uint32_t second_block) {
  Example example(700, 2);
  example.make_sibling(1);
  example.work(Pipe::V, 1, 1, 1, 200, 0);
  example.block(0, 2, 200, 0, 0);
  example.work(Pipe::V, 2, 1, 1, 300, 1);
  example.block(0, 2, 300, 1, second_block);
  example.work(Pipe::V, 3, 501, 501, 700, 0);
  example.block(500, 502, 700, 0, 7);
  return example.path();
}

TEST(CriticalPath, ADieMayBeginBehindOthers) {
  Example launch(300, 2);
  launch.block(0, 50, 60, 0);
  launch.block(100, 140, 300, 1);
  launch.work(Pipe::V, 1, 140, 140, 300, 1);
  EXPECT_EQ(launch.path(),
            (std::vector<std::string>{"core 1 S launch: 0 to 100", "core 1 S busy: 100 to 140",
                                      "core 1 V busy 1: 140 to 300"}));
}

TEST(CriticalPath, ABlockOfSeveralCoresEndsWithTheLastOfThem) {
  const Lines next = {"S busy: 500 to 501", "V busy 3: 501 to 700"};
  EXPECT_EQ(path_of_siblings(0), (Lines{"core 1 S busy: 0 to 1", "core 1 V busy 2: 1 to 300",
                                        "S launch: 300 to 500", next[0], next[1]}));
  EXPECT_EQ(path_of_siblings(1), (Lines{"S busy: 0 to 1", "V busy 1: 1 to 200",
                                        "S launch: 200 to 500", next[0], next[1]}));
}

TEST(CriticalPath, ABlockThatTheScalarUnitEndsAlone) {
  Example example(80);
  example.work(Pipe::V, 1, 1, 1, 20);
  example.work(Pipe::S, 2, 30, 30, 75);
  example.block(0, 80, 80);
  EXPECT_EQ(example.path(), (Lines{"S busy: 0 to 30", "S busy 2: 30 to 75", "S busy: 75 to 80"}));
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
