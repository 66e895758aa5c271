// Queues of a TPipe: addresses, and the exact flags between the pipes.
#include "ascendc/tpipe.h"

#include <gtest/gtest.h>

#include "ascendc/sync.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::CoreType;
using isa::Space;

class TPipeOnVectorCore : public testing::Test {
 protected:
  TestCore core;
};

class TPipeOnCubeCore : public testing::Test {
 protected:
  TPipeOnCubeCore() { core.become(CoreType::AIC); }
  TestCore core;
};

TEST_F(TPipeOnVectorCore, HandsOneBufferFromPipeToPipe) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 1, 1024);
  EXPECT_EQ(take_log(core), Lines{});

  auto filled = que.AllocTensor<float>();
  EXPECT_EQ(take_log(core), Lines{}) << "a fresh buffer has nothing to wait for";
  EXPECT_TRUE(que.EnQue(filled));
  EXPECT_EQ(take_log(core), Lines{"SET MTE2_V 0"});
  auto read = que.DeQue<float>();
  EXPECT_EQ(take_log(core), Lines{"WAIT MTE2_V 0"});
  que.FreeTensor(read);
  EXPECT_EQ(take_log(core), Lines{"SET V_MTE2 0"});
  auto again = que.AllocTensor<float>();
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
  EXPECT_EQ(again.GetPhyAddr(), filled.GetPhyAddr());
  que.FreeTensor(again);
}

TEST_F(TPipeOnVectorCore, DoubleBufferAlternatesAddressesAndIds) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 2> que;
  pipe.InitBuffer(que, 2, 256);
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 3; ++i) {
    auto a = que.AllocTensor<half>();
    auto b = que.AllocTensor<half>();
    addresses.insert(addresses.end(), {a.GetPhyAddr(), b.GetPhyAddr()});
    que.EnQue(a);
    que.EnQue(b);
    a = que.DeQue<half>();
    b = que.DeQue<half>();
    EXPECT_EQ(a.GetPhyAddr(), addresses[addresses.size() - 2]) << "first in, first out";
    que.FreeTensor(a);
    que.FreeTensor(b);
  }
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{0, 256, 0, 256, 0, 256}));
  const Lines first = {"SET V_MTE3 0",  "SET V_MTE3 1", "WAIT V_MTE3 0",
                       "WAIT V_MTE3 1", "SET MTE3_V 0", "SET MTE3_V 1"};
  const Lines later = {"WAIT MTE3_V 0", "WAIT MTE3_V 1", "SET V_MTE3 0", "SET V_MTE3 1",
                       "WAIT V_MTE3 0", "WAIT V_MTE3 1", "SET MTE3_V 0", "SET MTE3_V 1"};
  Lines expected = first;
  for (int i = 0; i < 2; ++i) expected.insert(expected.end(), later.begin(), later.end());
  EXPECT_EQ(take_log(core), expected);
}

TEST_F(TPipeOnVectorCore, DoubleBufferOfDepthOneUsesBothBuffersInTurn) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 2, 64);
  std::vector<std::uint64_t> addresses;
  for (int i = 0; i < 4; ++i) {
    auto tensor = que.AllocTensor<half>();
    addresses.push_back(tensor.GetPhyAddr());
    que.EnQue(tensor);
    tensor = que.DeQue<half>();
    que.FreeTensor(tensor);
  }
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{0, 64, 0, 64}));
  // The wait for a buffer comes two turns after its release: that is what overlaps the pipes.
  EXPECT_EQ(take_log(core),
            (Lines{"SET MTE2_V 0", "WAIT MTE2_V 0", "SET V_MTE2 0", "SET MTE2_V 0", "WAIT MTE2_V 0",
                   "SET V_MTE2 1", "WAIT V_MTE2 0", "SET MTE2_V 0", "WAIT MTE2_V 0", "SET V_MTE2 0",
                   "WAIT V_MTE2 1", "SET MTE2_V 0", "WAIT MTE2_V 0", "SET V_MTE2 1"}));
}

