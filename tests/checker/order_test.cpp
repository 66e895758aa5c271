// Misuse of flags and barriers, and deadlocks.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedOrder : public CheckerTest {};

// --- flags ---------------------------------------------------------------------------------------

TEST_F(CheckedOrder, FlagSetTwice) {
  expect_vector(Class::kFlag, [&](bool mended) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mended) WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mended) PipeBarrier<PIPE_ALL>();
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);  // BUG FlagSetTwice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  });
}

TEST_F(CheckedOrder, FlagNeverAwaited) {
  expect_vector(Class::kFlag, [&](bool mended) {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);  // BUG FlagNeverAwaited
    if (mended) WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  });
}

TEST_F(CheckedOrder, CubeFlagNeverAwaited) {
  expect_cube(Class::kFlag, [&](bool mended) {
    SetFlag<HardEvent::M_FIX>(EVENT_ID2);  // BUG CubeFlagNeverAwaited
    if (mended) WaitFlag<HardEvent::M_FIX>(EVENT_ID2);
  });
}

TEST_F(CheckedOrder, CrossCoreFlagNeverAwaited) {
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, [&](bool mended) {
    if (on_aic()) {
      CrossCoreSetFlag<2, PIPE_FIX>(3);  // BUG CrossCoreFlagNeverAwaited
    } else if (mended) {
      CrossCoreWaitFlag<2>(3);
    }
  });
}

TEST_F(CheckedOrder, CrossCoreCounterOverflows) {
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, [&](bool mended) {
    const int times = mended ? 15 : 16;
    for (int i = 0; i < times; ++i) {
      if (on_aic()) {
        CrossCoreSetFlag<2, PIPE_FIX>(3);  // BUG CrossCoreCounterOverflows
      } else {
        if (i == 0) Duplicate(ub<float>(0, 64 * 255), 1.0f, 64, 255, 1, 8);
        PipeBarrier<PIPE_ALL>();
        CrossCoreWaitFlag<2, PIPE_V>(3);
      }
    }
  });
}

TEST_F(CheckedOrder, SetThatRaisesNothing) {
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, [&](bool mended) {
    if (on_aic()) {
      if (mended) CrossCoreWaitFlag<2>(6);
      return;
    }
    // The AIC's flag counts up when both of its AIVs have set.
    if (mended || GetSubBlockIdx() == 0)
      CrossCoreSetFlag<2, PIPE_V>(6);  // BUG SetThatRaisesNothing
  });
}

// --- deadlocks -----------------------------------------------------------------------------------

TEST_F(CheckedOrder, WaitThatNoSetCanSatisfy) {
  expect_vector(Class::kDeadlock, [&](bool mended) {
    if (mended) SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);  // BUG WaitThatNoSetCanSatisfy
  });
}

