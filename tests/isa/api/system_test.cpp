// What kernels ask of the system, the scalar unit's caches, and queues and buffers at the rarer
// positions.
#include <gtest/gtest.h>

#include "kernel_operator.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

TEST(SystemTest, KeepsTheSystemWorkspace) {
  TestCore core;
  std::uint8_t bytes[64];
  EXPECT_EQ(GetSysWorkSpacePtr(), nullptr);
  SetSysWorkspace(bytes);
  SetSyncBaseAddr(0x1000);
  InitSocState();
  EXPECT_EQ(GetSysWorkSpacePtr(), bytes) << "part of what the launch handed in";
  EXPECT_EQ(core.registers().ffts_base, 0x1000u);
  EXPECT_EQ(GetUserWorkspace(bytes), bytes);
}

TEST(SystemTest, KnowsTheCore) {
  TestCore core;
  std::uint32_t version = 0;
  GetArchVersion(version);
  EXPECT_EQ(version, 0x220u);
  EXPECT_EQ(GetUBSizeInBytes(), 196608u);
  EXPECT_EQ(GetRuntimeUBSize(), 196608u);
  EXPECT_EQ(GetDataBlockSizeInBytes(), 32);
}

int g_called = 0;
void count_calls(int by) {
  g_called += by;
}

TEST(SystemTest, AsyncRunsOnOneCoreType) {
  TestCore core;
  Async<EngineType::AIV, count_calls>(1);
  Async<EngineType::AIC, count_calls>(10);
  EXPECT_EQ(g_called, 1);
  core.become(isa::CoreType::AIC);
  Async<EngineType::AIC, count_calls>(100);
  EXPECT_EQ(g_called, 101);
}

TEST(CacheTest, CallsCostTheirIssue) {
  TestCore core;
  DataSyncBarrier<MemDsbT::DDR>();
  ICachePreLoad(2);
  PRELOAD(4);
  EXPECT_EQ(GetICachePreloadStatus(), 0);
  DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE>(
      LocalTensor<float>(TPosition::VECCALC, 0, 8));
  EXPECT_EQ(take_log(core), (Lines{"SCALAR", "PRELOAD", "PRELOAD", "DCCI"}));
  EXPECT_EQ(fault_of([] { ICachePreLoad(8); }).message,
            "ICachePreLoad: preFetchLen is 8, allowed are 0 to 7");
  core.become(isa::CoreType::AIC);
  ICachePreLoad(15);
  EXPECT_EQ(fault_of([] { ICachePreLoad(16); }).cls, isa::FaultClass::kParameter);
}

TEST(NopTest, KeepsTheScalarUnitBusy) {
  TestCore core;
  Nop<30>();
  Nop<0>();
  ASSERT_EQ(core.emitted.size(), 1u);
  EXPECT_EQ(core.emitted[0].pipe, isa::Pipe::S);
  EXPECT_EQ(std::get<isa::ScalarParams>(core.emitted[0].params).instructions, 30u);
}

TEST(GlobalTensorTest, SetAddrMovesTheStart) {
  TestCore core;
  std::vector<std::int16_t> data = {0, 1, 2, 3};
  core.global.add(data.data(), 8);
  GlobalTensor<std::int16_t> tensor;
  tensor.SetGlobalBuffer(data.data(), 4);
  tensor.SetAddr(2);
  EXPECT_EQ(tensor.GetValue(1), 3);
}

class PositionsTest : public testing::Test {
 protected:
  TestCore core;
};

TEST_F(PositionsTest, AQueueAtVeccalcOrdersTheVectorUnitWithItself) {
  TPipe pipe;
  TQue<TPosition::VECCALC, 1> queue;
  pipe.InitBuffer(queue, 1, 64);
  core.emitted.clear();
  auto tensor = queue.AllocTensor<half>();
  EXPECT_EQ(tensor.Position(), TPosition::VECCALC);
  queue.EnQue(tensor);
  tensor = queue.DeQue<half>();
  queue.FreeTensor(tensor);
  EXPECT_EQ(take_log(core), (Lines{"BAR V", "BAR V"}));
}

TEST_F(PositionsTest, AQueueAtCo2CanBeDeclared) {
  TQue<TPosition::CO2, 1> queue;
  EXPECT_FALSE(queue.HasTensorInQue());
  EXPECT_EQ(fault_of([&] { queue.AllocTensor<float>(); }).cls, isa::FaultClass::kQueue);
}

TEST_F(PositionsTest, BytesOfABufferByTheirNumber) {
  TPipe pipe;
  const auto tensor = pipe.GetAbsAddr<TPosition::VECCALC, float>(512, 64);
  EXPECT_EQ(tensor.GetPhyAddr(), 512u);
  EXPECT_EQ(tensor.GetSize(), 64u);
  EXPECT_EQ(tensor.Position(), TPosition::VECCALC);
  const TBuffAddr address = pipe.GetAbsAddr<TPosition::A1>(1024, 256);
  EXPECT_EQ(address.bufferAddr, 1024u);
  EXPECT_EQ(address.dataLen, 256u);
  EXPECT_EQ(address.logicPos, static_cast<std::uint8_t>(TPosition::A1));
  TBuf<TPosition::VECIN> buf;
  pipe.InitBuffer(buf, 64);
  EXPECT_EQ(buf.Get<float>().GetPhyAddr(), 0u) << "nothing was taken";
}

TEST_F(PositionsTest, PopStackBufferIsWhatIsLeft) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 1000);
  LocalTensor<std::int16_t> rest;
  EXPECT_TRUE((PopStackBuffer<std::int16_t, TPosition::VECCALC>(rest)));
  EXPECT_EQ(rest.GetPhyAddr(), 1024u);
  EXPECT_EQ(rest.GetSize(), (196608u - 1024) / 2);
  TBuf<TPosition::VECIN> all;
  pipe.InitBuffer(all, 196608 - 1024);
  EXPECT_FALSE((PopStackBuffer<std::int16_t, TPosition::LCM>(rest)));
  EXPECT_EQ(rest.GetSize(), 0u);
  GlobalTensor<float> tensor;
  EXPECT_EQ(fault_of([&] { InitOutput(tensor, 8, 0.0f); }).message,
            "InitOutput: nothing is left of UB to fill from");
}

}  // namespace
}  // namespace davsim::test
