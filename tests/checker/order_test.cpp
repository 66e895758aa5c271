// Misuse of queues, flags and barriers.
#include "checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedOrder : public CheckerTest {
 protected:
  using In = TQue<TPosition::VECIN, 1>;
  using Out = TQue<TPosition::VECOUT, 2>;
};

// --- queues --------------------------------------------------------------------------------------

TEST_F(CheckedOrder, UsedAfterFreeTensor) {
  expect_vector(Class::kQueue, "UsedAfterFreeTensor", [&](bool mended) {
    TPipe pipe;
    In queue;
    TBuf<> result;
    pipe.InitBuffer(queue, 1, 1024);
    pipe.InitBuffer(result, 1024);
    auto x = queue.AllocTensor<float>();
    DataCopy(x, in(), kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    if (!mended) queue.FreeTensor(x);
    Adds(result.Get<float>(), x, 1.0f, kCount);  // BUG UsedAfterFreeTensor
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedOrder, ScalarUseAfterFreeTensor) {
  expect_vector(Class::kQueue, "ScalarUseAfterFreeTensor", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    DataCopy(x, in(), kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    if (!mended) queue.FreeTensor(x);
    (void)x.GetValue(0);  // BUG ScalarUseAfterFreeTensor
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedOrder, NeverFreed) {
  expect_vector(Class::kQueue, "NeverFreed", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 2, 1024);
    auto x = queue.AllocTensor<float>();  // BUG NeverFreed
    if (mended) queue.FreeTensor(x);
  });
}

TEST_F(CheckedOrder, NeverFreedAtReset) {
  expect_vector(Class::kQueue, "NeverFreedAtReset", [&](bool mended) {
    TPipe pipe;
    Out queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    Duplicate(x, 1.0f, kCount);
    queue.EnQue(x);
    x = queue.DeQue<float>();  // BUG NeverFreedAtReset
    if (mended) queue.FreeTensor(x);
    pipe.Reset();
  });
}

TEST_F(CheckedOrder, EnQueWithoutAllocTensor) {
  expect_vector(Class::kQueue, "EnQueWithoutAllocTensor", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    if (!mended) queue.FreeTensor(x);
    queue.EnQue(x);  // BUG EnQueWithoutAllocTensor
    x = queue.DeQue<float>();
    queue.FreeTensor(x);
  });
}

TEST_F(CheckedOrder, MoreThanTheDepth) {
  expect_vector(Class::kQueue, "MoreThanTheDepth", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 2, 1024);
    auto x = queue.AllocTensor<float>();
    auto y = queue.AllocTensor<float>();
    queue.EnQue(x);
    if (mended) x = queue.DeQue<float>();
    queue.EnQue(y);  // BUG MoreThanTheDepth
    y = queue.DeQue<float>();
    queue.FreeTensor(x);
    queue.FreeTensor(y);
  });
}

TEST_F(CheckedOrder, MoreTensorsThanBuffers) {
  expect_vector(Class::kQueue, "MoreTensorsThanBuffers", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    if (mended) queue.FreeTensor(x);
    auto y = queue.AllocTensor<float>();  // BUG MoreTensorsThanBuffers
    queue.FreeTensor(y);
  });
}

TEST_F(CheckedOrder, FreedTwice) {
  expect_vector(Class::kQueue, "FreedTwice", [&](bool mended) {
    TPipe pipe;
    In queue;
    pipe.InitBuffer(queue, 1, 1024);
    auto x = queue.AllocTensor<float>();
    queue.FreeTensor(x);
    if (mended) x = queue.AllocTensor<float>();
    queue.FreeTensor(x);  // BUG FreedTwice
  });
}

// --- flags ---------------------------------------------------------------------------------------

TEST_F(CheckedOrder, FlagSetTwice) {
  expect_vector(Class::kFlag, "FlagSetTwice", [&](bool mended) {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mended) WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    if (mended) PipeBarrier<PIPE_ALL>();
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);  // BUG FlagSetTwice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  });
}

TEST_F(CheckedOrder, FlagNeverAwaited) {
  expect_vector(Class::kFlag, "FlagNeverAwaited", [&](bool mended) {
    SetFlag<HardEvent::V_MTE3>(EVENT_ID1);  // BUG FlagNeverAwaited
    if (mended) WaitFlag<HardEvent::V_MTE3>(EVENT_ID1);
  });
}