TEST_F(CheckedOrder, PipesWaitForEachOther) {
  expect_vector(Class::kDeadlock, [&](bool mended) {
    if (mended) SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);  // BUG PipesWaitForEachOther
    if (!mended) SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
}

TEST_F(CheckedOrder, NotAllReachSyncAll) {
  expect_on(isa::KernelType::kAivOnly, 3, Class::kDeadlock, [&](bool mended) {
    if (mended || GetBlockIdx() != 1) SyncAll();  // BUG NotAllReachSyncAll
  });
}

TEST_F(CheckedOrder, CoresWaitForEachOther) {
  expect_on(isa::KernelType::kMix12, 1, Class::kDeadlock, [&](bool mended) {
    if (on_aic()) {
      if (mended) CrossCoreSetFlag<2, PIPE_FIX>(1);
      CrossCoreWaitFlag<2>(2);  // BUG CoresWaitForEachOther
      if (!mended) CrossCoreSetFlag<2, PIPE_FIX>(1);
    } else {
      CrossCoreWaitFlag<2>(1);
      CrossCoreSetFlag<2, PIPE_MTE3>(2);
    }
  });
}

TEST_F(CheckedOrder, CubeCoreMissesSyncAll) {
  expect_on(isa::KernelType::kMix12, 2, Class::kDeadlock, [&](bool mended) {
    const bool missing = on_aic() && GetBlockIdx() == 1;
    if (mended || !missing) SyncAll<false>();  // BUG CubeCoreMissesSyncAll
  });
}

TEST_F(CheckedOrder, IbWaitWithoutIbSet) {
  auto* words = global<std::int32_t>(64, "words", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kDeadlock, [&](bool mended) {
    LocalTensor<std::int32_t> mine = ub<std::int32_t>(0, 8);
    if (GetBlockIdx() == 1) {
      IBWait(gm(words, 64), mine, 0, 0);  // BUG IbWaitWithoutIbSet
    } else if (mended) {
      IBSet(gm(words, 64), mine, 0, 0);
    }
  });
}

/// What a deadlock says.
class DeadlockText : public CheckerTest {
 protected:
  std::string text_of(isa::KernelType type, std::uint32_t blocks,
                      const std::function<void()>& kernel) {
    run(type, blocks, kernel);
    return findings().size() == 1 ? findings().front().message : "not one finding";
  }
  /// `parts` come one behind the other.
  static void expect_in_order(const std::string& text, const std::vector<std::string>& parts) {
    std::size_t at = 0;
    for (const std::string& part : parts) {
      at = text.find(part, at);
      ASSERT_NE(at, std::string::npos) << part << " in " << text;
    }
  }
  static std::string in_line(std::uint32_t line) {
    return "order_test.cpp:" + std::to_string(line);
  }
};

TEST_F(DeadlockText, ShowsTheRoundOfWaits) {
  const std::uint32_t line = __LINE__;
  const std::string text = text_of(isa::KernelType::kAivOnly, 1, [&] {
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
  expect_in_order(text, {"the waits go round:", in_line(line + 4), in_line(line + 2)});
}

TEST_F(DeadlockText, ShowsTheWaitThatNothingEnds) {
  const std::uint32_t line = __LINE__;
  const std::string text = text_of(isa::KernelType::kAivOnly, 1, [&] {
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
  expect_in_order(text, {"nothing is left that could end this wait:", in_line(line + 2)});
}

TEST_F(DeadlockText, NamesTheCoresThatMissSyncAll) {
  const std::uint32_t line = __LINE__;
  const std::string text = text_of(isa::KernelType::kMix12, 3, [&] {
    if (on_aic() && GetBlockIdx() == 1) return;
    SyncAll<false>();
  });
  expect_in_order(text, {"core0.cubecore0 scalar unit", in_line(line + 3),
                         "nothing is left that could end this wait:", "core0.cubecore0",
                         "flag 11 of mode 0 was set by 2 of 3 cores, not by core1.cubecore0"});
}

TEST_F(DeadlockText, NamesTheVectorCoreThatDidNotSet) {
  const std::string text = text_of(isa::KernelType::kMix12, 1, [&] {
    if (on_aic()) return CrossCoreWaitFlag<2>(3);
    if (GetSubBlockIdx() == 0) CrossCoreSetFlag<2, PIPE_MTE3>(3);
  });
  expect_in_order(text, {"core0.cubecore0 scalar unit",
                         "flag 3 of mode 2 was set by 1 of 2 cores, not by core0.veccore1"});
}

TEST_F(DeadlockText, NamesTheFlagThatWasSetInstead) {
  const std::uint32_t line = __LINE__;
  const std::string text = text_of(isa::KernelType::kAivOnly, 1, [&] {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  });
  expect_in_order(text,
                  {"no set of MTE2_V event 0 is on its way", in_line(line + 4),
                   "MTE2_V event 1 was set at " + in_line(line + 2), "nobody awaits it: another id",
                   "V_MTE2 event 0 was set", "the other direction"});
}

TEST_F(DeadlockText, NamesTheModeAndTheIdThatWereUsedInstead) {
  const std::uint32_t line = __LINE__;
  const std::string mode = text_of(isa::KernelType::kMix12, 1, [&] {
    if (on_aic()) return CrossCoreWaitFlag(5);
    CrossCoreSetFlag<1, PIPE_MTE3>(5);
  });
  expect_in_order(
      mode, {"flag 5 of core0.cubecore0 was never set",
             "core0.veccore0, core0.veccore1 would raise it with mode 2",
             "flag 5 is raised on core0.veccore0, by the set of mode 1 at " + in_line(line + 3),
             "mode 1 raises it on the two vector cores"});
  checker_.forget_findings();
  const std::string id = text_of(isa::KernelType::kMix12, 1, [&] {
    if (on_aic()) return CrossCoreWaitFlag(5);
    CrossCoreSetFlag<2, PIPE_MTE3>(6);
  });
  expect_in_order(id, {"flag 5 of core0.cubecore0 was never set",
                       "flag 6 is raised on core0.cubecore0, by the set of mode 2",
                       "nobody awaits it: another id"});
  checker_.forget_findings();
  const std::string once_more = text_of(isa::KernelType::kMix12, 1, [&] {
    for (int i = 0; i < 2; ++i) on_aic() ? CrossCoreWaitFlag(5) : CrossCoreSetFlag<2, PIPE_MTE3>(5);
    if (on_aic()) CrossCoreWaitFlag(5);
  });
  expect_in_order(once_more, {"flag 5 of core0.cubecore0 was raised 2 times, for the waits before "
                              "this one: core0.veccore0, core0.veccore1 would raise it"});
  checker_.forget_findings();
  const std::string half = text_of(isa::KernelType::kMix12, 2, [&] {
    if (on_aic() && GetBlockIdx() == 0) return CrossCoreWaitFlag(5);
    if (!on_aic() && GetBlockIdx() == 0) CrossCoreSetFlag<0, PIPE_MTE3>(5);
  });
  expect_in_order(half, {"flag 5 was set by core0.veccore0", "with mode 0 instead",
                         "all cores of the setters' own type"});
}

TEST_F(DeadlockText, TellsOfManyCoresThatWaitAlikeInOneLine) {
  const std::string text = text_of(isa::KernelType::kAivOnly, 41, [] { SyncAll(); });
  expect_in_order(text, {"1 of 41 blocks never got a core", "core0.veccore0 scalar unit",
                         "and 39 other cores likewise", "was set by 40 of 41 cores"});
  EXPECT_EQ(text.find("core1.veccore0"), std::string::npos) << text;
}

}  // namespace
}  // namespace davsim::test
