// Flags, barriers and the system's answers, as records.
#include "ascendc/sync.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::CoreType;

class SyncTest : public testing::Test {
 protected:
  TestCore core;
};

TEST_F(SyncTest, FlagsSitOnThePipeThatActs) {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
  SetFlag<HardEvent::S_MTE3>(7);
  WaitFlag<HardEvent::S_MTE3>(7);
  EXPECT_EQ(take_log(core),
            (Lines{"SET MTE2_V 3", "WAIT MTE2_V 3", "SET S_MTE3 7", "WAIT S_MTE3 7"}));
}

TEST_F(SyncTest, RefusesEventIdsOutsideZeroToSeven) {
  for (const int id : {-1, 8, 256}) {
    const isa::Fault set = fault_of([&] { SetFlag<HardEvent::MTE2_V>(id); });
    EXPECT_EQ(set.cls, isa::FaultClass::kParameter);
    EXPECT_EQ(set.message, "SetFlag: eventID is " + std::to_string(id) + ", allowed are 0 to 7");
    const isa::Fault wait = fault_of([&] { WaitFlag<HardEvent::MTE2_V>(id); });
    EXPECT_NE(wait.message.find("WaitFlag: eventID"), std::string::npos);
  }
}

TEST_F(SyncTest, FlagsOfPipesThatTheCoreLacksDoNothing) {
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  PipeBarrier<PIPE_M>();
  EXPECT_EQ(take_log(core), Lines{});
  core.become(CoreType::AIC);
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::V_S>(0);
  PipeBarrier<PIPE_V>();
  EXPECT_EQ(take_log(core), Lines{});
  SetFlag<HardEvent::MTE2_MTE1>(0);
  WaitFlag<HardEvent::M_FIX>(0);
  PipeBarrier<PIPE_M>();
  EXPECT_EQ(take_log(core), (Lines{"SET MTE2_MTE1 0", "WAIT M_FIX 0", "BAR M"}));
}

TEST_F(SyncTest, AFlagFromAPipeToItselfIsABarrier) {
  SetFlag<HardEvent::V_V>(0);
  WaitFlag<HardEvent::V_V>(0);
  EXPECT_EQ(take_log(core), Lines{"BAR V"});
  core.become(CoreType::AIC);
  SetFlag<HardEvent::FIX_FIX>(0);
  WaitFlag<HardEvent::FIX_FIX>(0);
  EXPECT_EQ(take_log(core), Lines{"BAR FIX"});
}

TEST_F(SyncTest, NamesOfEventsAreTheirPipes) {
  // Every event is another ordered pair; ids are counted by event and must not be shared.
  std::set<std::pair<isa::Pipe, isa::Pipe>> pairs;
  for (int event = 0; event < static_cast<int>(HardEvent::MAX); ++event) {
    const api::PipePair pipes = api::pipes_of(static_cast<HardEvent>(event));
    EXPECT_NE(pipes.set, isa::Pipe::ALL) << event;
    pairs.insert({pipes.set, pipes.wait});
  }
  EXPECT_EQ(pairs.size(), static_cast<std::size_t>(HardEvent::MAX));
}

TEST_F(SyncTest, TQueSyncTakesThePipes) {
  TQueSync<PIPE_MTE3, PIPE_MTE2> order;
  order.SetFlag(1);
  order.WaitFlag(1);
  EXPECT_EQ(take_log(core), (Lines{"SET MTE3_MTE2 1", "WAIT MTE3_MTE2 1"}));
}

TEST_F(SyncTest, CrossCoreFlags) {
  CrossCoreSetFlag<2, PIPE_MTE3>(5);
  CrossCoreWaitFlag(5);
  CrossCoreWaitFlag<1, PIPE_MTE2>(15);
  EXPECT_EQ(take_log(core), (Lines{"CROSS_SET mode 2 id 5 on MTE3", "CROSS_WAIT mode 0 id 5 on S",
                                   "CROSS_WAIT mode 1 id 15 on MTE2"}));
  EXPECT_EQ(fault_of([] { CrossCoreSetFlag<0, PIPE_MTE3>(16); }).cls, isa::FaultClass::kParameter);
  const isa::Fault fault = fault_of([] { CrossCoreSetFlag<0, PIPE_FIX>(0); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kParameter);
  EXPECT_NE(fault.message.find("no pipe FIX"), std::string::npos) << fault.message;
}

TEST_F(SyncTest, SyncAllOfVectorCores) {
  SyncAll();
  EXPECT_EQ(take_log(core),
            (Lines{"BAR ALL", "CROSS_SET mode 0 id 14 on MTE3", "CROSS_WAIT mode 0 id 14 on S"}));
}

TEST_F(SyncTest, SyncAllOfAMixedKernelMeetsOverTheCubeCores) {
  SyncAll<false>();
  EXPECT_EQ(take_log(core),
            (Lines{"BAR ALL", "CROSS_SET mode 2 id 12 on MTE3", "CROSS_WAIT mode 2 id 13 on S"}));
  core.become(CoreType::AIC);
  SyncAll<false>();
  EXPECT_EQ(take_log(core),
            (Lines{"BAR ALL", "CROSS_WAIT mode 2 id 12 on S", "CROSS_SET mode 0 id 11 on FIX",
                   "CROSS_WAIT mode 0 id 11 on S", "CROSS_SET mode 2 id 13 on FIX"}));
}

TEST_F(SyncTest, BlockIndexCountsVectorCoresOfAMixedKernel) {
  core.id.kernel_type = isa::KernelType::kMix12;
  core.id.block_idx = 3;
  core.id.block_num = 24;
  core.id.sub_block_num = 2;
  core.id.sub_block_idx = 1;
  EXPECT_EQ(GetBlockIdx(), 7);
  EXPECT_EQ(GetBlockNum(), 24);
  EXPECT_EQ(GetSubBlockIdx(), 1);
  EXPECT_EQ(GetSubBlockNum(), 2);
  EXPECT_EQ(GetTaskRatio(), 2);
  core.become(CoreType::AIC);
  core.id.sub_block_idx = 0;
  EXPECT_EQ(GetBlockIdx(), 3);
  EXPECT_EQ(GetSubBlockNum(), 1) << "one AIC an AI core";
  EXPECT_EQ(get_subblockdim(), 1);
  EXPECT_EQ(GetTaskRatio(), 1);
}

TEST_F(SyncTest, BlockIndexOfAVectorKernelIsTheCores) {
  core.id.block_idx = 5;
  EXPECT_EQ(GetBlockIdx(), 5);
  EXPECT_EQ(GetTaskRation(), 1);
}

TEST_F(SyncTest, InitSocStateKeepsTheTPipe) {
  int pipe = 0;
  core.registers().tpipe = &pipe;
  core.registers().mask = {1, 2};
  InitSocState();
  EXPECT_EQ(core.registers().tpipe, &pipe);
  EXPECT_EQ(core.registers().mask[0], ~std::uint64_t{0});
  core.registers().tpipe = nullptr;
}

}  // namespace
}  // namespace davsim::test
