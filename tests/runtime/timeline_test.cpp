// Where launches and copies of several streams lie in time.
#include "runtime/core/timeline.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "runtime/core/demand.hpp"

namespace davsim::runtime {
namespace {

/// A launch on `cores` cores of a type, which all take `cycles` of a nanosecond.
observe::LaunchReport launch(isa::CoreType type, std::uint32_t cores, observe::Cycle cycles) {
  observe::LaunchReport report;
  report.frequency_mhz = 1000;
  report.cycles = cycles;
  report.launch_overhead_us = 2;
  for (std::uint32_t i = 0; i < cores; ++i) {
    observe::CoreCounters& core = report.cores.emplace_back();
    core.type = type;
    core.ai_core = type == isa::CoreType::AIV ? i / 2 : i;
    core.sub_block = type == isa::CoreType::AIV ? i % 2 : 0;
    core.end = cycles;
  }
  return report;
}

observe::LaunchReport mix(std::uint32_t ai_cores, observe::Cycle cycles) {
  observe::LaunchReport report = launch(isa::CoreType::AIC, ai_cores, cycles);
  const observe::LaunchReport vectors = launch(isa::CoreType::AIV, 2 * ai_cores, cycles);
  report.cores.insert(report.cores.end(), vectors.cores.begin(), vectors.cores.end());
  return report;
}

/// Two dies with two AI cores of one cube and two vector cores each, and the rates of an
/// Ascend910B3.
class TimelineTest : public ::testing::Test {
 protected:
  /// What begins at `at`.
  MomentPtr moment(Microseconds at) {
    auto made = std::make_shared<Moment>();
    Demand demand;
    demand.duration = at;
    timeline_.add({}, demand, made);
    return made;
  }
  MomentPtr add(const Demand& demand, std::vector<MomentPtr> after = {}) {
    auto end = std::make_shared<Moment>();
    timeline_.add(std::move(after), demand, end);
    return end;
  }
  static Demand on_other(Demand demand) {
    demand.die = 1;
    return demand;
  }
  struct Expected {
    Microseconds ready;
    observe::LaunchReport report;
    Microseconds end;
  };
  /// Adds launches and expects them to end then. Times are asked for when all launches are there:
  /// what is told does not change any more.
  void expect_ends(const std::vector<Expected>& launches) {
    std::vector<MomentPtr> ends;
    for (const Expected& one : launches) {
      ends.push_back(add(rates_.launch(one.report), {moment(one.ready)}));
    }
    for (std::size_t i = 0; i < launches.size(); ++i) {
      EXPECT_DOUBLE_EQ(timeline_.at(*ends[i]), launches[i].end) << "launch " << i;
    }
  }

