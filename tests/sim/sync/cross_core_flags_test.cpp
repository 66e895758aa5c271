// Flags between cores, without cores: whom a set raises, when it arrives, and what is left.
#include "sim/sync/cross_core_flags.hpp"

#include <gtest/gtest.h>

#include <map>

#include "isa/instr/fault.hpp"

namespace davsim::sim {
namespace {

using isa::CoreType;
using Cores = std::vector<std::uint32_t>;

constexpr Cycle kLatency = 7;
constexpr std::uint8_t kId = 0;

/// Two AI cores of an AIC and two AIVs each: cores 0, 1 are the AICs, 2 and 3 the AIVs of AI core
/// 0, 4 and 5 those of AI core 1.
class CrossCoreFlagsTest : public testing::Test {
 protected:
  CrossCoreFlagsTest() {
    flags.begin(6, 2, 4, 2, [this](std::uint32_t core, Cycle at) { told.emplace(core, at); });
    flags.join({{0, 0, CoreType::AIC}, {1, 1, CoreType::AIC}});
    for (std::uint32_t aiv = 0; aiv < 4; ++aiv) flags.join({{2 + aiv, aiv / 2, CoreType::AIV}});
  }
  void set(std::uint32_t core, std::uint8_t mode, std::uint8_t id = kId, Cycle now = 100) {
    flags.set(core, {mode, id}, now, 1000 + core, isa::SourceLocation::current());
  }
  /// The cores on which the flag is raised.
  Cores raised() const {
    Cores found;
    for (const auto& flag : flags.raised()) found.push_back(flag.core);
    return found;
  }

  CrossCoreFlags flags{kLatency};
  std::multimap<std::uint32_t, Cycle> told;
};

TEST_F(CrossCoreFlagsTest, ModesRaiseTheFlagsOfTheirCores) {
  const struct {
    std::uint8_t mode;
    Cores setters, raised;
  } cases[] = {
      {0, {0, 1}, {0, 1}}, {0, {5, 3, 2, 4}, {2, 3, 4, 5}},
      {1, {3, 2}, {2, 3}}, {1, {4, 5}, {4, 5}},
      {2, {0}, {2, 3}},    {2, {1}, {4, 5}},
      {2, {2, 3}, {0}},    {2, {5, 4}, {1}},
  };
  for (const auto& c : cases) {
    for (std::uint32_t i = 0; i < c.setters.size(); ++i) {
      EXPECT_EQ(raised(), Cores()) << "mode " << int{c.mode} << ": not before all have set it";
      set(c.setters[i], c.mode, kId, 100 + i);
    }
    EXPECT_EQ(raised(), c.raised) << "mode " << int{c.mode} << " by " << c.setters[0];
    const Cycle at = 100 + c.setters.size() - 1 + kLatency;
    EXPECT_EQ(told.size(), c.raised.size());
    for (const auto& [core, cycle] : told) EXPECT_EQ(cycle, at);
    told.clear();
    EXPECT_TRUE(flags.half_set().empty());
    for (const std::uint32_t core : c.raised) {
      Cycle arrival = 0;
      std::uint64_t flow = 0;
      isa::SourceLocation where;
      EXPECT_EQ(flags.take(core, 1, at, arrival, flow, where), CrossCoreFlags::Take::kNothing);
      EXPECT_EQ(flags.take(core, kId, at - 1, arrival, flow, where), CrossCoreFlags::Take::kLater);
      EXPECT_EQ(arrival, at);
      EXPECT_THROW(flags.require_none_left(core, "c"), isa::Fault);
      EXPECT_EQ(flags.take(core, kId, at, arrival, flow, where), CrossCoreFlags::Take::kTaken);
      EXPECT_EQ(flow, 1000 + c.setters.back());
      EXPECT_EQ(flags.take(core, kId, at, arrival, flow, where), CrossCoreFlags::Take::kNothing);
      EXPECT_NO_THROW(flags.require_none_left(core, "c"));
    }
  }
}

TEST_F(CrossCoreFlagsTest, AFlagThatSomeHaveSetIsToldOnceWithThoseWhoHaveNot) {
  set(2, 0), set(4, 0);
  set(5, 1, 3);
  set(3, 2, 15);
  const auto half = flags.half_set();
  ASSERT_EQ(half.size(), 3u);
  const struct {
    std::uint8_t mode, id;
    std::size_t of;
    Cores by, missing;
  } expected[] = {{0, 0, 4, {2, 4}, {3, 5}}, {1, 3, 2, {5}, {4}}, {2, 15, 2, {3}, {2}}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(half[i].mode, expected[i].mode);
    EXPECT_EQ(half[i].id, expected[i].id);
    EXPECT_EQ(half[i].of, expected[i].of);
    EXPECT_EQ(half[i].by, expected[i].by);
    EXPECT_EQ(half[i].missing, expected[i].missing);
  }
}

TEST_F(CrossCoreFlagsTest, SettersAreThoseWhoseSetsRaiseAFlag) {
  EXPECT_EQ(flags.setters(0, 0), (Cores{0, 1}));
  EXPECT_EQ(flags.setters(3, 0), (Cores{2, 3, 4, 5}));
  EXPECT_EQ(flags.setters(4, 1), (Cores{4, 5}));
  EXPECT_EQ(flags.setters(4, 2), (Cores{1}));
  EXPECT_EQ(flags.setters(0, 2), (Cores{2, 3}));
  EXPECT_EQ(flags.setters_for(0, kId), (Cores{2, 3})) << "the other half of its AI core";
  set(2, 2);
  EXPECT_EQ(flags.setters_for(0, kId), (Cores{3})) << "who is missing";
  EXPECT_EQ(flags.setters_for(1, kId), (Cores{4, 5})) << "the set was for another AI core";
  EXPECT_EQ(flags.setters_for(0, 1), (Cores{2, 3})) << "the set was of another flag";
  flags.leave(3);
  EXPECT_EQ(flags.setters_for(0, 1), (Cores{2})) << "a core that has left sets nothing";
}

TEST_F(CrossCoreFlagsTest, EveryIdThatIsLeftRaisedIsAFault) {
  for (std::uint8_t id = 0; id < CrossCoreFlags::kIds; ++id) {
    set(1, 2, id);
    try {
      flags.require_none_left(4, "core1.veccore0");
      ADD_FAILURE() << "flag " << int{id};
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.core, "core1.veccore0");
      EXPECT_EQ(fault.message, "the kernel ends with cross-core flag " + std::to_string(id) +
                                   " raised 1 time(s) and never awaited");
    }
    EXPECT_NO_THROW(flags.require_none_left(2, "core0.veccore0"));
    for (const std::uint32_t core : {4u, 5u}) {
      Cycle arrival = 0;
      std::uint64_t flow = 0;
      isa::SourceLocation where;
      flags.take(core, id, 1000, arrival, flow, where);
    }
  }
}

TEST_F(CrossCoreFlagsTest, CountersHoldFifteen) {
  for (int i = 0; i < 15; ++i) set(0, 2);
  EXPECT_THROW(set(0, 2), isa::Fault) << "sets that nobody has taken";
  for (int i = 0; i < 15; ++i) set(4, 1);
  EXPECT_THROW(set(4, 1), isa::Fault) << "sets that wait for the other core";
}

}  // namespace
}  // namespace davsim::sim
