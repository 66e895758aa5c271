// Kernel types, block numbers, cross-core flags and the scalar unit's data cache.
#include <set>

#include "isa/core/block_local.hpp"
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::KernelType;

class Launch : public TimingTest {};

class BlockNumbers : public Launch, public ::testing::WithParamInterface<std::uint32_t> {};

TEST_P(BlockNumbers, EveryBlockRunsOnce) {
  const std::uint32_t blocks = GetParam();
  std::multiset<std::int64_t> seen;
  const auto report = on_vector(blocks, [&] {
    seen.insert(GetBlockIdx());
    EXPECT_EQ(GetBlockNum(), blocks);
    EXPECT_EQ(GetSubBlockIdx(), 0);
    Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
  });
  ASSERT_EQ(seen.size(), blocks);
  for (std::uint32_t i = 0; i < blocks; ++i) EXPECT_EQ(seen.count(i), 1u);
  EXPECT_EQ(report.cores.size(), std::min(blocks, 40u));
}
INSTANTIATE_TEST_SUITE_P(UpToAndBeyondTheCores, BlockNumbers,
                         ::testing::Values(1u, 39u, 40u, 41u, 200u));

TEST_F(Launch, BlocksBeyondTheCoresTakeASecondRound) {
  const auto kernel = [] { Adds(ub<float>(0, 64000 / 4), ub<float>(65536, 16000), 1.0f, 16000); };
  const auto one = on_vector(40, kernel), two = on_vector(41, kernel);
  EXPECT_GT(two.cycles, 2 * one.cycles);
}

TEST_F(Launch, TheTilingKeyChoosesBranchAndCores) {
  isa::KernelEntry entry{"keyed", KernelType::kAivOnly, nullptr, nullptr};
  entry.keyed_types = {{5, KernelType::kMix12}};
  const auto count = [&] {
    int keyed = 0;
    const auto kernel = [&] { keyed += TILING_KEY_IS(5) ? 1 : 0; };
    device().launch(entry, 1, kernel, kernel);
    return keyed;
  };
  EXPECT_EQ(count(), 0);
  device().set_tiling_key(5);
  EXPECT_EQ(count(), 3) << "an AIC and its two AIVs";
  device().set_tiling_key(6);
  EXPECT_EQ(count(), 0);
}

TEST_F(Launch, AMixedKernelRunsAnAicAndItsAivs) {
  std::set<std::pair<std::int64_t, std::int64_t>> vectors;
  std::set<std::int64_t> cubes;
  launch(
      KernelType::kMix12, 20,
      [&] {
        cubes.insert(GetBlockIdx());
        EXPECT_EQ(GetBlockNum(), 20);
      },
      [&] {
        vectors.insert({GetBlockIdx(), GetSubBlockIdx()});
        EXPECT_EQ(GetSubBlockNum(), 2);
      });
  EXPECT_EQ(cubes.size(), 20u);
  ASSERT_EQ(vectors.size(), 40u);
  for (const auto& [block, sub] : vectors) EXPECT_EQ(block % 2, sub);
}

