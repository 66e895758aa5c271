// Collective operations that kernels ask for.
#include <cstring>

#include "kernel_tiling/mc2_tiling.h"
#include "tests/sim/system/system_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// Integers, so that the order of a sum does not matter.
class CollectiveTest : public SystemTest, public ::testing::WithParamInterface<sim::Mode> {
 protected:
  static constexpr std::uint32_t kRanks = 4;
  static constexpr std::uint64_t kCount = 1000;  ///< elements from each rank to each

  void SetUp() override {
    device("atlas_a2_server", kRanks, GetParam());
    const sim::Communicator& made = communicator(kRanks);
    contexts_ = made.contexts;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
      send_.push_back(shared<std::int32_t>(rank, kRanks * kCount));
      recv_.push_back(shared<std::int32_t>(rank, kRanks * kCount));
      for (std::uint64_t i = 0; i < kRanks * kCount; ++i) send_[rank][i] = value(rank, i);
    }
  }
  static std::int32_t value(std::uint32_t rank, std::uint64_t i) {
    return static_cast<std::int32_t>(1000 * rank + 3 * i + 1);
  }
  /// Every core of each rank prepares, waits and finalises.
  template <class Prepare>
  void communicate(Prepare prepare) {
    on_dies(
        [&, prepare](std::uint32_t rank) {
          Hccl hccl;
          hccl.InitV2(reinterpret_cast<GM_ADDR>(contexts_[rank]), &tiling_);
          EXPECT_EQ(hccl.GetRankId(), rank);
          EXPECT_EQ(hccl.GetRankDim(), kRanks);
          EXPECT_EQ(hccl.SetCcTilingV2(64), HCCL_SUCCESS);
          const auto bytes = [](std::int32_t* data) { return reinterpret_cast<GM_ADDR>(data); };
          const HcclHandle handle = prepare(hccl, bytes(send_[rank]), bytes(recv_[rank]));
          EXPECT_EQ(hccl.Wait(handle), 0);
          hccl.Finalize();
        },
        2);
  }

  /// Rank r sends 10 * (r + to + 1) elements to rank `to` in each round.
  template <bool commit>
  static HcclHandle exchange(Hccl<>& hccl, GM_ADDR send, GM_ADDR recv, std::uint8_t rounds) {
    const std::uint64_t me = hccl.GetRankId();
    std::uint64_t counts[kRanks], at[kRanks];
    for (std::uint64_t peer = 0; peer < kRanks; ++peer) {
      counts[peer] = 10 * (me + peer + 1);
      at[peer] = peer * kCount;
    }
    return hccl.AlltoAllV<commit>(send, counts, at, HCCL_DATA_TYPE_INT32, recv, counts, at,
                                  HCCL_DATA_TYPE_INT32, rounds);
  }
  /// What exchange() brings to rank 1.
  void expect_exchanged(std::uint64_t rounds) const {
    for (std::uint32_t from = 0; from < kRanks; ++from) {
      const std::uint64_t count = rounds * 10 * (from + 1 + 1);
      EXPECT_EQ(recv_[1][from * kCount], value(from, kCount));
      EXPECT_EQ(recv_[1][from * kCount + count - 1], value(from, kCount + count - 1));
      EXPECT_EQ(recv_[1][from * kCount + count], 0);
    }
  }

  struct {
    Mc2InitTiling init;
    davsim_hccl::CcTilingFields operation;
  } tiling_;
  std::vector<std::uint64_t> contexts_;
  std::vector<std::int32_t*> send_, recv_;
};

TEST_P(CollectiveTest, AllReduceSums) {
  communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template AllReduce<true>(send, recv, kCount * kRanks, HCCL_DATA_TYPE_INT32,
                                         HCCL_REDUCE_SUM);
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint64_t i = 0; i < kRanks * kCount; ++i) {
      std::int32_t sum = 0;
      for (std::uint32_t r = 0; r < kRanks; ++r) sum += value(r, i);
      ASSERT_EQ(recv_[rank][i], sum) << "rank " << rank << " element " << i;
    }
  }
}

TEST_P(CollectiveTest, AllGatherPutsBlocksBesideEachOther) {
  communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template AllGather<true>(send, recv, kCount, HCCL_DATA_TYPE_INT32, 0);
  });
  for (std::uint64_t i = 0; i < kRanks * kCount; ++i) {
    ASSERT_EQ(recv_[2][i], value(static_cast<std::uint32_t>(i / kCount), i % kCount)) << i;
  }
}

