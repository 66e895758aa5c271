// The clock, and where cycles meet SystemC's time.
#include "memory/cycle_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace davsim::memory {
namespace {

class Stepper : public Clocked {
 public:
  Stepper(CycleClock& clock, Cycle every, Cycle last) : clock_(clock), every_(every), last_(last) {}
  void wake(Cycle cycle) {
    wakes_at_ = cycle;
    clock_.step_at(*this, cycle);
  }
  void step() override {
    wakes_at_ = kNever;
    const Cycle now = current_cycle();
    EXPECT_FALSE(in_arbitration());
    steps.push_back(now);
    systemc_at.push_back(sc_core::sc_time_stamp().value());
    if (now < last_) wake(now + every_);
  }
  std::vector<Cycle> steps;
  std::vector<std::uint64_t> systemc_at;  ///< its time at each step

 private:
  CycleClock& clock_;
  Cycle every_, last_;
};

class Referee : public Arbiter {
 public:
  void arbitrate() override {
    EXPECT_TRUE(in_arbitration());
    cycles.push_back(current_cycle());
  }
  std::vector<Cycle> cycles;
};

TEST(CycleClock, StepsEachAtTheCycleItAskedFor) {
  CycleClock clock("clock");
  Stepper fast(clock, 3, 30), slow(clock, 10, 30);
  fast.wake(0);
  slow.wake(0);
  sc_core::sc_start();
  EXPECT_EQ(slow.steps, (std::vector<Cycle>{0, 10, 20, 30}));
  EXPECT_EQ(fast.steps.size(), 11u);
  EXPECT_EQ(fast.steps.back(), 30u);
}

TEST(CycleClock, WhatWasAskedForEarlierNoLongerHolds) {
  CycleClock clock("clock");
  Stepper stepper(clock, 1, 0);
  stepper.wake(50);
  stepper.wake(20);
  sc_core::sc_start();
  EXPECT_EQ(stepper.steps, (std::vector<Cycle>{20}));
}

TEST(CycleClock, ArbitratesInTheSecondHalfOfTheCycle) {
  CycleClock clock("clock");
  Referee referee;
  clock.arbitrate_at(referee, 7);
  clock.arbitrate_at(referee, 5);  // the earliest holds
  sc_core::sc_start();
  EXPECT_EQ(referee.cycles, (std::vector<Cycle>{5}));
}

/// Asks for several calls, of which the earliest holds, and writes down when it was called.
class Player : public Arbiter {
 public:
  Player(CycleClock& clock, int number, std::vector<std::pair<Cycle, int>>& calls)
      : clock_(clock), number_(number), calls_(calls) {
    clock_.add(*this);
  }
  void ask(std::mt19937& random) {
    for (int i = 0; i < 3; ++i) {
      const Cycle cycle = current_cycle() + 1 + random() % 20;
      wanted = std::min(wanted, cycle);
      clock_.arbitrate_at(*this, cycle);
    }
  }
  void arbitrate() override {
    EXPECT_EQ(current_cycle(), wanted);
    calls_.emplace_back(current_cycle(), number_);
    wanted = kNever;
    if (--left > 0) ask(random);
  }
  Cycle wanted = kNever;
  int left = 50;
  std::mt19937 random{static_cast<std::uint32_t>(number_)};

 private:
  CycleClock& clock_;
  int number_;
  std::vector<std::pair<Cycle, int>>& calls_;
};

TEST(CycleClock, ArbitersOfACycleComeInTheOrderInWhichTheyWereAdded) {
  CycleClock clock("clock");
  std::vector<std::pair<Cycle, int>> calls;
  std::vector<std::unique_ptr<Player>> players;
  for (int i = 0; i < 17; ++i) players.push_back(std::make_unique<Player>(clock, i, calls));
  for (const auto& player : players) player->ask(player->random);
  sc_core::sc_start();
  EXPECT_EQ(calls.size(), 17u * 50);
  EXPECT_TRUE(std::is_sorted(calls.begin(), calls.end()));
}

TEST(CycleClock, NothingHappensFromTheHorizonOn) {
  CycleClock clock("clock");
  Stepper stepper(clock, 1, 100);
  stepper.wake(0);
  clock.stop_before(10);
  sc_core::sc_start(until(10), sc_core::SC_EXIT_ON_STARVATION);
  EXPECT_EQ(stepper.steps.back(), 9u);
}

TEST(CycleClock, StopsForWhateverElseSystemCHasToDo) {
  CycleClock clock("clock");
  Stepper stepper(clock, 1, 100);
  stepper.wake(0);
  sc_core::sc_event other;
  other.notify(until(42));
  sc_core::sc_start();
  // Up to the event of somebody else the clock goes on without SystemC, which is where it began;
  // it is not ahead of it when it comes.
  EXPECT_EQ(stepper.systemc_at.at(41), 0u);
  EXPECT_EQ(stepper.systemc_at.at(42), ClockPeriod::ticks_of(42 * kUnitsPerCycle));
}

class Period : public ::testing::TestWithParam<double> {};

TEST_P(Period, EveryUnitIsFoundAgainInSystemCsTime) {
  ClockPeriod::set(GetParam());
  for (std::uint64_t unit = 0; unit < 100000; unit += 7) {
    const std::uint64_t ticks = ClockPeriod::ticks_of(unit);
    ASSERT_EQ(ClockPeriod::unit_of(ticks), unit);
    ASSERT_GT(ClockPeriod::ticks_of(unit + 1), ticks);
  }
}

TEST_P(Period, AMicrosecondHasSoManyCyclesAsThereAreMegahertz) {
  ClockPeriod::set(GetParam());
  EXPECT_EQ(cycle_after(sc_core::sc_time(1, sc_core::SC_US)), static_cast<Cycle>(GetParam()));
  EXPECT_EQ(cycle_after(sc_core::SC_ZERO_TIME), 0u);
}
INSTANTIATE_TEST_SUITE_P(Clocks, Period, ::testing::Values(1000., 1080., 1500., 1800., 1850.));

}  // namespace
}  // namespace davsim::memory
