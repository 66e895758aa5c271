// Clocks against a plain table: what is known of each agent of each core.
#include "checker/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

namespace davsim::checker {
namespace {

constexpr std::uint32_t kCores = 5;

/// A clock, and the table that it stands for.
struct Both {
  explicit Both(std::uint32_t core) : clock(core), core(core) {}

  void advance(std::uint32_t place, Stamp stamp) {
    clock.set_own(place, stamp);
    known[agent_of(core, place)] = stamp;
  }
  void learn(const Both& other) {
    clock.join_from(other.clock);
    for (const auto& [agent, stamp] : other.known) known[agent] = std::max(known[agent], stamp);
  }
  void expect_equal() {
    for (std::uint32_t of = 0; of < kCores; ++of) {
      for (std::uint32_t place = 0; place < kAgentsPerCore; ++place) {
        const Agent agent = agent_of(of, place);
        ASSERT_EQ(clock.known(agent), known[agent]) << "core " << core << " of agent " << agent;
      }
    }
  }

  Clock clock;
  std::uint32_t core;
  std::map<Agent, Stamp> known;
};

TEST(Clock, KnowsWhatTheClocksKnewThatItLearnedFrom) {
  std::mt19937 random(17);
  const auto below = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(random() % most);
  };
  std::vector<Both> pipes;  // two of each core
  for (std::uint32_t core = 0; core < kCores; ++core) pipes.insert(pipes.end(), 2, Both(core));
  Stamp stamp = 0;
  for (int step = 0; step < 20000; ++step) {
    Both& pipe = pipes[below(2 * kCores)];
    if (below(2) == 0) {
      pipe.advance(below(kAgentsPerCore), ++stamp);
    } else {
      // A copy, as a flag carries it: the lists of both are then shared.
      const Both from = pipes[below(2 * kCores)];
      pipe.learn(from);
      if (below(4) == 0) pipe.learn(from);
    }
    pipe.expect_equal();
    if (HasFatalFailure()) return;
    // Otherwise all soon know all.
    if (below(50) == 0) pipe = Both(pipe.core);
  }
}

TEST(Clock, OfNoCoreGathersWhatSeveralCoresKnow) {
  Both first(1), second(2), reader(1);
  first.advance(3, 10);
  second.advance(4, 20);
  Clock common;
  common.join_from(first.clock);
  common.join_from(second.clock);
  EXPECT_EQ(common.known(agent_of(1, 3)), 10u);
  EXPECT_EQ(common.known(agent_of(2, 4)), 20u);
  reader.clock.join_from(common);
  EXPECT_EQ(reader.clock.own(3), 10u) << "the part of its own core";
  EXPECT_EQ(reader.clock.known(agent_of(2, 4)), 20u);
}

}  // namespace
}  // namespace davsim::checker
