// The scalar unit waits for code that its instruction cache does not hold.
#include "sim/core/instruction_cache.hpp"

#include <numeric>
#include <stdexcept>

#include "tests/sim/timing_test.hpp"
#include "traces/analysis/critical_path.hpp"
#include "traces/observers.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::CycleClass;
using sim::InstructionCache;

// --- the tags ------------------------------------------------------------------------------------

/// Uses a line; true if it had to be asked for.
bool fetches(InstructionCache& cache, std::uint32_t line) {
  if (cache.there(line) != InstructionCache::kAbsent) return false;
  cache.ask({line, line + 1});
  cache.arrive({line, line + 1}, 1);
  return true;
}

TEST(InstructionCacheTags, SitesLieBehindEachOtherAsTheyCome) {
  InstructionCache cache(1024, 128, 48);
  const auto lines = [&](std::uint32_t site) {
    const auto [first, end] = cache.lines_of({site, 0});
    return std::pair(first, end);
  };
  EXPECT_EQ(lines(7), std::pair(0u, 1u));
  EXPECT_EQ(lines(3), std::pair(0u, 1u));
  EXPECT_EQ(lines(5), std::pair(0u, 2u));  // bytes 96 to 143
  EXPECT_EQ(lines(4), std::pair(1u, 2u));
  EXPECT_EQ(lines(7), std::pair(0u, 1u));
  cache.begin_launch();
  EXPECT_EQ(lines(5), std::pair(0u, 1u));
}

TEST(InstructionCacheTags, LinesLeaveInTheOrderInWhichTheyCame) {
  InstructionCache cache(4 * 128, 128, 128);
  for (std::uint32_t site = 0; site < 5; ++site) cache.lines_of({site, 0});
  for (std::uint32_t line = 0; line < 4; ++line) EXPECT_TRUE(fetches(cache, line));
  EXPECT_FALSE(fetches(cache, 0));
  EXPECT_TRUE(fetches(cache, 4));  // instead of 0
  EXPECT_FALSE(fetches(cache, 1));
  EXPECT_TRUE(fetches(cache, 0));  // instead of 1
  EXPECT_FALSE(fetches(cache, 2));
  EXPECT_TRUE(fetches(cache, 1));
}

TEST(InstructionCacheTags, ASiteIsHeldUntilALineLeaves) {
  InstructionCache cache(4 * 128, 128, 128);
  for (std::uint32_t site = 0; site < 5; ++site) cache.lines_of({site, 0});
  for (std::uint32_t line = 0; line < 4; ++line) fetches(cache, line);
  EXPECT_FALSE(cache.holds(3));
  cache.note_held(3);
  EXPECT_TRUE(cache.holds(3));
  EXPECT_FALSE(cache.holds(2));
  fetches(cache, 4);
  EXPECT_FALSE(cache.holds(3));
}

TEST(InstructionCacheTags, WhatIsAskedForIsOnItsWayUntilItArrives) {
  InstructionCache cache(1024, 128, 64);
  const InstructionCache::Lines ahead = cache.ahead(256);
  EXPECT_FALSE(cache.awaits(ahead, 0));
  cache.ask(ahead);
  EXPECT_TRUE(cache.awaits(ahead, 100));
  EXPECT_EQ(cache.there(ahead.first), InstructionCache::kAsked);
  cache.arrive(ahead, 100);
  EXPECT_TRUE(cache.awaits(ahead, 99));
  EXPECT_FALSE(cache.awaits(ahead, 100));
  EXPECT_EQ(cache.there(ahead.first), 100u);
}

TEST(InstructionCacheTags, CodeBehindAJumpLiesBehindWhatTheFetcherRanAheadTo) {
  InstructionCache cache(1024, 128, 48);
  const auto first = [&](sim::CodeSite site) { return cache.lines_of(site).first; };
  EXPECT_EQ(first({1, 128}), 0u);
  cache.ask({0, 1});
  cache.ask(cache.behind(0, 4));  // lines 1 to 4
  EXPECT_EQ(first({2, 128}), 1u);
  EXPECT_EQ(cache.there(1), InstructionCache::kAsked);
  EXPECT_EQ(first({3, 128, true}), 5u);
  EXPECT_EQ(cache.there(5), InstructionCache::kAbsent);
  EXPECT_EQ(first({4, 128}), 6u);
  EXPECT_EQ(first({3, 128, true}), 5u);
  // A jump that the fetcher did not run past goes to the next line.
  EXPECT_EQ(first({5, 32}), 7u);
  EXPECT_EQ(first({6, 32, true}), 8u);
  // Lines 2 to 4 take no room: the eight lines of the cache hold 0, 1 and 5 to 10.
  cache.ask({5, 9});
  cache.ask(cache.behind(8, 2));
  EXPECT_EQ(cache.there(0), InstructionCache::kAsked);
}