TEST_F(Launch, OneToOneUsesOneAivAnAic) {
  std::set<std::int64_t> vectors;
  const auto report = launch(
      KernelType::kMix11, 5, [] {}, [&] { vectors.insert(GetBlockIdx()); });
  EXPECT_EQ(vectors, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(report.cores.size(), 10u);
}

__BLOCK_LOCAL__ __inline__ std::int64_t g_block_of_core = 7;
__BLOCK_LOCAL__ static std::int64_t g_steps_of_core;

TEST_F(Launch, BlockLocalVariablesBelongToOneCoreEach) {
  for (int time = 0; time < 2; ++time) {
    int wrong = 0;
    on_vector(40, [&] {
      if (g_block_of_core != 7 || g_steps_of_core != 0) ++wrong;  // as declared, in each block
      g_block_of_core = GetBlockIdx();
      for (int step = 0; step < 3; ++step) {
        ++g_steps_of_core;
        SyncAll();
        if (g_block_of_core != GetBlockIdx() || g_steps_of_core != step + 1) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Launch, StaticVariablesOfFunctionsBelongToOneCoreEach) {
  for (int time = 0; time < 2; ++time) {
    int wrong = 0;
    on_vector(40, [&] {
      for (int step = 0; step < 3; ++step) {
        static int steps = 7;
        static struct Told {  // as davsim-cc writes it into kernels
          Told() { davsim_tell_static(&steps, sizeof(steps)); }
          ~Told() { davsim_forget_static(&steps); }
        } told;
        if (steps != 7 + step) ++wrong;
        ++steps;
        SyncAll();
        if (steps != 8 + step) ++wrong;
      }
    });
    EXPECT_EQ(wrong, 0);
  }
}

TEST_F(Launch, ModeTwoFlagsTieAnAicToBothItsAivs) {
  std::int64_t aic_set = 0, aiv_go[2] = {}, aiv_set[2] = {}, aic_go = 0;
  launch(
      KernelType::kMix12, 1,
      [&] {
        aic_set = core_cycle();
        CrossCoreSetFlag<2, PIPE_FIX>(5);
        CrossCoreWaitFlag(6);
        aic_go = core_cycle();
      },
      [&] {
        CrossCoreWaitFlag(5);
        aiv_go[GetSubBlockIdx()] = core_cycle();
        if (GetSubBlockIdx() == 1) {
          Adds(ub<float>(0, 16000), ub<float>(65536, 16000), 1.0f, 16000);
          PipeBarrier<PIPE_ALL>();
        }
        aiv_set[GetSubBlockIdx()] = core_cycle();
        CrossCoreSetFlag<2, PIPE_MTE3>(6);
      });
  const auto latency = static_cast<std::int64_t>(timing().cross_core_latency);
  EXPECT_GE(aiv_go[0] - aic_set, latency);
  EXPECT_LE(aiv_go[0] - aic_set, latency + 5);
  EXPECT_EQ(aiv_go[0], aiv_go[1]);
  // The AIC goes on only when the later of its AIVs has set too.
  EXPECT_GT(aiv_set[1], aiv_set[0]);
  EXPECT_GE(aic_go - aiv_set[1], latency);
}

TEST_F(Launch, ModeOneFlagsTieTheTwoAivs) {
  std::int64_t go[2] = {}, slow_set = 0;
  launch(
      KernelType::kMix12, 1, [] {},
      [&] {
        if (GetSubBlockIdx() == 0) {
          Adds(ub<float>(0, 16000), ub<float>(65536, 16000), 1.0f, 16000);
          PipeBarrier<PIPE_ALL>();
          slow_set = core_cycle();
        }
        CrossCoreSetFlag<1, PIPE_MTE3>(7);
        CrossCoreWaitFlag<1>(7);
        go[GetSubBlockIdx()] = core_cycle();
      });
  EXPECT_EQ(go[0], go[1]);
  EXPECT_GT(go[1], slow_set);
}

TEST_F(Launch, SyncAllMeetsAllVectorCores) {
  std::vector<std::int64_t> arrive(40), go(40);
  on_vector(40, [&] {
    const auto me = GetBlockIdx();
    const auto work = static_cast<std::int32_t>(64 + 100 * me);
    Adds(ub<float>(0, 16000), ub<float>(65536, 16000), 1.0f, work);
    PipeBarrier<PIPE_ALL>();
    arrive[me] = core_cycle();
    SyncAll();
    go[me] = core_cycle();
  });
  const auto last = *std::max_element(arrive.begin(), arrive.end());
  for (const auto cycle : go) EXPECT_GE(cycle, last);
}

TEST_F(Launch, SyncAllOfAMixedKernelMeetsEverybody) {
  std::vector<std::int64_t> arrive, go;
  const auto half = [&] {
    arrive.push_back(core_cycle());
    SyncAll<false>();
    go.push_back(core_cycle());
  };
  launch(KernelType::kMix12, 20, half, half);
  ASSERT_EQ(go.size(), 60u);
  EXPECT_GE(*std::min_element(go.begin(), go.end()),
            *std::max_element(arrive.begin(), arrive.end()));
}

TEST_F(Launch, ReductionOverCoresThroughGlobalMemoryAndSyncAll) {
  float* partial = global<float>(40 * 16, "partial", [](auto) { return 0.f; });
  float* total = global<float>(16, "total", [](auto) { return 0.f; });
  on_vector(40, [=] {
    const auto mine = ub<float>(0, 16), all = ub<float>(4096, 640);
    Duplicate(mine, float(GetBlockIdx() + 1), 16);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(partial, 640)[GetBlockIdx() * 16], mine, 16);
    SyncAll();
    if (GetBlockIdx() != 0) return;
    DataCopy(all, gm(partial, 640), 640);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    for (int i = 1; i < 40; ++i) {
      Add(all, all, all[i * 16], 16);
      PipeBarrier<PIPE_V>();
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(total, 16), all, 16);
  });
  EXPECT_EQ(total[0], 820.0f);
}

TEST_F(Launch, AtomicAddsOfAllCoresAddUp) {
  float* total = global<float>(8, "total", [](auto) { return 100.f; });
  on_vector(40, [=] {
    const auto one = ub<float>(0, 8);
    Duplicate(one, 1.0f, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetAtomicAdd<float>();
    DataCopy(gm(total, 8), one, 8);
    SetAtomicNone();
  });
  EXPECT_EQ(total[7], 140.0f);
}

TEST_F(Launch, TheDataCacheIsNotCoherent) {
  int* value = global<int>(16, "value", [](auto) { return 1; });
  int first = 0, stale = 0, fresh = 0;
  on_vector(1, [&] {
    auto tensor = gm(value, 16);
    first = tensor.GetValue(0);
    const auto two = ub<int>(0, 8);
    Duplicate(two, 2, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(tensor, two, 8);
    PipeBarrier<PIPE_ALL>();
    stale = tensor.GetValue(0);
    DataCacheCleanAndInvalid<int, CacheLine::SINGLE_CACHE_LINE>(tensor);
    fresh = tensor.GetValue(0);
  });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(stale, 1);
  EXPECT_EQ(fresh, 2);
}

TEST_F(Launch, ScalarStoresReachGlobalMemoryWhenTheKernelEnds) {
  int* value = global<int>(64, "value", [](auto i) { return int(i); });
  on_vector(1, [=] {
    auto tensor = gm(value, 64);
    for (int i = 0; i < 64; i += 3) tensor.SetValue(i, -i);
  });
  for (int i = 0; i < 64; ++i) EXPECT_EQ(value[i], i % 3 == 0 ? -i : i);
}

TEST_F(Launch, AScalarLoadMissCostsTheWayToMemoryAndAHitDoesNot) {
  int* value = global<int>(64, "value", [](auto i) { return int(i); });
  std::int64_t miss = 0, hit = 0;
  on_vector(1, [&] {
    auto tensor = gm(value, 64);
    const auto a = core_cycle();
    tensor.GetValue(0);
    const auto b = core_cycle();
    tensor.GetValue(1);
    miss = b - a;
    hit = core_cycle() - b;
  });
  EXPECT_GE(static_cast<double>(miss), hbm_latency());
  EXPECT_EQ(hit, static_cast<std::int64_t>(timing().scalar.load_hit));
}

TEST_F(Launch, ToCleanADataCacheWithoutAChangedLineTakesAnIssue) {
  int* value = global<int>(64, "value", [](auto i) { return int(i); });
  std::int64_t took = 0;
  on_vector(1, [&] {
    auto tensor = gm(value, 64);
    tensor.GetValue(0);
    const auto before = core_cycle();
    DataCacheCleanAndInvalid<int, CacheLine::SINGLE_CACHE_LINE>(tensor);
    took = core_cycle() - before;
  });
  EXPECT_EQ(took, static_cast<std::int64_t>(timing().scalar.issue));
}

}  // namespace
}  // namespace davsim::test