  Rates rates_{sim::SocConfig::named("Ascend910B3")};
  Timeline timeline_{2, 2, 2};
};

constexpr auto kAic = isa::CoreType::AIC, kAiv = isa::CoreType::AIV;

TEST_F(TimelineTest, ALaunchTakesItsOverheadAndItsTime) {
  expect_ends({{0, launch(kAiv, 4, 10'000), 12}, {12, launch(kAiv, 4, 10'000), 24}});
}

TEST_F(TimelineTest, LaunchesLieSideBySideOnFreeCores) {
  expect_ends({{0, launch(kAiv, 2, 10'000), 12},
               {0, launch(kAiv, 2, 10'000), 12},
               {0, launch(kAiv, 1, 10'000), 24}});
}

TEST_F(TimelineTest, CubesAndVectorsAreDifferentCores) {
  expect_ends({{0, launch(kAic, 2, 10'000), 12}, {0, launch(kAiv, 4, 5'000), 7}});
}

TEST_F(TimelineTest, AMixNeedsBothTypesOfAnAiCore) {
  expect_ends({{0, launch(kAiv, 1, 10'000), 12}, {0, mix(1, 3'000), 5}, {0, mix(2, 3'000), 17}});
}

TEST_F(TimelineTest, CoresThatEndEarlyAreFreeEarly) {
  observe::LaunchReport uneven = launch(kAiv, 4, 10'000);
  uneven.cores[3].end = 1'000;
  expect_ends({{0, uneven, 12}, {0, launch(kAiv, 1, 1'000), 6}});
}

TEST_F(TimelineTest, AFunctionalLaunchTakesNoTime) {
  observe::LaunchReport report = launch(kAiv, 4, 0);
  report.timed = false;
  expect_ends({{5, report, 5}});
}

/// A launch on one vector core that moves as much as HBM can in `hbm_us`.
observe::LaunchReport moving(observe::Cycle cycles, double hbm_us) {
  observe::LaunchReport report = launch(kAiv, 1, cycles);
  report.launch_overhead_us = 0;
  report.memory.hbm_read_bytes = static_cast<std::uint64_t>(hbm_us * 1.6e6);
  return report;
}

TEST_F(TimelineTest, LaunchesThatMoveMoreThanThereIsShareHbm) {
  expect_ends({{0, moving(10'000, 10), 20}, {0, moving(10'000, 10), 20}});
}

TEST_F(TimelineTest, ALaunchThatMovesLittleIsNotSlowedDown) {
  // A tenth of HBM goes to it for 10 us.
  expect_ends({{0, moving(10'000, 1), 10}, {0, moving(10'000, 10), 11}});
}

TEST_F(TimelineTest, RatesGoBackWhenALaunchEnds) {
  expect_ends({{0, moving(10'000, 10), 12}, {5, moving(2'000, 2), 9}});
}

TEST_F(TimelineTest, CopiesOfOneDirectionShareTheLinkAndOthersLieBeside) {
  const Microseconds alone = rates_.copy(Direction::kToDevice, 25'000'000).duration;
  EXPECT_GT(alone, 1000) << "25 GB/s at most";
  EXPECT_LT(alone, 1100);
  const MomentPtr down = add(rates_.copy(Direction::kToHost, 25'000'000));
  const MomentPtr first = add(rates_.copy(Direction::kToDevice, 25'000'000));
  const MomentPtr second = add(rates_.copy(Direction::kToDevice, 25'000'000));
  EXPECT_NEAR(timeline_.at(*first), 2 * alone, 20);
  EXPECT_DOUBLE_EQ(timeline_.at(*first), timeline_.at(*second));
  EXPECT_DOUBLE_EQ(timeline_.at(*down), alone);
}

TEST_F(TimelineTest, EachDieHasCoresAndRatesOfItsOwn) {
  const Demand copy = rates_.copy(Direction::kToDevice, 25'000'000);
  const Demand work = rates_.launch(launch(kAiv, 4, 10'000));
  const MomentPtr copied = add(copy), other_copied = add(on_other(copy));
  const MomentPtr first = add(work), second = add(work), other = add(on_other(work));
  EXPECT_DOUBLE_EQ(timeline_.at(*copied), copy.duration);
  EXPECT_DOUBLE_EQ(timeline_.at(*other_copied), copy.duration);
  EXPECT_DOUBLE_EQ(timeline_.at(*first), 12);
  EXPECT_DOUBLE_EQ(timeline_.at(*second), 24);
  EXPECT_DOUBLE_EQ(timeline_.at(*other), 12);
}

TEST_F(TimelineTest, WhatIsAskedOfOneDieSaysNothingOfAnother) {
  const Demand work = rates_.launch(launch(kAiv, 4, 10'000));
  const MomentPtr first = add(work), second = add(work, {first});
  EXPECT_DOUBLE_EQ(timeline_.at(*second), 24);
  EXPECT_DOUBLE_EQ(timeline_.at(*add(on_other(work))), 12);
  EXPECT_DOUBLE_EQ(timeline_.end(), 24);
}

TEST_F(TimelineTest, AWorkWaitsForThatOfAnotherDie) {
  const Demand work = rates_.launch(launch(kAiv, 4, 10'000));
  const MomentPtr first = add(work), second = add(work);
  const MomentPtr joined = add(Demand{}, {second, moment(7)});
  const MomentPtr own = add(on_other(work), {moment(15)});
  // It needs the same cores, and is first if it is ready first.
  const MomentPtr behind = add(on_other(work), {joined});
  EXPECT_DOUBLE_EQ(timeline_.at(*behind), 39);
  EXPECT_EQ(behind->started, 27);
  EXPECT_DOUBLE_EQ(timeline_.at(*own), 27);
  EXPECT_DOUBLE_EQ(timeline_.at(*second), 24);
}

TEST_F(TimelineTest, AThreadMayWaitForAllOfADieOrOfAllDies) {
  const Demand work = rates_.launch(launch(kAiv, 4, 10'000));
  add(on_other(work));
  add(on_other(work));
  EXPECT_DOUBLE_EQ(timeline_.at(*add(work)), 12);
  const auto of_first = std::make_shared<Moment>(), of_other = std::make_shared<Moment>(),
             of_all = std::make_shared<Moment>();
  timeline_.join_all(0, of_first);
  timeline_.join_all(1, of_other);
  timeline_.join_all(std::nullopt, of_all);
  EXPECT_DOUBLE_EQ(timeline_.at(*of_first), 12);
  EXPECT_DOUBLE_EQ(timeline_.at(*of_other), 24);
  EXPECT_DOUBLE_EQ(timeline_.at(*of_all), 24);
}

TEST_F(TimelineTest, WhatTakesNothingOfADieGoesByItsMomentsAlone) {
  const MomentPtr told = add(rates_.launch(launch(kAiv, 4, 10'000)));
  EXPECT_DOUBLE_EQ(timeline_.at(*told), 12);
  Demand waiting;
  waiting.duration = 3;
  const MomentPtr late = add(waiting, {moment(2)});
  EXPECT_DOUBLE_EQ(timeline_.at(*late), 5);
  EXPECT_DOUBLE_EQ(*late->started, 2);
}

TEST_F(TimelineTest, WhatWasToldDoesNotChange) {
  const MomentPtr told = add(rates_.launch(moving(10'000, 10)));
  EXPECT_DOUBLE_EQ(timeline_.at(*told), 10);
  const MomentPtr later = add(rates_.launch(moving(10'000, 10)));
  EXPECT_DOUBLE_EQ(timeline_.at(*told), 10);
  EXPECT_DOUBLE_EQ(timeline_.at(*later), 20);
}

TEST_F(TimelineTest, AWorkStartsBehindAllThatItWaitsFor) {
  const MomentPtr one = moment(3), two = moment(7);
  const MomentPtr join = add(Demand{}, {one, two, nullptr});
  EXPECT_DOUBLE_EQ(timeline_.at(*join), 7);
  EXPECT_DOUBLE_EQ(timeline_.end(), 7);
}

TEST_F(TimelineTest, ManyWorksThatNobodyAsksForAreBounded) {
  MomentPtr last;
  for (int i = 0; i < 5000; ++i) last = add(rates_.launch(launch(kAiv, 4, 1'000)), {last});
  EXPECT_NEAR(timeline_.at(*last), 15'000, 1e-6);
}

}  // namespace
}  // namespace davsim::runtime
