// Several dies that write to each other's memory: the checker takes loops that poll a flag for what
// they are, and finds what such a flag does not order.
#include <algorithm>
#include <vector>

#include "isa/core/core_watcher.hpp"
#include "tests/checker/dies_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

TEST_F(DiesUnderTheChecker, AFlagBehindTheDataOrdersThemForWhoPollsIt) {
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{});
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{});  // it was cleared
}

TEST_F(DiesUnderTheChecker, AFlagThatNoBarrierHoldsBackOrdersNothing) {
  ASSERT_EQ(found(LeftOut::kBarrier), std::vector<Class>{Class::kRace});
  EXPECT_TRUE(finding().first.core.starts_with("die0.")) << finding().message;
  EXPECT_TRUE(finding().second.core.starts_with("die1.")) << finding().message;
  EXPECT_EQ(finding().bytes, kCount * 4);
}

TEST_F(DiesUnderTheChecker, DataThatNobodyWaitsForAreARace) {
  EXPECT_EQ(found(LeftOut::kPoll), std::vector<Class>{Class::kRace});
}

TEST_F(DiesUnderTheChecker, AFlagBeforeTheDataOrdersNothing) {
  ASSERT_EQ(found(LeftOut::kOrder), std::vector<Class>{Class::kRace});
  EXPECT_EQ(finding().bytes, kCount * 4);
}

/// A function of the kernel that loads both does not make the data a flag.
TEST_F(DiesUnderTheChecker, ALineThatPollsAndLoadsDataHidesNoRace) {
  ASSERT_EQ(found(LeftOut::kBarrier, On::kTwoDies, true), std::vector<Class>{Class::kRace});
  EXPECT_EQ(finding().bytes, kCount * 4);
}
TEST_F(DiesUnderTheChecker, ALineThatPollsAndLoadsDataFindsThemInOrder) {
  EXPECT_EQ(found(LeftOut::kNothing, On::kTwoDies, true), std::vector<Class>{});
}

/// Two cores of one die that wait by a loop: beside another die, and alone.
class CoresThatPoll : public DiesUnderTheChecker, public ::testing::WithParamInterface<On> {};
INSTANTIATE_TEST_SUITE_P(, CoresThatPoll, ::testing::Values(On::kOneOfTwoDies, On::kOneDie));

TEST_P(CoresThatPoll, AreInOrderByAFlagBehindTheData) {
  EXPECT_EQ(found(LeftOut::kNothing, GetParam()), std::vector<Class>{});
  EXPECT_EQ(found(LeftOut::kNothing, GetParam()), std::vector<Class>{});
}
TEST_P(CoresThatPoll, RaceForDataThatNoBarrierHoldsBefore) {
  ASSERT_EQ(found(LeftOut::kBarrier, GetParam()), std::vector<Class>{Class::kRace});
  EXPECT_EQ(finding().bytes, kCount * 4);
}
TEST_P(CoresThatPoll, RaceForDataBehindTheFlag) {
  ASSERT_EQ(found(LeftOut::kOrder, GetParam()), std::vector<Class>{Class::kRace}) << text();
  EXPECT_EQ(finding().bytes, kCount * 4);
}
TEST_P(CoresThatPoll, RaceWhereNobodyPolls) {
  EXPECT_EQ(found(LeftOut::kPoll, GetParam()), std::vector<Class>{Class::kRace});
}

/// Die 0 adds to numbers of die 1, which adds to them as well, last of all, and reads the sum.
TEST_F(DiesUnderTheChecker, WhoReadsASumIsBehindAllThatAddedToIt) {
  make(On::kTwoDies);
  const auto add = [this](std::int32_t delay) {
    const auto block = ub<std::int32_t>(0, kCount);
    Duplicate(block, 1, kCount);
    for (std::int32_t i = 0; i < delay; ++i) {
      PipeBarrier<PIPE_V>();
      Duplicate(block, 1, kCount);
    }
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<std::int32_t>();
    DataCopy(gm(data_, kCount), block, kCount);
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
  };
  std::vector<sim::DieLaunch> launches;
  launches.push_back({0, &entry_, 1, 0, {}, [=] { add(0); }});
  launches.push_back({1, &entry_, 1, 0, {}, [=, this] {
                        add(500);
                        DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
                        PipeBarrier<PIPE_ALL>();
                      }});
  device_->launch(std::move(launches));
  const auto& all = checker_.findings().all();
  ASSERT_TRUE(std::any_of(all.begin(), all.end(), [](const checker::Finding& one) {
    return one.cls == Class::kRace && one.first.core.starts_with("die0.") &&
           one.second.access == "reads";
  })) << text();
}

/// The scalar unit looks at a word, which is written after it has looked in vain.
TEST_F(DiesUnderTheChecker, ALoadOfTheScalarUnitPollsTheWordThatItLoads) {
  make(On::kTwoDies);
  std::vector<sim::DieLaunch> launches;
  launches.push_back({0, &entry_, 1, 0, {}, [=, this] {
                        for (std::int32_t i = 0; i < 2000; ++i) {
                          Duplicate(ub<std::int32_t>(0, 8), 0, 8);
                          PipeBarrier<PIPE_V>();
                        }
                        write(data_, flag_, LeftOut::kNothing);
                      }});
  launches.push_back({1, &entry_, 1, 0, {}, [=, this] {
                        auto flag = gm(flag_, 8);
                        do {
                          DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE,
                                                   DcciDst::CACHELINE_OUT>(flag);
                        } while (flag.GetValue(0) != 1);
                        DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
                        PipeBarrier<PIPE_ALL>();
                      }});
  device_->launch(std::move(launches));
  EXPECT_TRUE(checker_.findings().all().empty()) << text();
}

