// Order between vector cores through words in global memory, with a clock and without.
#include <numeric>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kStep = 8;  // words of a DataBlock

class BlockSync : public DeviceTest, public testing::WithParamInterface<sim::Mode> {
 protected:
  BlockSync() { device("Ascend910B3", {.mode = GetParam()}); }

  GlobalTensor<std::int32_t> words(std::size_t cores, std::int32_t value = 0) {
    return gm(global<std::int32_t>(cores * kStep, "words", [=](auto) { return value; }),
              cores * kStep);
  }
  /// Vector instructions that keep a core busy for a time of its own.
  static void work(std::int64_t amount) {
    Adds(ub<float>(0, 16000), ub<float>(65536, 16000), 1.0f,
         static_cast<std::int32_t>(64 + 64 * amount));
    PipeBarrier<PIPE_ALL>();
  }
  static LocalTensor<std::int32_t> board() { return ub<std::int32_t>(131072, 48 * kStep); }
};

TEST_P(BlockSync, SyncAllMeetsAllCoresInEveryRound) {
  constexpr int kCores = 12, kRounds = 3;
  const auto sync = words(kCores);
  std::vector<int> arrived(kRounds, 0);
  bool all_there = true;
  on_vector(kCores, [&] {
    for (int round = 0; round < kRounds; ++round) {
      work((GetBlockIdx() * 7 + round) % kCores);
      ++arrived[round];
      SyncAll(sync, board());
      all_there &= arrived[round] == kCores;
    }
  });
  EXPECT_TRUE(all_there);
  EXPECT_EQ(sync.GetPhyAddr()[(kCores - 1) * kStep], kRounds);
}

TEST_P(BlockSync, SyncAllOfSomeCoresLeavesTheOthersAlone) {
  const auto sync = words(8);
  int arrived = 0;
  bool all_there = true;
  on_vector(8, [&] {
    if (GetBlockIdx() < 5) {
      work(GetBlockIdx());
      ++arrived;
    }
    SyncAll(sync, board(), 5);
    if (GetBlockIdx() < 5) all_there &= arrived == 5;
  });
  EXPECT_TRUE(all_there);
  EXPECT_EQ(sync.GetPhyAddr()[7 * kStep], 0);
  EXPECT_NE(fault_of([&] {
              on_vector(8, [&] { SyncAll(sync, board(), 9); });
            }).message.find("usedCores is 9, allowed are 0 to 8"),
            std::string::npos);
}