TEST_F(CheckedOrder, CubeFlagNeverAwaited) {
  expect_cube(Class::kFlag, "CubeFlagNeverAwaited", [&](bool mended) {
    SetFlag<HardEvent::M_FIX>(EVENT_ID2);  // BUG CubeFlagNeverAwaited
    if (mended) WaitFlag<HardEvent::M_FIX>(EVENT_ID2);
  });
}

TEST_F(CheckedOrder, CrossCoreFlagNeverAwaited) {
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, "CrossCoreFlagNeverAwaited",
            [&](bool mended) {
              if (isa::current_core().identity().type == isa::CoreType::AIC) {
                CrossCoreSetFlag<2, PIPE_FIX>(3);  // BUG CrossCoreFlagNeverAwaited
              } else if (mended) {
                CrossCoreWaitFlag<2>(3);
              }
            });
}

TEST_F(CheckedOrder, CrossCoreCounterOverflows) {
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, "CrossCoreCounterOverflows",
            [&](bool mended) {
              const int times = mended ? 15 : 16;
              for (int i = 0; i < times; ++i) {
                if (isa::current_core().identity().type == isa::CoreType::AIC) {
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
  expect_on(isa::KernelType::kMix12, 1, Class::kFlag, "SetThatRaisesNothing", [&](bool mended) {
    if (isa::current_core().identity().type == isa::CoreType::AIC) {
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
  expect_vector(Class::kDeadlock, "WaitThatNoSetCanSatisfy", [&](bool mended) {
    if (mended) SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);  // BUG WaitThatNoSetCanSatisfy
  });
}

TEST_F(CheckedOrder, PipesWaitForEachOther) {
  expect_vector(Class::kDeadlock, "PipesWaitForEachOther", [&](bool mended) {
    if (mended) SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);  // BUG PipesWaitForEachOther
    if (!mended) SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
}

TEST_F(CheckedOrder, NotAllReachSyncAll) {
  expect_on(isa::KernelType::kAivOnly, 3, Class::kDeadlock, "NotAllReachSyncAll", [&](bool mended) {
    if (mended || GetBlockIdx() != 1) SyncAll();  // BUG NotAllReachSyncAll
  });
}

TEST_F(CheckedOrder, CoresWaitForEachOther) {
  expect_on(isa::KernelType::kMix12, 1, Class::kDeadlock, "CoresWaitForEachOther",
            [&](bool mended) {
              if (isa::current_core().identity().type == isa::CoreType::AIC) {
                if (mended) CrossCoreSetFlag<2, PIPE_FIX>(1);
                CrossCoreWaitFlag<2>(2);  // BUG CoresWaitForEachOther
                if (!mended) CrossCoreSetFlag<2, PIPE_FIX>(1);
              } else {
                CrossCoreWaitFlag<2>(1);
                CrossCoreSetFlag<2, PIPE_MTE3>(2);
              }
            });
}

TEST_F(CheckedOrder, DeadlockShowsTheRoundOfWaits) {
  const std::uint32_t line = __LINE__;
  run(isa::KernelType::kAivOnly, 1, [&] {
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
  ASSERT_EQ(findings().size(), 1u);
  const std::string& message = findings().front().message;
  const std::size_t round = message.find("the waits go round:");
  ASSERT_NE(round, std::string::npos) << message;
  const std::string rest = message.substr(round);
  for (const std::uint32_t at : {line + 2, line + 4}) {
    EXPECT_NE(rest.find("order_test.cpp:" + std::to_string(at)), std::string::npos) << message;
  }
}

TEST_F(CheckedOrder, DeadlockShowsTheWaitThatNothingEnds) {
  const std::uint32_t line = __LINE__;
  run(isa::KernelType::kAivOnly, 1, [&] {
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  });
  ASSERT_EQ(findings().size(), 1u);
  const std::string& message = findings().front().message;
  const std::size_t end = message.find("nothing is left that could end this wait:");
  ASSERT_NE(end, std::string::npos) << message;
  EXPECT_NE(message.substr(end).find("order_test.cpp:" + std::to_string(line + 2)),
            std::string::npos)
      << message;
}

}  // namespace
}  // namespace davsim::test