TEST_P(CollectiveTest, ReduceScatterGivesEachRankItsPart) {
  communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    return hccl.template ReduceScatter<true>(send, recv, kCount, HCCL_DATA_TYPE_INT32,
                                             HCCL_REDUCE_MAX, 0);
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint64_t i = 0; i < kCount; ++i) {
      ASSERT_EQ(recv_[rank][i], value(kRanks - 1, rank * kCount + i)) << rank << " " << i;
    }
  }
}

TEST_P(CollectiveTest, AllToAllInRoundsSwapsBlocks) {
  communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
    constexpr std::uint64_t kPart = 250;
    const HcclHandle handle =
        hccl.template AlltoAll<true>(send, recv, kPart, HCCL_DATA_TYPE_INT32, kCount, 4);
    for (int round = 0; round < 3; ++round) EXPECT_EQ(hccl.Wait(handle), 0);
    return handle;
  });
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint64_t i = 0; i < kRanks * kCount; ++i) {
      const auto from = static_cast<std::uint32_t>(i / kCount);
      ASSERT_EQ(recv_[rank][i], value(from, rank * kCount + i % kCount)) << rank << " " << i;
    }
  }
}

TEST_P(CollectiveTest, AllToAllVMovesWhatTheCountsSay) {
  communicate([](Hccl<>& hccl, GM_ADDR send, GM_ADDR recv) {
    const HcclHandle handle = exchange<true>(hccl, send, recv, 1);
    std::uint16_t slice = 0;
    EXPECT_EQ(hccl.Iterate(handle, &slice, 1), -1) << "it has no steps";
    return handle;
  });
  expect_exchanged(1);
}

/// In step s a rank receives from the one s before it. Behind the last step there is none.
TEST_P(CollectiveTest, AllToAllVGoesByStepsThatHaveArrived) {
  tiling_.operation.stepSize = 2;
  std::strcpy(tiling_.operation.algConfig, "AlltoAll=level0:fullmesh;level1:pairwise");
  on_dies([this](std::uint32_t rank) {
    Hccl hccl;
    hccl.InitV2(reinterpret_cast<GM_ADDR>(contexts_[rank]), &tiling_);
    EXPECT_EQ(hccl.SetCcTilingV2(sizeof(Mc2InitTiling)), HCCL_SUCCESS);
    const HcclHandle handle = exchange<true>(hccl, reinterpret_cast<GM_ADDR>(send_[rank]),
                                             reinterpret_cast<GM_ADDR>(recv_[rank]), 1);
    std::uint16_t slices[2] = {};
    for (std::uint32_t step = 0; step < kRanks / 2; ++step) {
      EXPECT_EQ(hccl.Iterate(handle, slices, 2), 2);
      EXPECT_EQ(slices[0], (rank + kRanks - 2 * step) % kRanks);
      EXPECT_EQ(slices[1], (rank + kRanks - 2 * step - 1) % kRanks);
    }
    EXPECT_EQ(hccl.Iterate(handle, slices, 2), 0);
    hccl.Finalize();
  });
  expect_exchanged(1);
}

/// Each block is committed when it has been computed: first the own one, then that of the next
/// rank.
TEST_P(CollectiveTest, AllToAllVSendsStepsAsTheyAreCommitted) {
  tiling_.operation.stepSize = 1;
  std::strcpy(tiling_.operation.algConfig, "AlltoAll=level0:fullmesh;level1:pairwise");
  on_dies([this](std::uint32_t rank) {
    Hccl hccl;
    hccl.InitV2(reinterpret_cast<GM_ADDR>(contexts_[rank]), &tiling_);
    EXPECT_EQ(hccl.SetCcTilingV2(sizeof(Mc2InitTiling)), HCCL_SUCCESS);
    constexpr std::uint32_t kRounds = 2;
    const HcclHandle handle = exchange<false>(hccl, reinterpret_cast<GM_ADDR>(send_[rank]),
                                              reinterpret_cast<GM_ADDR>(recv_[rank]), kRounds);
    std::uint16_t slice = 0;
    for (std::uint32_t step = 0; step < kRounds * kRanks; ++step) {
      EXPECT_EQ(hccl.Iterate<false>(handle, &slice, 1), 1);
      EXPECT_EQ(slice, (rank + step) % kRanks);
      hccl.Commit(handle);
    }
    for (std::uint32_t step = 0; step < kRounds * kRanks; ++step) EXPECT_EQ(hccl.Wait(handle), 0);
    hccl.Finalize();
  });
  expect_exchanged(2);
}