TEST_F(TPipeOnVectorCore, QueuesOfOnePositionShareTheIdsOfItsEvents) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> x, y;
  pipe.InitBuffer(x, 1, 32);
  pipe.InitBuffer(y, 1, 32);
  auto a = x.AllocTensor<float>();
  auto b = y.AllocTensor<float>();
  x.EnQue(a);
  y.EnQue(b);
  b = y.DeQue<float>();
  a = x.DeQue<float>();
  x.FreeTensor(a);
  y.FreeTensor(b);
  EXPECT_EQ(take_log(core), (Lines{"SET MTE2_V 0", "SET MTE2_V 1", "WAIT MTE2_V 1", "WAIT MTE2_V 0",
                                   "SET V_MTE2 0", "SET V_MTE2 1"}));
}

TEST_F(TPipeOnVectorCore, CutsEachPhysicalBufferInMultiplesOf32Bytes) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<TPosition::VECCALC> calc;
  TBuf<TPosition::A1> a1;
  pipe.InitBuffer(in, 2, 100);
  pipe.InitBuffer(a1, 64);
  pipe.InitBuffer(out, 1, 32);
  pipe.InitBuffer(calc, 1);
  auto first = in.AllocTensor<float>();
  auto second = in.AllocTensor<float>();
  EXPECT_EQ(first.GetPhyAddr(), 0u);
  EXPECT_EQ(first.GetSize(), 32u) << "128 bytes";
  EXPECT_EQ(first.Position(), TPosition::VECIN);
  EXPECT_EQ(second.GetPhyAddr(), 128u);
  EXPECT_EQ(out.AllocTensor<half>().GetPhyAddr(), 256u) << "VECIN and VECOUT share UB";
  EXPECT_EQ(calc.Get<half>().GetPhyAddr(), 288u);
  EXPECT_EQ(calc.Get<half>().GetSize(), 16u);
  EXPECT_EQ(a1.Get<half>().GetPhyAddr(), 0u) << "L1 is another buffer";
  EXPECT_EQ(a1.Get<half>().Operand().space, Space::kL1);
}

TEST_F(TPipeOnVectorCore, TBufGivesPartsOfItself) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> before;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(before, 1, 64);
  pipe.InitBuffer(buf, 256);
  EXPECT_EQ(buf.Get<float>().GetSize(), 64u);
  EXPECT_EQ(buf.Get<half>(10).GetSize(), 10u);
  const auto part = buf.GetWithOffset<float>(8, 96);
  EXPECT_EQ(part.GetPhyAddr(), 64u + 96u);
  EXPECT_EQ(part.GetSize(), 8u);
  auto all = buf.AllocTensor<float>();
  EXPECT_EQ(all.GetPhyAddr(), 64u);
  buf.FreeTensor(all);
  EXPECT_EQ(take_log(core), Lines{}) << "a TBuf orders nothing";
}

TEST_F(TPipeOnVectorCore, OneQueueForInputAndOutput) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> que;
  pipe.InitBuffer(que, 1, 64);
  auto tensor = que.AllocTensor<half>();
  que.EnQue<TPosition::GM, TPosition::VECIN, half>(tensor);
  tensor = que.DeQue<TPosition::GM, TPosition::VECIN, half>();
  que.EnQue<TPosition::VECOUT, TPosition::GM, half>(tensor);
  tensor = que.DeQue<TPosition::VECOUT, TPosition::GM, half>();
  que.FreeTensor(tensor);
  tensor = que.AllocTensor<half>();
  que.EnQue(tensor);
  tensor = que.DeQue<half>();
  EXPECT_EQ(take_log(core),
            (Lines{"SET MTE2_V 0", "WAIT MTE2_V 0", "SET V_MTE3 0", "WAIT V_MTE3 0",
                   "SET MTE3_MTE2 0", "WAIT MTE3_MTE2 0", "SET MTE2_MTE3 0", "WAIT MTE2_MTE3 0"}));
}