TEST(InstructionCacheTags, PreloadedCodeIsThereBehindAJumpToo) {
  InstructionCache cache(1024, 128, 48);
  cache.ask(cache.ahead(512));
  cache.ask(cache.behind(3, 4));
  EXPECT_EQ(cache.lines_of({1, 128}).first, 0u);
  EXPECT_EQ(cache.lines_of({2, 128, true}).first, 1u);
  EXPECT_EQ(cache.there(1), InstructionCache::kAsked);
}

TEST(InstructionCacheTags, MustHoldACallWhereverItBegins) {
  EXPECT_THROW(InstructionCache(1024, 0, 48), std::invalid_argument);
  EXPECT_THROW(InstructionCache(256, 128, 48), std::invalid_argument);
  EXPECT_NO_THROW(InstructionCache(304, 128, 48));
}

// --- a core --------------------------------------------------------------------------------------

class CodeFetch : public TimingTest {
 protected:
  sim::Device& start(const std::string& call_bytes = "48", bool lines = false) {
    sim::SocConfig soc = sim::SocConfig::named("Ascend910B3");
    soc.set("Timing.Scalar", "call_bytes", call_bytes);
    return device(soc, {.lines = lines});
  }
  static void add() { Adds(ub<float>(0, 64), ub<float>(0, 64), 1.0f, 64); }
  static observe::CodeCounters code_of(const observe::LaunchReport& report, std::size_t core = 0) {
    return report.cores.at(core).code;
  }
};

TEST_F(CodeFetch, TheFirstCallWaitsForItsCodeAndTheNextDoesNot) {
  start();
  std::vector<std::int64_t> cycles;
  const auto kernel = [&] {
    for (int i = 0; i < 3; ++i) {
      const std::int64_t before = core_cycle();
      add();
      cycles.push_back(core_cycle() - before);
    }
  };
  const auto report = on_vector(1, kernel);
  EXPECT_NEAR(static_cast<double>(cycles[0]), hbm_latency(), 4);
  const auto issue = static_cast<std::int64_t>(timing().scalar.issue);
  EXPECT_EQ(cycles[1], issue);
  EXPECT_EQ(cycles[2], issue);
  EXPECT_EQ(code_of(report).reads, 3u);
  EXPECT_EQ(code_of(report).misses, 1u);
  on_vector(1, kernel);  // cold again, but L2 has it
  EXPECT_NEAR(static_cast<double>(cycles[3]), l2_latency(), 4);
  EXPECT_EQ(cycles[4], issue);
}

TEST_F(CodeFetch, AnotherKernelHasCodeOfItsOwn) {
  device(sim::SocConfig::named("Ascend910B3"));
  const auto run = [&](const char* name) {
    return device()
        .launch({name, isa::KernelType::kAivOnly, nullptr, nullptr}, 1, {}, [] { add(); })
        .cycles;
  };
  const auto first = run("one");
  EXPECT_LT(run("one"), first);
  EXPECT_EQ(run("another"), first);
}

TEST_F(CodeFetch, CallsOfALineOfCodeShareIt) {
  start("64");
  const auto report = on_vector(1, [] {
    add();
    PipeBarrier<PIPE_V>();
    add();
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
  EXPECT_EQ(code_of(report).reads, 5u);
  // Both calls of add() are one site: four of 64 bytes.
  EXPECT_EQ(code_of(report).misses, 2u);
}

TEST_F(CodeFetch, ALoopThatDoesNotFitIsFetchedAgainAndAgain) {
  start("4096");  // an AIV's cache holds four such calls, an AIC's eight
  const auto rounds_of_five = [] {
    for (int i = 0; i < 3; ++i) {
      SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
      SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
      WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
      PipeBarrier<PIPE_MTE3>();
    }
  };
  const auto vector = on_vector(1, rounds_of_five), cube = on_cube(1, rounds_of_five);
  EXPECT_EQ(code_of(cube).misses, 5u * 32);
  EXPECT_EQ(code_of(vector).misses, 3u * 5 * 32);
}

TEST_F(CodeFetch, CoresFetchTheSameLinesAndSlowEachOther) {
  start();
  const auto alone = on_vector(1, [] { add(); });
  device().flush_l2();
  const auto all = on_vector(40, [] { add(); });
  EXPECT_EQ(all.memory.hbm_read_bytes, 128u);
  EXPECT_EQ(all.memory.l2_bytes, 40u * 128);
  EXPECT_EQ(alone.memory.hbm_read_bytes, 128u);
  const auto warm_alone = on_vector(1, [] { add(); }), warm = on_vector(40, [] { add(); });
  EXPECT_GT(warm.cycles, warm_alone.cycles);
}

TEST_F(CodeFetch, LoadsStoresAndBarriersNeedTheirCodeToo) {
  start("128");
  int* data = global<int>(16, "data", [](auto i) { return int(i); });
  const auto report = on_vector(1, [=] {
    auto tensor = gm(data, 16);
    for (int i = 0; i < 2; ++i) {
      tensor.SetValue(0, 1);
      tensor.GetValue(1);
      DataCacheCleanAndInvalid<int, CacheLine::SINGLE_CACHE_LINE>(tensor);
      PipeBarrier<PIPE_ALL>();
    }
  });
  EXPECT_EQ(code_of(report).reads, 8u);
  EXPECT_EQ(code_of(report).misses, 4u);
}

// --- PRELOAD -------------------------------------------------------------------------------------

void eight_calls() {
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID1);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID1);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID2);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID2);
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID3);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID3);
}

