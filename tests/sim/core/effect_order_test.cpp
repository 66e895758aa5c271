#include "sim/core/effect_order.hpp"

#include <gtest/gtest.h>

namespace davsim::test {
namespace {

using sim::Effect;
using sim::EffectOrder;
using Job = EffectOrder::Job;

constexpr EffectOrder::Awaited kNothing{}, kAll{.all = true};

class EffectsInOrder : public ::testing::Test {
 protected:
  EffectsInOrder() {
    for (std::uint32_t core = 0; core < 3; ++core) order_.add_core(core);
  }
  void give(std::uint32_t core, bool global) {
    Effect& effect = ring_.at(given_++);
    effect.core = core;
    effect.global = global;
    effect.next = Effect::kNone;
    effect.happened = false;
  }
  std::optional<Job> next(const EffectOrder::Awaited& awaited) {
    order_.take(given_, awaited);
    return order_.next(awaited);
  }
  /// Ends a job whose effects have all happened, up to `last`.
  bool finish(Job job, std::uint64_t last) {
    job.ended = last;
    return order_.finish(job);
  }

  sim::EffectRing ring_;
  EffectOrder order_{ring_};
  std::uint64_t given_ = 0;
};

TEST_F(EffectsInOrder, WhatACoreDoesOnItsChipIsPutOff) {
  give(0, false);
  EXPECT_FALSE(next(kNothing));
  EXPECT_TRUE(next(kAll));
}

TEST_F(EffectsInOrder, TheCoreWhoseTurnItIsComesFirst) {
  give(0, false);
  give(1, false);
  give(1, true);
  const auto job = next(kNothing);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->core, 1u);
  EXPECT_EQ(job->first, 1u);
  EXPECT_EQ(job->turn, 2u);
  EXPECT_EQ(order_.turn(), 2u);
  finish(*job, 2);
  EXPECT_EQ(order_.turn(), order_.taken());
  EXPECT_TRUE(ring_.at(2).happened);
}

TEST_F(EffectsInOrder, WhereTheTurnIsUnderWayTheNextOneIsPrepared) {
  give(0, true);
  give(1, false);
  give(1, true);
  const auto first = next(kNothing);
  ASSERT_TRUE(first);
  const auto second = next(kNothing);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->core, 1u);
  EXPECT_EQ(second->turn, Effect::kNone);
  EXPECT_FALSE(next(kNothing)) << "both cores are busy";
}

TEST_F(EffectsInOrder, OutOfTurnNothingTouchesGlobalMemory) {
  give(0, true);
  give(1, true);
  ASSERT_TRUE(next(kAll));
  EXPECT_FALSE(next(kAll));
  EXPECT_FALSE(next({.core = 1}));
}

TEST_F(EffectsInOrder, TheAwaitedCoreComesBeforeTheTurn) {
  give(0, true);
  give(1, false);
  give(2, false);
  const auto job = next({.core = 2});
  ASSERT_TRUE(job);
  EXPECT_EQ(job->core, 2u);
}

TEST_F(EffectsInOrder, TheOldestComesFirstWhereAllIsAwaited) {
  give(2, false);
  give(1, false);
  const auto job = next(kAll);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->core, 2u);
  finish(*job, 0);
  const auto other = next(kAll);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->core, 1u);
}

TEST_F(EffectsInOrder, AJobThatStopsIsResumedWhereItStopped) {
  give(0, true);
  give(1, false);
  give(1, true);
  const auto turn = next(kNothing);
  auto job = next(kNothing);
  ASSERT_TRUE(turn && job);
  job->stopped_at = 2;
  order_.finish(*job);
  finish(*turn, 0);
  const auto rest = next(kNothing);
  ASSERT_TRUE(rest);
  EXPECT_EQ(rest->first, 2u);
  EXPECT_EQ(rest->turn, 2u);
}

// Where a job leaves nothing more to do, the other thread sleeps on.
TEST_F(EffectsInOrder, ACoreThatIsDoneLeavesNothingMoreToDo) {
  give(0, false);
  give(0, false);
  give(1, false);
  const auto job = next({.core = 0});
  ASSERT_TRUE(job);
  EXPECT_FALSE(finish(*job, 1));
  EXPECT_FALSE(next(kNothing)) << "nobody waits for the other core";
}

TEST_F(EffectsInOrder, ACoreThatAwaitsItsTurnLeavesSomethingToDo) {
  give(1, true);
  give(0, false);
  give(0, true);
  auto job = next({.core = 0});
  ASSERT_TRUE(job);
  job->stopped_at = 2;
  EXPECT_TRUE(order_.finish(*job));
  EXPECT_TRUE(next(kNothing));
}

TEST_F(EffectsInOrder, ATurnThatIsOverLeavesSomethingToDo) {
  give(0, true);
  give(1, true);
  const auto job = next(kNothing);
  ASSERT_TRUE(job);
  EXPECT_TRUE(finish(*job, 0));
  EXPECT_TRUE(next(kNothing));
}

TEST_F(EffectsInOrder, EffectsGivenMeanwhileAreSomethingToDo) {
  give(0, false);
  const auto job = next({.core = 0});
  ASSERT_TRUE(job);
  give(0, false);
  EXPECT_TRUE(next({.core = 0}) == std::nullopt) << "the core is busy";
  EXPECT_TRUE(finish(*job, 0));
}

}  // namespace
}  // namespace davsim::test
