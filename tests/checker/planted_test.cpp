// Kernels in the style of published ones, each with one planted mistake, and the same mended.
#include "tests/checker/flow.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class Planted : public CheckerTest {};

TEST_F(Planted, LoadWithoutQueueBetween) {
  expect_vector(Class::kRace, [&](bool mended) {
    Flow f;
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      LocalTensor<float> x = f.in_x.AllocTensor<float>();
      DataCopy(x, in()[i * kTile], kTile);
      if (mended) {
        f.in_x.EnQue(x);
        x = f.in_x.DeQue<float>();
      }
      LocalTensor<float> z = f.out_z.AllocTensor<float>();
      Muls(z, x, 2.0f, kTile);  // BUG LoadWithoutQueueBetween
      f.out_z.EnQue(z);
      f.in_x.FreeTensor(x);
      z = f.out_z.DeQue<float>();
      DataCopy(out()[i * kTile], z, kTile);
      f.out_z.FreeTensor(z);
    }
  });
}

TEST_F(Planted, StoreWithoutQueueBetween) {
  expect_vector(Class::kRace, [&](bool mended) {
    Flow f;
    LocalTensor<float> z = f.out_z.AllocTensor<float>();
    Duplicate(z, 1.0f, kTile);
    if (mended) {
      f.out_z.EnQue(z);
      z = f.out_z.DeQue<float>();
    }
    DataCopy(out(), z, kTile);  // BUG StoreWithoutQueueBetween
    f.out_z.FreeTensor(z);
  });
}

TEST_F(Planted, FreedBeforeItIsComputedWith) {
  expect_vector(Class::kQueue, [&](bool mended) {
    Flow f(1);
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      LocalTensor<float> x = f.in_x.AllocTensor<float>();
      DataCopy(x, in()[i * kTile], kTile);
      f.in_x.EnQue(x);
      x = f.in_x.DeQue<float>();
      if (!mended) f.in_x.FreeTensor(x);
      LocalTensor<float> z = f.out_z.AllocTensor<float>();
      Adds(z, x, 1.0f, kTile);  // BUG FreedBeforeItIsComputedWith
      if (mended) f.in_x.FreeTensor(x);
      f.out_z.EnQue(z);
      z = f.out_z.DeQue<float>();
      DataCopy(out()[i * kTile], z, kTile);
      f.out_z.FreeTensor(z);
    }
  });
}

TEST_F(Planted, OneEventForTwoBuffers) {
  // Ping and pong by hand; the flag back is only set for ping.
  expect_vector(Class::kRace, [&](bool mended) {
    LocalTensor<float> half[2] = {ub<float>(0, kTile), ub<float>(4096, kTile)};
    LocalTensor<float> z = ub<float>(8192, kTile);
    SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
    if (mended) SetFlag<HardEvent::V_MTE2>(EVENT_ID1);
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      const std::int32_t id = static_cast<std::int32_t>(i % 2);
      if (mended || id == 0) WaitFlag<HardEvent::V_MTE2>(id);
      DataCopy(half[id], in()[i * kTile], kTile);  // BUG OneEventForTwoBuffers
      SetFlag<HardEvent::MTE2_V>(id);
      WaitFlag<HardEvent::MTE2_V>(id);
      PipeBarrier<PIPE_V>();
      Adds(z, half[id], 1.0f, kTile);
      if (mended || id == 0) SetFlag<HardEvent::V_MTE2>(id);
    }
    WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
    if (mended) WaitFlag<HardEvent::V_MTE2>(EVENT_ID1);
  });
}

TEST_F(Planted, WaitWithAnotherEvent) {
  expect_vector(Class::kDeadlock, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile);
    DataCopy(x, in(), kTile);
    SetFlag<HardEvent::MTE2_V>(mended ? EVENT_ID1 : EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);  // BUG WaitWithAnotherEvent
    Adds(x, x, 1.0f, kTile);
  });
}

TEST_F(Planted, NoBarrierBetweenDependentVectors) {
  expect_vector(Class::kRace, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile), y = ub<float>(4096, kTile);
    Duplicate(x, 2.0f, kTile);
    if (mended) PipeBarrier<PIPE_V>();
    Exp(y, x, kTile);  // BUG NoBarrierBetweenDependentVectors
  });
}