TEST_F(TPipeOnVectorCore, InPlaceCallsFollowTheTensorNotTheOrder) {
  TPipe pipe;
  TQue<TPosition::VECIN, 0> que;
  pipe.InitBuffer(que, 2, 64);
  LocalTensor<half> a, b;
  que.AllocTensor<half>(a);
  que.AllocTensor<half>(b);
  EXPECT_EQ(b.GetPhyAddr(), 64u);
  que.EnQue(a);
  que.EnQue(b);
  que.DeQue<half>(b);
  que.DeQue<half>(a);
  que.FreeTensor(a);
  EXPECT_EQ(take_log(core), (Lines{"SET MTE2_V 0", "SET MTE2_V 1", "WAIT MTE2_V 1", "WAIT MTE2_V 0",
                                   "SET V_MTE2 0"}));
  que.FreeTensor(b);
}

TEST_F(TPipeOnVectorCore, TellsTheStateOfAQueue) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> que;
  EXPECT_FALSE(que.HasIdleBuffer()) << "before InitBuffer";
  pipe.InitBuffer(que, 2, 32);
  EXPECT_TRUE(que.HasIdleBuffer());
  auto a = que.AllocTensor<half>();
  EXPECT_EQ(que.GetState(a), TBufState::OCCUPIED);
  EXPECT_TRUE(que.HasIdleBuffer());
  EXPECT_FALSE(que.HasTensorInQue());
  auto b = que.AllocTensor<half>();
  EXPECT_FALSE(que.HasIdleBuffer());
  que.EnQue(a);
  EXPECT_EQ(que.GetState(a), TBufState::ENQUE);
  EXPECT_TRUE(que.VacantInQue());
  EXPECT_EQ(que.GetTensorCountInQue(), 1);
  que.EnQue(b);
  EXPECT_FALSE(que.VacantInQue());
  a = que.DeQue<half>();
  b = que.DeQue<half>();
  EXPECT_EQ(que.GetState(a), TBufState::DEQUE);
  EXPECT_EQ(que.GetTensorCountInQue(), 0);
  que.FreeTensor(a);
  EXPECT_EQ(que.GetState(a), TBufState::FREE);
  EXPECT_TRUE(que.HasIdleBuffer());
}

TEST_F(TPipeOnVectorCore, TakesAddressesOfTheCallersChoice) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> que;
  pipe.InitBuffer(que, Std::make_tuple(0, 1024), Std::make_tuple(2048, 64));
  EXPECT_EQ(que.AllocTensor<half>().GetPhyAddr(), 0u);
  const auto second = que.AllocTensor<half>();
  EXPECT_EQ(second.GetPhyAddr(), 2048u);
  EXPECT_EQ(second.GetSize(), 32u);
}

TEST_F(TPipeOnVectorCore, EndsWithNoFlagLeftSet) {
  {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 2, 64);
    pipe.InitBuffer(out, 1, 64);
    auto a = in.AllocTensor<half>();
    auto b = in.AllocTensor<half>();
    auto c = out.AllocTensor<half>();
    in.FreeTensor(b);
    in.FreeTensor(a);
    out.FreeTensor(c);
    take_log(core);
  }
  EXPECT_EQ(take_log(core), (Lines{"WAIT V_MTE2 1", "WAIT V_MTE2 0", "WAIT MTE3_V 0", "BAR ALL"}));
  EXPECT_EQ(core.registers().tpipe, nullptr);
}