/// The scalar unit of the one core stands at a barrier, with a move before it that starts much
/// later: nothing of the core is under way meanwhile, and yet the other one's wait is not in vain.
TEST_P(BlockSync, WhoWaitsForWorkThatStartsLaterIsNoDeadlock) {
  const auto sync = words(2);
  std::int32_t* const out = global<std::int32_t>(kStep, "out", [](auto) { return 0; });
  on_vector(2, [&] {
    if (GetBlockIdx() == 1) return IBWait(sync, board(), 0, 0);
    const auto value = ub<std::int32_t>(0, kStep);
    Duplicate(value, 1, kStep);
    PipeBarrier<PIPE_ALL>();
    for (int i = 0; i < 20'000; ++i) SetVectorMask<float>(0, ~std::uint64_t{0});
    DataCopy(gm(out, kStep), value, kStep);
    PipeBarrier<PIPE_ALL>();
    IBSet(sync, board(), 0, 0);
  });
  EXPECT_EQ(out[0], 1);
}

TEST_P(BlockSync, GroupBarrierHoldsThoseThatWaitInEveryRound) {
  constexpr int kArrive = 3, kWait = 4, kRounds = 2;
  std::uint8_t* room = global<std::uint8_t>(kWait * 512, "room", [](auto) { return 0; });
  int arrived = 0, early = 0;
  on_vector(kArrive + kWait, [&] {
    TPipe pipe;
    GroupBarrier<PipeMode::MTE3_MODE> barrier(room, kArrive, kWait);
    EXPECT_EQ(barrier.GetWorkspaceLen(), kWait * 512u);
    for (int round = 1; round <= kRounds; ++round) {
      const auto me = static_cast<std::uint32_t>(GetBlockIdx());
      if (me < kArrive) {
        work(me * 5);
        ++arrived;
        barrier.Arrive(me);
      } else {
        barrier.Wait(me - kArrive);
        early += arrived < round * kArrive;
      }
    }
  });
  EXPECT_EQ(early, 0);
  EXPECT_NE(fault_of([&] {
              on_vector(2, [&] { GroupBarrier<PipeMode::MTE3_MODE>(room, 3, 1); });
            }).message.find("arriveSize is 3, allowed are 1 to 2"),
            std::string::npos);
}

TEST_P(BlockSync, SyncAllIsNotAddedUp) {
  const auto sync = words(4);
  on_vector(4, [&] {
    SetAtomicAdd<std::int32_t>();
    SyncAll(sync, board());
    SyncAll(sync, board());
    SetAtomicNone();
  });
  EXPECT_EQ(sync.GetPhyAddr()[0], 2);
}

TEST_P(BlockSync, IbSetLetsOneBlockWaitForAnother) {
  const auto sync = words(2 * 3);
  std::vector<int> order;
  on_vector(2, [&] {
    for (int turn = 0; turn < 3; ++turn) {
      if (GetBlockIdx() == 0) {
        work(20);
        order.push_back(turn);
        IBSet(sync, board(), 0, 1);
      } else {
        IBWait(sync, board(), 0, 1);
        order.push_back(turn + 10);
      }
    }
  });
  ASSERT_EQ(order.size(), 6u);
  const auto place = [&](int entry) {
    return std::find(order.begin(), order.end(), entry) - order.begin();
  };
  for (int turn = 0; turn < 3; ++turn) EXPECT_LT(place(turn), place(turn + 10)) << turn;
  EXPECT_EQ(sync.GetPhyAddr()[2 * kStep], 0) << "the last wait took the event back";
  EXPECT_NE(fault_of([&] {
              on_vector(2, [&] { IBSet(sync, board(), 2, 0); });
            }).message.find("IBSet: blockIdx is 2, allowed are 0 to 1"),
            std::string::npos);
}

TEST_P(BlockSync, BlocksTakeTurns) {
  constexpr int kCores = 5, kRounds = 3;
  auto sync = words(kCores, 12345);  // any content
  std::vector<std::int64_t> order;
  on_vector(kCores, [&] {
    auto board_words = board();
    InitDetermineComputeWorkspace(sync, board_words);
    for (int round = 0; round < kRounds; ++round) {
      work(kCores - GetBlockIdx());
      WaitPreBlock(sync, board_words);
      order.push_back(GetBlockIdx());
      NotifyNextBlock(sync, board_words);
    }
  });
  ASSERT_EQ(order.size(), std::size_t{kCores * kRounds});
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], static_cast<int>(i) % kCores);
}

TEST_P(BlockSync, AKernelMayPollWhatAnotherCoreWrites) {
  int* flag = global<int>(16, "flag", [](auto) { return 0; });
  int seen = 0;
  on_vector(2, [&] {
    if (GetBlockIdx() == 1) {
      work(50);
      WriteGmByPassDCache(flag, 7);
    } else {
      while (ReadGmByPassDCache(flag) != 7) {
      }
      seen = 7;
    }
  });
  EXPECT_EQ(seen, 7);
}

TEST_P(BlockSync, AReadPastTheDataCacheLeavesNoCopyThere) {
  int* word = global<int>(16, "word", [](auto) { return 0; });
  int before = -1, after = -1;
  on_vector(2, [&] {
    if (GetBlockIdx() == 0) before = ReadGmByPassDCache(word);
    SyncAll();
    if (GetBlockIdx() == 1) WriteGmByPassDCache(word, 7);
    SyncAll();
    if (GetBlockIdx() == 0) after = gm(word, 1).GetValue(0);
  });
  EXPECT_EQ(before, 0);
  EXPECT_EQ(after, 7);
}

TEST_P(BlockSync, NotifyEventTiesACubeCoreToItsVectorCores) {
  bool ready = false, in_order = true;
  launch(
      isa::KernelType::kMix12, 2,
      [&] {
        WaitEvent(3);
        in_order &= ready;
        NotifyEvent<PIPE_FIX>(4);
      },
      [&] {
        work(30 * GetSubBlockIdx());
        if (GetBlockIdx() == 3) ready = true;
        if (GetBlockIdx() > 1) NotifyEvent<PIPE_MTE3>(3);
        if (GetBlockIdx() <= 1) {
          ready = true;
          NotifyEvent<PIPE_MTE3>(3);
        }
        WaitEvent(4);
      });
  EXPECT_TRUE(in_order);
}