TEST_F(Planted, TailReadAsWholeTile) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile), z = ub<float>(4096, kTile);
    DataCopyPad(x, in(), DataCopyExtParams{1, 100 * sizeof(float), 0, 0, 0},
                DataCopyPadExtParams<float>{false, 0, 0, 0});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(z, x, 1.0f, mended ? 100 : 128);  // BUG TailReadAsWholeTile
  });
}

TEST_F(Planted, RepeatsBeyondTheTile) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<> a, b;
    pipe.InitBuffer(a, kTile * sizeof(float));
    pipe.InitBuffer(b, kTile * sizeof(float));
    LocalTensor<float> x = a.Get<float>(), z = b.Get<float>();
    Duplicate(x, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, 64, mended ? 4 : 5, {1, 1, 8, 8});  // BUG RepeatsBeyondTheTile
  });
}

TEST_F(Planted, GetValueRightBehindTheReduction) {
  expect_vector(Class::kRace, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile), sum = ub<float>(4096, 64);
    Duplicate(x, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    WholeReduceSum(sum, x, 64, 1, 1, 1, 8);
    order<HardEvent::V_S>(mended);
    (void)sum.GetValue(0);  // BUG GetValueRightBehindTheReduction
  });
}

TEST_F(Planted, SetValueRightBeforeTheVector) {
  expect_vector(Class::kRace, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, 64), z = ub<float>(4096, 64);
    for (std::uint32_t i = 0; i < 64; ++i) x.SetValue(i, 1.0f);
    order<HardEvent::S_V>(mended);
    Adds(z, x, 1.0f, 64);  // BUG SetValueRightBeforeTheVector
  });
}

TEST_F(Planted, AtomicSumIntoWhatNobodyZeroed) {
  auto* sums = global<float>(64, "sums", [](std::size_t) { return 0.0f; });
  device().memory().declare_unwritten(reinterpret_cast<const std::byte*>(sums));
  expect_on(isa::KernelType::kAivOnly, 4, Class::kUninitialised, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, 64);
    if (mended) {
      if (GetBlockIdx() == 0) {
        Duplicate(x, 0.0f, 64);
        order<HardEvent::V_MTE3>();
        DataCopy(gm(sums, 64), x, 64);
      }
      SyncAll();
    }
    Duplicate(x, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(gm(sums, 64), x, 64);  // BUG AtomicSumIntoWhatNobodyZeroed
    SetAtomicNone();
  });
}

TEST_F(Planted, PartialSumsWithoutSyncAll) {
  auto* parts = global<float>(4 * 64, "parts", [](std::size_t) { return 0.0f; });
  expect_on(isa::KernelType::kAivOnly, 4, Class::kRace, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, 256);
    Duplicate(x, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    DataCopy(gm(parts, 256)[GetBlockIdx() * 64], x, 64);
    if (mended) SyncAll();
    if (GetBlockIdx() != 0) return;
    order<HardEvent::MTE3_MTE2>();
    DataCopy(x, gm(parts, 256), 256);  // BUG PartialSumsWithoutSyncAll
  });
}

TEST_F(Planted, VectorTakesTheProductTooEarly) {
  auto* product = global<float>(1024, "product", [](std::size_t) { return 0.0f; });
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    if (on_aic()) {
      const LocalTensor<float> c(TPosition::CO1, 0, 256);
      const LocalTensor<half> a(TPosition::A2, 0, 256), b(TPosition::B2, 0, 256);
      Fill(a, {1, 1, 0, half(1.0f)});
      Fill(b, {1, 1, 0, half(1.0f)});
      order<HardEvent::MTE1_M>();
      MmadParams mmad;
      mmad.m = mmad.n = mmad.k = 16;
      Mmad(c, a, b, mmad);
      order<HardEvent::M_FIX>();
      Fixpipe(gm(product, 1024), c, FixpipeParamsV220(16, 16, 16, 16, false));
      CrossCoreSetFlag<2, PIPE_FIX>(3);
      return;
    }
    if (mended) CrossCoreWaitFlag(3);
    if (GetSubBlockIdx() == 0) {
      DataCopy(ub<float>(0, 256), gm(product, 1024), 256);  // BUG VectorTakesTheProductTooEarly
    }
    if (!mended) CrossCoreWaitFlag(3);
  });
}