TEST_F(TPipeOnVectorCore, FreeAllEventGivesTheIdsBack) {
  TPipe pipe;
  TQue<TPosition::VECIN, 8> first;
  TQue<TPosition::VECIN, 1> second;
  pipe.InitBuffer(first, 8, 32);
  pipe.InitBuffer(second, 1, 32);
  LocalTensor<half> tensors[8];
  for (auto& tensor : tensors) tensor = first.AllocTensor<half>();
  for (auto& tensor : tensors) first.FreeTensor(tensor);
  auto tensor = second.AllocTensor<half>();
  const isa::Fault fault = fault_of([&] { second.FreeTensor(tensor); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kQueue);
  EXPECT_NE(fault.message.find("all 8 ids of event V_MTE2 are taken"), std::string::npos)
      << fault.message;
  take_log(core);
  first.FreeAllEvent();
  EXPECT_EQ(take_log(core).size(), 8u);
  second.FreeTensor(tensor);
  EXPECT_EQ(take_log(core), Lines{"SET V_MTE2 0"});
}

TEST_F(TPipeOnVectorCore, AllocatesFetchesAndReleasesEventIds) {
  TPipe pipe;
  EXPECT_EQ(pipe.AllocEventID<HardEvent::V_S>(), 0);
  EXPECT_EQ(pipe.FetchEventID(HardEvent::V_S), 1);
  EXPECT_EQ(pipe.FetchEventID<HardEvent::V_S>(), 1) << "fetching does not take";
  EXPECT_EQ(pipe.AllocEventID<HardEvent::V_S>(), 1);
  EXPECT_EQ(pipe.AllocEventID<HardEvent::S_V>(), 0) << "each ordered pair has its own ids";
  pipe.ReleaseEventID<HardEvent::V_S>(0);
  EXPECT_EQ(GetTPipePtr()->AllocEventID<HardEvent::V_S>(), 0);
  for (int id = 2; id < 8; ++id) EXPECT_EQ(pipe.AllocEventID<HardEvent::V_S>(), id);
  EXPECT_EQ(fault_of([&] { pipe.AllocEventID<HardEvent::V_S>(); }).cls, isa::FaultClass::kQueue);
  EXPECT_EQ(fault_of([&] { pipe.FetchEventID(HardEvent::V_S); }).cls, isa::FaultClass::kQueue);
  EXPECT_EQ(fault_of([&] { pipe.ReleaseEventID<HardEvent::V_S>(8); }).cls,
            isa::FaultClass::kParameter);
  EXPECT_EQ(take_log(core), Lines{}) << "ids alone set and await nothing";
}

TEST_F(TPipeOnVectorCore, ResetGivesTheMemoryOutAnew) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> old_que, new_que;
  pipe.InitBuffer(old_que, 1, 1024);
  auto tensor = old_que.AllocTensor<half>();
  old_que.FreeTensor(tensor);
  take_log(core);
  pipe.Reset();
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
  pipe.InitBuffer(new_que, 1, 64);
  EXPECT_EQ(new_que.AllocTensor<half>().GetPhyAddr(), 0u);
  EXPECT_EQ(fault_of([&] { old_que.AllocTensor<half>(); }).cls, isa::FaultClass::kQueue);
}

TEST_F(TPipeOnVectorCore, DestroyAndInitFollowEachOther) {
  TPipe pipe;
  pipe.Destroy();
  EXPECT_EQ(take_log(core), Lines{"BAR ALL"});
  pipe.Init();
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 1, 64);
  EXPECT_EQ(GetTPipePtr(), &pipe);
}

// --- cube core -----------------------------------------------------------------------------------

TEST_F(TPipeOnCubeCore, HoldsTheMatrixEventsLikeTheDevice) {
  {
    TPipe pipe;
    EXPECT_EQ(take_log(core), (Lines{"SET M_MTE1 0", "SET M_MTE1 1", "SET M_MTE1 2"}));
    EXPECT_EQ(pipe.AllocEventID<HardEvent::M_MTE1>(), 3);
    pipe.Reset();
    EXPECT_EQ(take_log(core), Lines{});
    EXPECT_EQ(pipe.FetchEventID<HardEvent::M_MTE1>(), 3) << "they outlast Reset";
  }
  EXPECT_EQ(take_log(core), (Lines{"WAIT M_MTE1 0", "WAIT M_MTE1 1", "WAIT M_MTE1 2", "BAR ALL"}));
}

template <TPosition position>
Lines round_trip(TestCore& core) {
  TPipe pipe;
  TQue<position, 1> que;
  pipe.InitBuffer(que, 1, 512);
  take_log(core);
  auto tensor = que.template AllocTensor<float>();
  que.EnQue(tensor);
  tensor = que.template DeQue<float>();
  que.FreeTensor(tensor);
  return take_log(core);
}