TEST_F(CodeFetch, PreloadedCodeComesTogether) {
  start("128");
  const auto one_by_one = on_vector(1, [] { eight_calls(); });
  device().flush_l2();
  const auto together = on_vector(1, [] {
    PRELOAD(1);
    eight_calls();
  });
  EXPECT_EQ(code_of(one_by_one).misses, 8u);
  // Its own line and then the first of those it asked for, with which the others came.
  EXPECT_EQ(code_of(together).misses, 2u);
  EXPECT_NEAR(static_cast<double>(one_by_one.cycles), 8.0 * hbm_latency(), 100);
  EXPECT_NEAR(static_cast<double>(together.cycles), 2.0 * hbm_latency(), 100);
}

TEST_F(CodeFetch, APreloadOfNothingFetchesNothing) {
  start("128");
  const auto report = on_vector(1, [] {
    PRELOAD(0);
    add();
  });
  EXPECT_EQ(code_of(report).misses, 2u);
}

TEST_F(CodeFetch, TheStatusTellsWhetherCodeIsUnderWay) {
  start();
  std::int64_t before = 2, at_once = 2, took = 0;
  on_vector(1, [&] {
    // One site, whose code has come when something is preloaded.
    const auto status = [] { return GetICachePreloadStatus(); };
    before = status();
    PRELOAD(2);
    const std::int64_t start = core_cycle();
    at_once = status();
    while (status() != 0) {
    }
    took = core_cycle() - start;
  });
  EXPECT_EQ(before, 0);
  EXPECT_EQ(at_once, 1);
  EXPECT_GT(static_cast<double>(took), hbm_latency() / 2);
  EXPECT_LT(static_cast<double>(took), 2 * hbm_latency());
}

// --- reports -------------------------------------------------------------------------------------

TEST_F(CodeFetch, ItsCyclesAreAClassOfTheScalarUnitAndOfALine) {
  start("48", true);
  std::uint32_t line = 0;
  const auto report = on_vector(1, [&] {
    line = __LINE__ + 1;
    Adds(ub<float>(0, 64), ub<float>(0, 64), 1.0f, 64);
  });
  const auto& scalar = report.cores.at(0).pipes[static_cast<std::size_t>(isa::Pipe::S)];
  EXPECT_NEAR(static_cast<double>(scalar.of(CycleClass::kFetch)), hbm_latency(), 4);
  EXPECT_EQ(std::accumulate(scalar.cycles.begin(), scalar.cycles.end(), observe::Cycle{0}),
            report.cycles);
  bool found = false;
  for (const observe::LineCycles& of_line : scalar.lines) {
    if (of_line.cycle_class != CycleClass::kFetch) continue;
    EXPECT_EQ(of_line.where.line(), line);
    EXPECT_EQ(of_line.cycles, scalar.of(CycleClass::kFetch));
    found = true;
  }
  EXPECT_TRUE(found);
  const auto misses = recorder.of(isa::Opcode::kFetch);
  ASSERT_EQ(misses.size(), 1u);
  EXPECT_EQ(misses[0].end - misses[0].start, scalar.of(CycleClass::kFetch));
}

TEST_F(CodeFetch, TheCriticalPathLeadsThroughIt) {
  start();
  traces::TimelineRecorder timeline;
  device().attach(&timeline);
  const auto report = on_vector(1, [] { add(); });
  observe::Cycle fetched = 0;
  for (const traces::PathStep& step : traces::critical_path(timeline.timeline())) {
    if (step.cycle_class != CycleClass::kFetch) continue;
    EXPECT_EQ(step.pipe, isa::Pipe::S);
    fetched += step.end - step.begin;
  }
  EXPECT_EQ(fetched, report.cores.at(0).pipes[static_cast<std::size_t>(isa::Pipe::S)].of(
                         CycleClass::kFetch));
  device().attach(nullptr);
}

TEST_F(CodeFetch, ARunIsStoppedWhileCodeIsUnderWay) {
  device(sim::SocConfig::named("Ascend910B3"), {.max_cycles = 100});
  const isa::Fault fault = fault_of([&] { on_vector(40, [] { add(); }); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kLimit);
  const isa::Fault again = fault_of([&] { on_vector(40, [] { add(); }); });
  EXPECT_EQ(again.cls, isa::FaultClass::kLimit);
}

}  // namespace
}  // namespace davsim::test