TEST_F(Planted, FlagBetweenCoresWithTheWrongMode) {
  expect_on(isa::KernelType::kMix12, 1, Class::kDeadlock, [&](bool mended) {
    if (on_aic()) {
      CrossCoreWaitFlag(5);  // BUG FlagBetweenCoresWithTheWrongMode
      return;
    }
    if (mended) {
      CrossCoreSetFlag<2, PIPE_MTE3>(5);
    } else {
      CrossCoreSetFlag<1, PIPE_MTE3>(5);
    }
  });
}

TEST_F(Planted, UnalignedMove) {
  expect_vector(Class::kFault, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile);
    DataCopy(x, in(), mended ? 16 : 12);  // BUG UnalignedMove
  });
}

/// A repeat of float has 64 lanes: a mask of 128 does not reach the second repeat.
TEST_F(Planted, MaskLongerThanARepeat) {
  expect_vector(Class::kFault, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile);
    Duplicate(x, 1.0f, std::uint64_t{mended ? 64u : 128u}, 1, 1, 8);  // BUG MaskLongerThanARepeat
  });
}

TEST_F(Planted, WrittenBackWhileItIsLoadedAgain) {
  expect_vector(Class::kRace, [&](bool mended) {
    const LocalTensor<float> x = ub<float>(0, kTile);
    for (std::uint32_t i = 0; i < kTiles; ++i) {
      if (i > 0) order<HardEvent::MTE3_MTE2>(mended);
      DataCopy(x, in()[i * kTile], kTile);  // BUG WrittenBackWhileItIsLoadedAgain
      order<HardEvent::MTE2_MTE3>();
      DataCopy(out()[i * kTile], x, kTile);
    }
  });
}

TEST_F(Planted, OneMoreBlockThanTheTensorHas) {
  expect_on(isa::KernelType::kAivOnly, 5, Class::kOverrun, [&](bool mended) {
    if (mended && GetBlockIdx() == 4) return;
    const LocalTensor<float> x = ub<float>(0, 1024);
    GlobalTensor<float> all;
    all.SetGlobalBuffer(in_, 4096);
    DataCopy(x, all[GetBlockIdx() * 1024], 1024);  // BUG OneMoreBlockThanTheTensorHas
  });
}

TEST_F(Planted, MoreTensorsInFlightThanBuffers) {
  expect_vector(Class::kQueue, [&](bool mended) {
    Flow f(1);
    LocalTensor<float> first = f.in_x.AllocTensor<float>();
    if (mended) f.in_x.FreeTensor(first);
    LocalTensor<float> second = f.in_x.AllocTensor<float>();  // BUG MoreTensorsInFlightThanBuffers
    f.in_x.FreeTensor(second);
  });
}

TEST_F(Planted, TheSameTensorIsFreedInTwoPlaces) {
  expect_vector(Class::kQueue, [&](bool mended) {
    Flow f;
    LocalTensor<float> x = f.in_x.AllocTensor<float>();
    f.in_x.FreeTensor(x);
    if (!mended) f.in_x.FreeTensor(x);  // BUG TheSameTensorIsFreedInTwoPlaces
  });
}

/// More cores than any device has.
TEST(PlantedOnManyCores, RacesBetweenCoresBeyondFiveHundred) {
  sim::SocConfig soc = without_code("Ascend910B3");
  soc.set("SoCInfo", "vector_core_cnt", "600");
  soc.set("SoCInfo", "ai_core_cnt", "600");
  sim::Device device(soc);
  checker::Checker checker;
  device.check(&checker);
  auto* words = reinterpret_cast<float*>(device.memory().allocate(600 * 64, "words"));
  const auto run = [&](std::uint32_t apart) {
    const auto kernel = [&, apart] {
      const LocalTensor<float> x = ub<float>(0, 8);
      Duplicate(x, 1.0f, 8);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      const std::uint32_t at = GetBlockIdx() == 599 ? apart : GetBlockIdx();
      DataCopy(gm(words, 9600)[at * 16], x, 8);
      SyncAll();
    };
    device.launch({"many", isa::KernelType::kAivOnly, nullptr, nullptr}, 600, {}, kernel);
    return checker.findings().open();
  };
  EXPECT_EQ(run(599), 0u) << checker::text_of(checker.findings());
  EXPECT_EQ(run(550), 1u);
  EXPECT_NE(checker::text_of(checker.findings()).find("core599"), std::string::npos)
      << checker::text_of(checker.findings());
}

}  // namespace
}  // namespace davsim::test
