// An observer in a thread of its own sees what one in the simulation's thread sees.
#include "traces/background_observer.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "traces/chrome/chrome_trace.hpp"

namespace davsim::traces {
namespace {

void run(Observer& observer, int instructions) {
  LaunchDescription launch;
  launch.soc = "Ascend910B3";
  launch.kernel = "k";
  launch.frequency_mhz = 1800;
  launch.cores = {{0, isa::CoreType::AIV, "core0.veccore0"}};
  observer.launch_begins(launch);
  for (int i = 0; i < instructions; ++i) {
    // The simulation's instruction is gone right after the call.
    isa::DecodedInstr instr;
    instr.op = isa::Opcode::kAdd;
    instr.pipe = isa::Pipe::V;
    InstrEvent event;
    event.instr = &instr;
    event.start = static_cast<Cycle>(10 * i);
    event.end = event.start + 8;
    observer.instruction(event);
    instr.op = isa::Opcode::kSub;
    if (i % 1000 == 0) observer.memory_sample({event.start, 100, 64, 32, 0});
  }
  LaunchReport report;
  report.kernel = "k";
  report.frequency_mhz = 1800;
  report.cycles = static_cast<Cycle>(10 * instructions);
  observer.launch_ends(report);
}

TEST(BackgroundObserver, TheTraceIsTheSame) {
  constexpr int kMany = 50'000;  // more than may wait
  std::ostringstream direct, behind;
  {
    ChromeTrace trace(direct);
    run(trace, kMany);
    trace.finish();
  }
  ChromeTrace trace(behind);
  BackgroundObserver background(trace);
  run(background, kMany);
  background.finish();
  trace.finish();
  EXPECT_EQ(direct.str().size(), behind.str().size());
  EXPECT_TRUE(direct.str() == behind.str());
}

class Failing : public Observer {
 public:
  void instruction(const InstrEvent&) override {
    ++seen;
    throw std::runtime_error("disk full");
  }
  int seen = 0;
};

TEST(BackgroundObserver, FinishThrowsWhatTheObserverThrew) {
  Failing failing;
  BackgroundObserver background(failing);
  run(background, 50'000);  // goes on: the simulation does not stop in the middle
  try {
    background.finish();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "disk full");
  }
  EXPECT_EQ(failing.seen, 1);
}

class Counting : public Observer {
 public:
  void instruction(const InstrEvent&) override { ++seen; }
  std::atomic<int> seen = 0;
};

TEST(BackgroundObserver, HasHeardOfALaunchWhenItEnds) {
  Counting counting;
  BackgroundObserver background(counting);
  run(background, 50'000);
  EXPECT_EQ(counting.seen, 50'000);
}

TEST(BackgroundObserver, EndsWithoutFinish) {
  constexpr int kMany = 50'000;
  Counting counting;
  {
    BackgroundObserver background(counting);
    for (int i = 0; i < kMany; ++i) {
      isa::DecodedInstr instr;
      InstrEvent event;
      event.instr = &instr;
      background.instruction(event);
    }
  }
  // Its thread is over: what waited is dropped, and nothing arrives any more.
  const int seen = counting.seen;
  EXPECT_LE(seen, kMany);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(counting.seen, seen);
}

}  // namespace
}  // namespace davsim::traces