/// The sums are gathered, although their operation is committed last.
TEST_P(CollectiveTest, AGroupWaitsForAnOperationOfAnother) {
  const sim::Communicator& second = communicator(kRanks, "second");
  std::vector<std::int32_t*> all;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    all.push_back(shared<std::int32_t>(rank, kRanks * kCount));
  }
  on_dies([&](std::uint32_t rank) {
    SetHcclContext<0>(reinterpret_cast<GM_ADDR>(contexts_[rank]));
    Hccl sums, gathers;
    sums.Init(reinterpret_cast<GM_ADDR>(contexts_[rank]));
    gathers.Init(reinterpret_cast<GM_ADDR>(second.contexts[rank]));
    const auto bytes = [](std::int32_t* data) { return reinterpret_cast<GM_ADDR>(data); };
    const HcclHandle sum = sums.AllReduce(bytes(send_[rank]), bytes(recv_[rank]), kCount,
                                          HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM);
    EXPECT_TRUE(gathers.InterHcclGroupSync(0, sum));
    const HcclHandle gather = gathers.template AllGather<true>(bytes(recv_[rank]), bytes(all[rank]),
                                                               kCount, HCCL_DATA_TYPE_INT32, 0);
    sums.Commit(sum);
    EXPECT_EQ(gathers.Wait(gather), 0);
    EXPECT_EQ(sums.Wait(sum), 0);
    gathers.Finalize();
  });
  for (std::uint64_t i = 0; i < kRanks * kCount; ++i) {
    std::int32_t sum = 0;
    for (std::uint32_t rank = 0; rank < kRanks; ++rank) sum += value(rank, i % kCount);
    ASSERT_EQ(all[3][i], sum) << i;
  }
}

/// Kernels ignore what the call returns: without the order their results would be wrong.
TEST_P(CollectiveTest, AGroupThatTheLaunchDoesNotHaveIsRefused) {
  try {
    on_dies([&](std::uint32_t rank) {
      Hccl hccl;
      hccl.Init(reinterpret_cast<GM_ADDR>(contexts_[rank]));
      hccl.InterHcclGroupSync(2, 0);
    });
    FAIL() << "the call went through";
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
    EXPECT_NE(fault.message.find("no communicator of this number"), std::string::npos)
        << fault.message;
  }
}

TEST_P(CollectiveTest, ARankThatAsksForAnotherOperationIsRefused) {
  try {
    communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
      return hccl.template AllGather<true>(send, recv, kCount - hccl.GetRankId(),
                                           HCCL_DATA_TYPE_INT32, 0);
    });
    FAIL() << "the operations went through";
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
    EXPECT_NE(fault.message.find("must be alike"), std::string::npos) << fault.message;
  }
}

TEST_P(CollectiveTest, AnOperationOfTheHostNeedsARequestOfEachRank) {
  sim::Communicators& all = *device_->communicators();
  const std::vector<isa::Collective> requests(kRanks - 1);
  EXPECT_THROW(all.run("group", requests), std::invalid_argument);
  EXPECT_THROW(all.run("nobody", requests), std::invalid_argument);
}

TEST_P(CollectiveTest, ARankThatNeverCommitsIsNamed) {
  try {
    communicate([](auto& hccl, GM_ADDR send, GM_ADDR recv) {
      const HcclHandle handle =
          hccl.AllReduce(send, recv, kCount, HCCL_DATA_TYPE_INT32, HCCL_REDUCE_SUM);
      if (hccl.GetRankId() != 2) hccl.Commit(handle);
      return handle;
    });
    FAIL() << "the operation went through";
  } catch (const isa::Fault& fault) {
    EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
    EXPECT_NE(fault.message.find("waits for a commit of ranks 2"), std::string::npos)
        << fault.message;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, CollectiveTest,
                         ::testing::Values(sim::Mode::kTimed, sim::Mode::kFunctional),
                         [](const auto& mode) {
                           return mode.param == sim::Mode::kTimed ? "Timed" : "Functional";
                         });

}  // namespace
}  // namespace davsim::test
