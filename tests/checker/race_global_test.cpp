// Races in global memory: between pipes, between cores.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class RaceGlobal : public CheckerTest {
 protected:
  static constexpr std::uint32_t kPart = 64;
  LocalTensor<float> x = ub<float>(0, kPart);
  LocalTensor<float> y = ub<float>(4096, kPart);

  void ones() const {
    Duplicate(x, 1.0f, kPart);
    order<HardEvent::V_MTE3>();
  }
  GlobalTensor<float> part(std::int64_t index) const {
    return out()[static_cast<std::uint64_t>(index) * kPart];
  }
};

TEST_F(RaceGlobal, ReadBackTooEarly) {
  expect_vector(Class::kRace, [&](bool mended) {
    ones();
    DataCopy(out(), x, kPart);
    order<HardEvent::MTE3_MTE2>(mended);
    DataCopy(y, out(), kPart);  // BUG ReadBackTooEarly
  });
}

TEST_F(RaceGlobal, OverwrittenWhileItIsRead) {
  expect_vector(Class::kRace, [&](bool mended) {
    ones();
    DataCopy(y, out(), kPart);
    order<HardEvent::MTE2_MTE3>(mended);
    DataCopy(out(), x, kPart);  // BUG OverwrittenWhileItIsRead
  });
}

TEST_F(RaceGlobal, CoresWriteTheSamePlace) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    DataCopy(part(mended ? GetBlockIdx() : 0), x, kPart);  // BUG CoresWriteTheSamePlace
  });
}

TEST_F(RaceGlobal, CoresMeetInOneBlock) {
  // 12 elements a core, stored in whole DataBlocks.
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    const auto first = static_cast<std::uint64_t>(GetBlockIdx()) * 12;
    if (mended) {
      DataCopyPad(out()[first], x, DataCopyExtParams{1, 48, 0, 0, 0});
    } else {
      DataCopy(out()[first], x, 16);  // BUG CoresMeetInOneBlock
    }
  });
}

TEST_F(RaceGlobal, NeighbourReadWithoutSyncAll) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    DataCopy(part(GetBlockIdx()), x, kPart);
    if (mended) SyncAll();
    DataCopy(y, part(1 - GetBlockIdx()), kPart);  // BUG NeighbourReadWithoutSyncAll
  });
}

TEST_F(RaceGlobal, SyncAllBeforeTheStore) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    if (!mended) SyncAll();
    DataCopy(part(GetBlockIdx()), x, kPart);
    if (mended) SyncAll();
    DataCopy(y, part(1 - GetBlockIdx()), kPart);  // BUG SyncAllBeforeTheStore
  });
}

TEST_F(RaceGlobal, AtomicsNeedNoOrder) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    if (mended) SetAtomicAdd<float>();
    DataCopy(out(), x, kPart);  // BUG AtomicsNeedNoOrder
    SetAtomicNone();
  });
}

TEST_F(RaceGlobal, AtomicsOfTwoKinds) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    ones();
    if (mended || GetBlockIdx() == 0) {
      SetAtomicAdd<float>();
    } else {
      SetAtomicMax<float>();
    }
    DataCopy(out(), x, kPart);  // BUG AtomicsOfTwoKinds
    SetAtomicNone();
  });
}

TEST_F(RaceGlobal, VectorReadsWhatTheCubeCoreWrites) {
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    const bool cube = on_aic();
    if (cube) {
      LocalTensor<float> l1(TPosition::A1, 0, kPart);
      DataCopy(l1, in(), kPart);
      order<HardEvent::MTE2_MTE3>();
      DataCopy(out(), l1, kPart);
      if (mended) CrossCoreSetFlag<2, PIPE_MTE3>(3);
      return;
    }
    if (mended) CrossCoreWaitFlag<2, PIPE_MTE2>(3);
    DataCopy(x, out(), kPart);  // BUG VectorReadsWhatTheCubeCoreWrites
  });
}

TEST_F(RaceGlobal, CrossFlagOnTheWrongPipe) {
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    const bool cube = on_aic();
    if (cube) {
      LocalTensor<float> l1(TPosition::A1, 0, kPart);
      DataCopy(l1, in(), kPart);
      order<HardEvent::MTE2_MTE3>();
      DataCopy(out(), l1, kPart);
      if (mended) {
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      } else {
        CrossCoreSetFlag<2, PIPE_MTE2>(3);
      }
      return;
    }
    CrossCoreWaitFlag<2, PIPE_MTE2>(3);
    DataCopy(x, out(), kPart);  // BUG CrossFlagOnTheWrongPipe
  });
}

TEST_F(RaceGlobal, WaitOnTheWrongPipe) {
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    const bool cube = on_aic();
    if (cube) {
      LocalTensor<float> l1(TPosition::A1, 0, kPart);
      DataCopy(l1, in(), kPart);
      order<HardEvent::MTE2_MTE3>();
      DataCopy(out(), l1, kPart);
      CrossCoreSetFlag<2, PIPE_MTE3>(3);
      return;
    }
    if (mended) {
      CrossCoreWaitFlag<2, PIPE_MTE2>(3);
    } else {
      CrossCoreWaitFlag<2, PIPE_MTE3>(3);
    }
    DataCopy(x, out(), kPart);  // BUG WaitOnTheWrongPipe
  });
}

