// What was kept of a call is shown later as it was told.
#include "traces/kept_events.hpp"

#include <gtest/gtest.h>

#include <string>

namespace davsim::traces {
namespace {

/// Writes down what it is told.
class Telling : public Observer {
 public:
  void launch_begins(const LaunchDescription& launch) override { told += "<" + launch.kernel; }
  void instruction(const InstrEvent& event) override {
    if (event.instr->op == isa::Opcode::kAdd) told += " " + std::to_string(event.start);
  }
  void memory_sample(const MemorySample& sample) override {
    told += " m" + std::to_string(sample.start);
  }
  void launch_ends(const LaunchReport& report) override { told += " " + report.kernel + ">"; }
  std::string told;
};

void run(Observer& observer, Cycle instructions) {
  LaunchDescription launch;
  launch.kernel = "k";
  observer.launch_begins(launch);
  for (Cycle i = 0; i < instructions; ++i) {
    isa::DecodedInstr instr;  // gone after the call, as the simulation's is
    instr.op = isa::Opcode::kAdd;
    InstrEvent event;
    event.instr = &instr;
    event.start = i;
    observer.instruction(event);
    instr.op = isa::Opcode::kSub;
    if (i % 700 == 0) observer.memory_sample({i, 100, 64, 32, 0});
  }
  LaunchReport report;
  report.kernel = "k";
  observer.launch_ends(report);
}

TEST(KeptEvents, AreShownAsTheyWereTold) {
  KeptEvents kept;
  for (const Cycle instructions : {Cycle{0}, Cycle{1}, Cycle{1024}, Cycle{5000}, Cycle{3}}) {
    Telling direct, later, again;
    run(direct, instructions);
    kept.clear();
    run(kept, instructions);
    ASSERT_TRUE(kept.complete());
    kept.show_to(later);
    kept.show_to(again);
    EXPECT_EQ(direct.told, later.told) << instructions;
    EXPECT_EQ(direct.told, again.told) << instructions;
  }
}

TEST(KeptEvents, OfALongerCallAreNotKept) {
  KeptEvents kept(2000);
  run(kept, 2000);
  EXPECT_TRUE(kept.complete());
  kept.clear();
  run(kept, 2001);
  EXPECT_FALSE(kept.complete());
  kept.clear();
  run(kept, 1);
  Telling later;
  kept.show_to(later);
  EXPECT_EQ(later.told, "<k 0 m0 k>");
}

}  // namespace
}  // namespace davsim::traces