TEST_F(TPipeOnCubeCore, EveryPositionHasItsEvents) {
  const Lines into_l1 = {"SET MTE2_MTE1 0", "WAIT MTE2_MTE1 0", "SET MTE1_MTE2 0"};
  EXPECT_EQ(round_trip<TPosition::A1>(core), into_l1);
  EXPECT_EQ(round_trip<TPosition::B1>(core), into_l1);
  EXPECT_EQ(round_trip<TPosition::C1>(core), into_l1);
  // Ids 0 to 2 of M_MTE1 belong to the TPipe.
  const Lines into_l0 = {"SET MTE1_M 0", "WAIT MTE1_M 0", "SET M_MTE1 3"};
  EXPECT_EQ(round_trip<TPosition::A2>(core), into_l0);
  EXPECT_EQ(round_trip<TPosition::B2>(core), into_l0);
  EXPECT_EQ(round_trip<TPosition::C2>(core), into_l0);
  EXPECT_EQ(round_trip<TPosition::C2PIPE2GM>(core),
            (Lines{"SET MTE1_FIX 0", "WAIT MTE1_FIX 0", "SET FIX_MTE1 0"}));
  EXPECT_EQ(round_trip<TPosition::CO1>(core),
            (Lines{"SET M_FIX 0", "WAIT M_FIX 0", "SET FIX_M 0"}));
}

template <TPosition position>
Space space_at() {
  TPipe pipe;
  TQue<position, 1> que;
  pipe.InitBuffer(que, 1, 512);
  return que.template AllocTensor<float>().Operand().space;
}

TEST_F(TPipeOnCubeCore, EveryPositionHasItsPhysicalBuffer) {
  EXPECT_EQ(space_at<TPosition::A1>(), Space::kL1);
  EXPECT_EQ(space_at<TPosition::B1>(), Space::kL1);
  EXPECT_EQ(space_at<TPosition::C1>(), Space::kL1);
  EXPECT_EQ(space_at<TPosition::A2>(), Space::kL0A);
  EXPECT_EQ(space_at<TPosition::B2>(), Space::kL0B);
  EXPECT_EQ(space_at<TPosition::C2>(), Space::kBt);
  EXPECT_EQ(space_at<TPosition::CO1>(), Space::kL0C);
  EXPECT_EQ(space_at<TPosition::C2PIPE2GM>(), Space::kFb);
  EXPECT_EQ(space_at<TPosition::VECIN>(), Space::kUb);
  EXPECT_EQ(space_at<TPosition::VECOUT>(), Space::kUb);
}

TEST_F(TPipeOnCubeCore, VectorQueuesEmitNothing) {
  // Mixed kernels set their queues up for both halves; what the other half does must be harmless.
  EXPECT_EQ(round_trip<TPosition::VECIN>(core), Lines{});
  EXPECT_EQ(round_trip<TPosition::VECOUT>(core), Lines{});
}

TEST_F(TPipeOnVectorCore, CubeQueuesEmitNothing) {
  EXPECT_EQ(round_trip<TPosition::A1>(core), Lines{});
  EXPECT_EQ(round_trip<TPosition::A2>(core), Lines{});
  EXPECT_EQ(round_trip<TPosition::CO1>(core), Lines{});
}

/// A core without a UB.
class CubeCoreProper : public TestCore {
 public:
  CubeCoreProper() { become(CoreType::AIC); }
  std::uint64_t buffer_size(Space space) const override {
    return space == Space::kUb ? 0 : TestCore::buffer_size(space);
  }
};

TEST(TPipeWithoutTheBuffer, SetsVectorQueuesUpAllTheSame) {
  CubeCoreProper core;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  EXPECT_TRUE(pipe.InitBuffer(que, 2, 96 * 1024));
  TBuf<TPosition::VECCALC> buf;
  EXPECT_TRUE(pipe.InitBuffer(buf, 96 * 1024));
}

}  // namespace
}  // namespace davsim::test