TEST_P(BlockSync, FillsGlobalMemoryFromWhatIsLeftOfUb) {
  constexpr std::uint64_t kCount = 200001;  // more than UB, no whole DataBlock
  float* data = global<float>(kCount + 1, "data", [](auto) { return 0.f; });
  on_vector(1, [=] {
    TPipe pipe;
    TBuf<TPosition::VECCALC> taken;
    pipe.InitBuffer(taken, 64 * 1024);
    const auto kept = taken.Get<float>();
    Duplicate(kept, 5.0f, 64);
    auto tensor = gm(data, kCount);
    InitOutput(tensor, kCount, 1.5f);
    PipeBarrier<PIPE_ALL>();
    ascendc_assert(kept.GetValue(63) == 5.0f, "UB that is taken stays as it is");
  });
  EXPECT_EQ(std::accumulate(data, data + kCount, 0.0), 1.5 * kCount);
  EXPECT_EQ(data[kCount], 0.f);
}

TEST_P(BlockSync, AssertionsStopTheLaunch) {
  const isa::Fault fault = fault_of(
      [&] { on_vector(3, [] { ascendc_assert(GetBlockIdx() != 1, "block %d", GetBlockIdx()); }); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kAssert);
  EXPECT_EQ(fault.message, "Assertion `GetBlockIdx() != 1' failed: block 1");
  EXPECT_EQ(fault.core, "core0.veccore1");
}

/// No call of the kernel reads the word, so that only the call for the cache shows that it polls.
TEST_P(BlockSync, ALoopThatReadsThroughAPointerSeesWhatOthersWrite) {
  const auto sync = words(1);
  volatile std::int32_t* const word = const_cast<std::int32_t*>(sync.GetPhyAddr());
  std::int32_t seen = 0;
  on_vector(2, [&] {
    if (GetBlockIdx() == 1) {
      work(20);
      *word = 7;
      return;
    }
    for (int look = 0; look < 100'000 && seen == 0; ++look) {
      dcci(const_cast<std::int32_t*>(word), SINGLE_CACHE_LINE);
      seen = *word;
    }
  });
  EXPECT_EQ(seen, 7);
}

TEST_P(BlockSync, PollingForAWordThatNobodyWritesEnds) {
  const auto sync = words(8);
  const auto fault = fault_of([&] {
    on_vector(4, [&] {
      work(GetBlockIdx() * 5);
      if (GetBlockIdx() != 2) SyncAll(sync, board());
    });
  });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
  for (const char* part : {"core0.veccore0", "core0.veccore1", "core1.veccore1",
                           "polls a word in global memory at block_sync_test.cpp:"}) {
    EXPECT_NE(fault.message.find(part), std::string::npos) << part << " in " << fault.message;
  }
}

INSTANTIATE_TEST_SUITE_P(, BlockSync, testing::Values(sim::Mode::kTimed, sim::Mode::kFunctional),
                         [](const auto& info) {
                           return info.param == sim::Mode::kTimed ? "Timed" : "Functional";
                         });

class SystemCounter : public DeviceTest {};

TEST_F(SystemCounter, CountsAtFiftyMegahertz) {
  std::int64_t ticks = 0, cycles = 0;
  on_vector(1, [&] {
    const std::int64_t tick = GetSystemCycle(), cycle = core_cycle();
    for (int i = 0; i < 40; ++i) {
      Adds(ub<float>(0, 16000), ub<float>(65536, 16000), 1.0f, 16000);
    }
    PipeBarrier<PIPE_ALL>();
    ticks = GetSystemCycle() - tick;
    cycles = core_cycle() - cycle;
  });
  EXPECT_GT(ticks, 100);
  EXPECT_NEAR(static_cast<double>(ticks), static_cast<double>(cycles) * 50 / 1800, 1.0)
      << "Ascend910B3 runs at 1800 MHz";
}

}  // namespace
}  // namespace davsim::test
