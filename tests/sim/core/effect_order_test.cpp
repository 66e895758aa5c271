// Which effects a thread may apply next, and when another one has to hear of it.
#include "sim/core/effect_order.hpp"

#include <gtest/gtest.h>

namespace davsim::test {
namespace {

using sim::Effect;
using sim::EffectOrder;
using sim::EffectRing;

class EffectOrderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    order_.add_core(0);
    order_.add_core(1);
    order_.begin();
  }
  void give(std::uint32_t core, bool global) {
    Effect& effect = ring_.at(given_++);
    effect.core = core;
    effect.global = global;
    effect.next = Effect::kNone;
    effect.happened = false;
  }
  EffectOrder::Job next(std::uint32_t awaited) {
    const EffectOrder::Awaited what{false, awaited};
    order_.take(given_, what);
    return order_.next(what).value();
  }
  bool anything(std::uint32_t awaited) { return order_.next({false, awaited}).has_value(); }
  /// As EffectThread does a job that ends behind `ended` or before `stopped_at`.
  bool finish(EffectOrder::Job job, std::uint64_t ended, std::uint64_t stopped_at = Effect::kNone) {
    job.ended = ended;
    job.stopped_at = stopped_at;
    return order_.finish(job);
  }

  EffectRing ring_;
  EffectOrder order_{ring_};
  std::uint64_t given_ = 0;
};

TEST_F(EffectOrderTest, ACoreThatIsDoneLeavesNothingMoreToDo) {
  give(0, false);
  give(0, false);
  give(1, false);
  EXPECT_FALSE(finish(next(0), 1));
  EXPECT_FALSE(anything(EffectOrder::kNoCore)) << "nobody waits for the other core";
  EXPECT_TRUE(anything(1));
}

TEST_F(EffectOrderTest, ACoreThatHasToAwaitItsTurnLeavesSomethingToDo) {
  give(1, true);
  give(0, false);
  give(0, true);
  const auto job = next(0);
  EXPECT_TRUE(finish(job, 1, 2));
  EXPECT_TRUE(anything(EffectOrder::kNoCore)) << "the turn of core 1";
}

TEST_F(EffectOrderTest, ATurnThatIsOverLeavesSomethingToDo) {
  give(0, true);
  give(1, true);
  const auto job = next(EffectOrder::kNoCore);
  EXPECT_EQ(job.core, 0u);
  EXPECT_TRUE(finish(job, 0));
  EXPECT_TRUE(anything(EffectOrder::kNoCore));
}

TEST_F(EffectOrderTest, EffectsGivenMeanwhileAreSomethingToDo) {
  give(0, false);
  const auto job = next(0);
  give(0, false);
  order_.take(given_, {false, 0});
  EXPECT_TRUE(finish(job, 0));
}

}  // namespace
}  // namespace davsim::test