/// The flag is read through a pointer, which the checker does not see.
class PointersThatPoll : public DiesUnderTheChecker, public ::testing::WithParamInterface<On> {
 protected:
  std::vector<Class> found(LeftOut left) {
    make(GetParam());
    const auto reader = [this] {
      const volatile std::int32_t* const flag = flag_;
      do {
        DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE,
                                 DcciDst::CACHELINE_OUT>(gm(flag_, 8));
      } while (*flag != 1);
      DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
      PipeBarrier<PIPE_ALL>();
    };
    return run(
        reader, [=, this] { write(data_, flag_, left); }, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(, PointersThatPoll,
                         ::testing::Values(On::kTwoDies, On::kOneOfTwoDies, On::kOneDie));

TEST_P(PointersThatPoll, AreInOrderByAFlagBehindTheData) {
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{}) << text();
}
TEST_P(PointersThatPoll, RaceForDataThatNoBarrierHoldsBefore) {
  ASSERT_EQ(found(LeftOut::kBarrier), std::vector<Class>{Class::kRace});
  EXPECT_EQ(finding().bytes, kCount * 4);
}

/// As signals of SHMEM: a store that is said to be a word, which is there at the first look.
class WordsOfTheScalarUnit : public DiesUnderTheChecker {
 protected:
  /// How many findings there are where the writer waits for its data before the word, or not.
  std::size_t findings(bool waits) {
    make(On::kTwoDies);
    const isa::Operand word{isa::Space::kGm, isa::DType::kI32,
                            reinterpret_cast<std::uint64_t>(flag_)};
    const auto here = isa::SourceLocation::current();
    std::vector<sim::DieLaunch> launches;
    launches.push_back({0, &entry_, 1, 0, {}, [=, this] {
                          Duplicate(ub<std::int32_t>(0, kCount), 7, kCount);
                          SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
                          WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
                          DataCopy(gm(data_, kCount), ub<std::int32_t>(0, kCount), kCount);
                          if (waits) PipeBarrier<PIPE_ALL>();
                          isa::current_watcher()->word_at(word.addr);
                          const std::int32_t one = 1;
                          isa::current_core().scalar_store(word, &one, sizeof one, here);
                          isa::current_core().clean_and_invalidate(word.addr, sizeof one, here);
                          PipeBarrier<PIPE_ALL>();
                        }});
    launches.push_back({1, &entry_, 1, 0, {}, [=, this] {
                          for (std::int32_t i = 0; i < 2000; ++i) {
                            Duplicate(ub<std::int32_t>(0, 8), 0, 8);
                            PipeBarrier<PIPE_V>();
                          }
                          PipeBarrier<PIPE_ALL>();
                          std::int32_t seen = 0;
                          while (seen != 1) {
                            isa::current_core().clean_and_invalidate(word.addr, 4, here);
                            isa::current_core().scalar_load(word, &seen, sizeof seen, here);
                          }
                          DataCopy(ub<std::int32_t>(0, kCount), gm(data_, kCount), kCount);
                          PipeBarrier<PIPE_ALL>();
                        }});
    device_->launch(std::move(launches));
    return checker_.findings().all().size();
  }
};

TEST_F(WordsOfTheScalarUnit, OrderWhatTheirWriterHasWaitedFor) {
  EXPECT_EQ(findings(true), 0u) << text();
}

TEST_F(WordsOfTheScalarUnit, DoNotOrderWhatIsStillUnderWay) {
  EXPECT_EQ(findings(false), 1u) << text();
}

/// A barrier by a counter to which each die adds: die 0 behind its data, die 1 last of all.
TEST_F(DiesUnderTheChecker, WhoAwaitsASumIsBehindTheOthersAfterItsOwnAddition) {
  make(On::kTwoDies);
  const auto arrive = [this] {
    Duplicate(ub<std::int32_t>(0, 8), 1, 8);
    PipeBarrier<PIPE_ALL>();
    SetAtomicAdd<std::int32_t>();
    DataCopy(gm(flag_, 8), ub<std::int32_t>(0, 8), 8);
    SetAtomicNone();
    PipeBarrier<PIPE_ALL>();
  };
  std::vector<sim::DieLaunch> launches;
  launches.push_back({0, &entry_, 1, 0, {}, [=, this] {
                        Duplicate(ub<std::int32_t>(64, kCount), 7, kCount);
                        PipeBarrier<PIPE_ALL>();
                        DataCopy(gm(data_, kCount), ub<std::int32_t>(64, kCount), kCount);
                        arrive();
                      }});
  launches.push_back({1, &entry_, 1, 0, {}, [=, this] {
                        for (std::int32_t i = 0; i < 2000; ++i) {
                          Duplicate(ub<std::int32_t>(0, 8), 0, 8);
                          PipeBarrier<PIPE_V>();
                        }
                        arrive();
                        const auto sum = ub<std::int32_t>(32, 8);
                        do {
                          DataCopy(sum, gm(flag_, 8), 8);
                          PipeBarrier<PIPE_ALL>();
                        } while (sum.GetValue(0) != 2);
                        DataCopy(ub<std::int32_t>(64, kCount), gm(data_, kCount), kCount);
                        PipeBarrier<PIPE_ALL>();
                      }});
  device_->launch(std::move(launches));
  EXPECT_TRUE(checker_.findings().all().empty()) << text();
}

}  // namespace
}  // namespace davsim::test