TEST_F(RaceGlobal, CubeOverwritesWhatVectorsRead) {
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    const bool cube = on_aic();
    if (!cube) {
      DataCopy(x, out(), kPart);
      if (mended) CrossCoreSetFlag<2, PIPE_MTE2>(4);
      return;
    }
    LocalTensor<float> l1(TPosition::A1, 0, kPart);
    DataCopy(l1, in(), kPart);
    order<HardEvent::MTE2_MTE3>();
    if (mended) CrossCoreWaitFlag<2, PIPE_MTE3>(4);
    DataCopy(out(), l1, kPart);  // BUG CubeOverwritesWhatVectorsRead
  });
}

TEST_F(RaceGlobal, PairOfVectorCores) {
  expect_on(isa::KernelType::kMix12, 1, Class::kRace, [&](bool mended) {
    if (on_aic()) return;
    ones();
    DataCopy(part(GetSubBlockIdx()), x, kPart);
    if (mended) {
      CrossCoreSetFlag<1, PIPE_MTE3>(5);
      CrossCoreWaitFlag<1, PIPE_MTE2>(5);
    }
    DataCopy(y, part(1 - GetSubBlockIdx()), kPart);  // BUG PairOfVectorCores
  });
}

TEST_F(RaceGlobal, IbSetOrders) {
  auto* words = global<std::int32_t>(1024, "words", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    auto board = ub<std::int32_t>(8192, 64);
    if (GetBlockIdx() == 0) {
      ones();
      DataCopy(out(), x, kPart);
      if (mended) IBSet(gm(words, 1024), board, 0, 0);
      return;
    }
    if (mended) IBWait(gm(words, 1024), board, 0, 0);
    DataCopy(y, out(), kPart);  // BUG IbSetOrders
  });
}

TEST_F(RaceGlobal, SyncAllByWords) {
  auto* words = global<std::int32_t>(1024, "words", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 3, Class::kRace, [&](bool mended) {
    ones();
    DataCopy(part(GetBlockIdx()), x, kPart);
    if (mended) SyncAll(gm(words, 1024), ub<std::int32_t>(8192, 64));
    DataCopy(y, part((GetBlockIdx() + 1) % 3), kPart);  // BUG SyncAllByWords
  });
}

TEST_F(RaceGlobal, LaunchesAreOrdered) {
  const auto write = [&] {
    ones();
    DataCopy(out(), x, kPart);
  };
  run(isa::KernelType::kAivOnly, 1, write);
  run(isa::KernelType::kAivOnly, 1, [&] { DataCopy(x, out(), kPart); });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(RaceGlobal, ReportNamesBothAccesses) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    const LocalTensor<float> loaded(TPosition::VECCALC, 0, kPart);
    for (int i = 0; i < 3; ++i) {
      DataCopy(loaded, in(), kPart);
      Adds(y, loaded, 1.0f, kPart);
      PipeBarrier<PIPE_ALL>();
    }
  });
  ASSERT_EQ(findings().size(), 1u);
  const checker::Finding& race = findings().front();
  EXPECT_EQ(race.count, 3u);
  EXPECT_EQ(race.first.pipe, "MTE2");
  EXPECT_EQ(race.first.access, "writes");
  EXPECT_EQ(race.first.instruction, "MOV_OUT_TO_UB");
  EXPECT_EQ(race.second.pipe, "V");
  EXPECT_EQ(race.second.core, "core0.veccore0");
  EXPECT_EQ(race.second.instruction, "VADDS");
  EXPECT_EQ(race.space, "UB");
  EXPECT_EQ(race.addr, 0u);
  EXPECT_EQ(race.bytes, kPart * sizeof(float));
  EXPECT_EQ(race.message.substr(0, 37), "no flag from MTE2 to V between lines ");
  EXPECT_NE(race.tensor.find("VECCALC tensor of race_global_test.cpp:"), std::string::npos)
      << race.tensor;
}

/// Without time one core may run all blocks, which orders nothing on a device.
TEST(RaceFunctional, BlocksThatOneCoreHappensToRun) {
  sim::Device device(without_code("Ascend910B3"), {.mode = sim::Mode::kFunctional});
  checker::Checker checker({.functional = true});
  device.check(&checker);
  constexpr std::uint32_t kBlocks = 80, kPart = 64;  // on 40 vector cores
  auto* rows = reinterpret_cast<float*>(device.memory().allocate(kBlocks * kPart * 4, "rows"));
  const isa::KernelEntry entry{"blocks", isa::KernelType::kAivOnly, nullptr, nullptr};
  for (const std::int64_t places : {40, 80}) {
    device.launch(entry, kBlocks, {}, [&] {
      const auto x = ub<float>(0, kPart);
      Duplicate(x, 1.0f, kPart);
      PipeBarrier<PIPE_ALL>();
      DataCopy(
          gm(rows, kBlocks * kPart)[static_cast<std::uint64_t>(GetBlockIdx() % places) * kPart], x,
          kPart);
    });
    EXPECT_EQ(checker.findings().all().empty(), places == 80)
        << checker::text_of(checker.findings());
    checker.forget_findings();
  }
}

}  // namespace
}  // namespace davsim::test
