// What a kernel must not do with its TPipe and queues: each is a Fault(kQueue) at the kernel's
// line.
#include <gtest/gtest.h>

#include "ascendc/sync.h"
#include "ascendc/tpipe.h"
#include "isa/instr/source_location.hpp"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class TPipeMisuse : public testing::Test {
 protected:
  /// Expects `code` to end in Fault(kQueue) whose message holds `part`.
  template <class Code>
  void refused(const std::string& part, Code code) {
    const isa::Fault fault = fault_of(code);
    EXPECT_EQ(fault.cls, isa::FaultClass::kQueue);
    EXPECT_NE(fault.message.find(part), std::string::npos) << fault.message;
    EXPECT_NE(std::string(fault.where.file_name()).find("tpipe_misuse_test.cpp"), std::string::npos)
        << fault.message;
  }

  TestCore core;
};

TEST_F(TPipeMisuse, FaultNamesTheCallAndItsLine) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 1, 32);
  std::uint_least32_t line = 0;
  const isa::Fault fault = fault_of([&] {
    line = isa::SourceLocation::current().line() + 1;
    que.DeQue<half>();
  });
  EXPECT_EQ(fault.message, "DeQue at VECIN: the queue is empty; EnQue comes first");
  EXPECT_EQ(fault.instruction, "DeQue");
  EXPECT_EQ(fault.where.line(), line);
}

TEST_F(TPipeMisuse, MemoryIsFull) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 100 * 1024);
  refused(
      "InitBuffer at VECIN: 2 x 65536 bytes requested, 102400 of the 196608 bytes of UB are "
      "used, 94208 are available",
      [&] { pipe.InitBuffer(que, 2, 64 * 1024); });
  refused("98304 bytes requested", [&] { pipe.InitBuffer(buf, 96 * 1024); });
  EXPECT_TRUE(pipe.InitBuffer(que, 1, 92 * 1024)) << "exactly the rest";
}

TEST_F(TPipeMisuse, LengthAndNumberOutOfRange) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  TBufPool<TPosition::VECCALC> pool;
  refused("InitBufPool at VECCALC: the length is 0 bytes", [&] { pipe.InitBufPool(pool, 0); });
  refused("Alloc at VECCALC: the length is 0 bytes", [&] { LocalMemAllocator().Alloc<half>(0); });
  refused("num is 0, allowed are 1 to 64", [&] { pipe.InitBuffer(que, 0, 0); });
  refused("num is 0, allowed are 1 to 64", [&] { pipe.InitBuffer(que, 0, 32); });
  refused("num is 65, allowed are 1 to 64", [&] { pipe.InitBuffer(que, 65, 32); });
  // A wrap of number times length must not look small.
  refused("64 x 2147483648 bytes requested", [&] { pipe.InitBuffer(que, 64, 1u << 31); });
}

TEST_F(TPipeMisuse, ATBufWithoutAPositionIsOneOfVeccalc) {
  TPipe pipe;
  TBuf<> buf;
  refused("InitBuffer at VECCALC: 1 x 262144 bytes requested",
          [&] { pipe.InitBuffer(buf, 256 * 1024); });
}

TEST_F(TPipeMisuse, MoreThan64Buffers) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(que, 63, 32);
  pipe.InitBuffer(buf, 32);
  refused("at most 64 buffers, 64 are in use", [&] { pipe.InitBuffer(buf, 32); });
}

TEST_F(TPipeMisuse, MoreTensorsThanBuffers) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 2, 32);
  que.AllocTensor<half>();
  que.AllocTensor<half>();
  refused("all 2 buffers of the queue are in use", [&] { que.AllocTensor<half>(); });
}

TEST_F(TPipeMisuse, MoreTensorsInTheQueueThanItsDepth) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 2, 32);
  auto a = que.AllocTensor<half>();
  auto b = que.AllocTensor<half>();
  que.EnQue(a);
  refused("the queue is full: its depth is 1", [&] { que.EnQue(b); });
  a = que.DeQue<half>();
}

TEST_F(TPipeMisuse, EnQueTwice) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> que;
  pipe.InitBuffer(que, 2, 32);
  auto a = que.AllocTensor<half>();
  que.EnQue(a);
  refused("stands in the queue since line", [&] { que.EnQue(a); });
  que.DeQue<half>();
}

TEST_F(TPipeMisuse, EnQueOfATensorThatWasNotAllocated) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que, other;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(que, 1, 32);
  pipe.InitBuffer(other, 1, 32);
  pipe.InitBuffer(buf, 32);
  LocalTensor<half> nothing;
  refused("does not come from this queue's AllocTensor", [&] { que.EnQue(nothing); });
  auto of_buf = buf.Get<half>();
  refused("does not come from this queue's AllocTensor", [&] { que.EnQue(of_buf); });
  auto of_other = other.AllocTensor<half>();
  refused("does not come from this queue's AllocTensor", [&] { que.EnQue(of_other); });
  auto freed = que.AllocTensor<half>();
  que.FreeTensor(freed);
  refused("the tensor was freed", [&] { que.EnQue(freed); });
}

TEST_F(TPipeMisuse, FreeTensorOfATensorThatIsNotAllocated) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 1, 32);
  LocalTensor<half> nothing;
  refused("does not come from this queue's AllocTensor", [&] { que.FreeTensor(nothing); });
  auto tensor = que.AllocTensor<half>();
  que.EnQue(tensor);
  refused("DeQue comes first", [&] { que.FreeTensor(tensor); });
  tensor = que.DeQue<half>();
  que.FreeTensor(tensor);
  refused("the tensor is not allocated", [&] { que.FreeTensor(tensor); });
}

TEST_F(TPipeMisuse, InPlaceDeQueOfATensorThatIsNotInTheQueue) {
  TPipe pipe;
  TQue<TPosition::VECIN, 0> que;
  pipe.InitBuffer(que, 1, 32);
  LocalTensor<half> tensor;
  que.AllocTensor(tensor);
  refused("EnQue comes first", [&] { que.DeQue(tensor); });
}

TEST_F(TPipeMisuse, DeQueWithAnotherEventThanEnQue) {
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> que;
  pipe.InitBuffer(que, 1, 32);
  auto tensor = que.AllocTensor<half>();
  que.EnQue<TPosition::GM, TPosition::VECIN, half>(tensor);
  refused("was enqueued with event MTE2_V",
          [&] { que.DeQue<TPosition::VECOUT, TPosition::GM, half>(); });
  que.DeQue<TPosition::GM, TPosition::VECIN, half>();
}

TEST_F(TPipeMisuse, QueueThatWasNeverInitialised) {
  TPipe pipe;
  TQue<TPosition::VECOUT, 1> que;
  TBuf<TPosition::VECCALC> buf;
  TBufPool<TPosition::VECCALC> pool;
  LocalTensor<half> tensor;
  refused("AllocTensor at VECOUT: InitBuffer was not called", [&] { que.AllocTensor<half>(); });
  refused("InitBuffer was not called", [&] { que.EnQue(tensor); });
  refused("InitBuffer was not called", [&] { que.DeQue<half>(); });
  refused("InitBuffer was not called", [&] { que.FreeTensor(tensor); });
  refused("InitBuffer was not called", [&] { buf.Get<half>(); });
  refused("InitBufPool was not called", [&] { pool.InitBuffer(que, 1, 32); });
}

TEST_F(TPipeMisuse, QueueOfATPipeThatIsGone) {
  TQue<TPosition::VECIN, 1> que;
  TBuf<TPosition::VECCALC> buf;
  {
    TPipe first;
    first.InitBuffer(que, 1, 32);
    first.InitBuffer(buf, 32);
  }
  refused("InitBuffer was not called", [&] { que.AllocTensor<half>(); });
  TPipe second;
  refused("InitBuffer was not called", [&] { que.AllocTensor<half>(); });
  refused("InitBuffer was not called", [&] { buf.Get<half>(); });
}

TEST_F(TPipeMisuse, PartsOutsideATBuf) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> buf;
  pipe.InitBuffer(buf, 64);
  EXPECT_EQ(buf.Get<float>(16).GetSize(), 16u);
  refused("68 bytes from byte 0 are not inside the TBuf of 64 bytes", [&] { buf.Get<float>(17); });
  refused("not inside", [&] { buf.GetWithOffset<half>(1, 64); });
  refused("not inside", [&] { buf.GetWithOffset<half>(1, 0xffffffe0u); });
}

TEST_F(TPipeMisuse, TwoTPipesAtATime) {
  TPipe first;
  refused("there is one at a time", [&] { TPipe second; });
  refused("this TPipe is in use", [&] { first.Init(); });
  first.Destroy();
  refused("was destroyed before", [&] { first.Destroy(); });
  TPipe third;
  EXPECT_EQ(GetTPipePtr(), &third);
}

TEST_F(TPipeMisuse, NoTPipe) {
  refused("the kernel has no TPipe", [&] { GetTPipePtr(); });
}

TEST_F(TPipeMisuse, EndsWithATensorInTheQueue) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(que, 1, 32);
  auto tensor = que.AllocTensor<half>();
  const auto line = isa::SourceLocation::current().line() + 1;
  que.EnQue(tensor);
  refused("the tensor enqueued in line " + std::to_string(line) + " still stands in its queue",
          [&] { pipe.Destroy(); });
  refused("still stands in its queue", [&] { pipe.Reset(); });
  que.DeQue<half>();
}

TEST_F(TPipeMisuse, DestructorOfAFaultedKernelIsSilent) {
  struct KernelError {};
  const auto kernel = [&] {
    TPipe pipe;
    TQue<TPosition::VECIN, 1> que;
    pipe.InitBuffer(que, 1, 32);
    auto tensor = que.AllocTensor<half>();
    que.EnQue(tensor);  // would be a fault of the destructor
    take_log(core);
    throw KernelError();
  };
  EXPECT_THROW(kernel(), KernelError);
  EXPECT_EQ(take_log(core), Lines{});
  EXPECT_EQ(core.registers().tpipe, nullptr);
  TPipe next;
  EXPECT_EQ(GetTPipePtr(), &next);
}

TEST_F(TPipeMisuse, ConfigurationThatDiffersFromInitBuffer) {
  static constexpr TPosition kNone[8] = {TPosition::MAX, TPosition::MAX};
  static constexpr TQueConfig kConfig =
      GetTQueConfig(false, false, false, 64, 2, 0, kNone, false, false);
  static_assert(kConfig.bufferLen == 64 && kConfig.consumer[1] == TPosition::MAX);
  TPipe pipe;
  TQue<TPosition::VECIN, 1, &kConfig> que;
  refused("num is 1, the queue's TQueConfig says 2", [&] { pipe.InitBuffer(que, 1, 64); });
  refused("len is 32, the queue's TQueConfig says 64", [&] { pipe.InitBuffer(que, 2, 32); });
  EXPECT_TRUE(pipe.InitBuffer(que, 2, 64));
}

TEST_F(TPipeMisuse, AddressesOfTheCallersChoiceOutsideTheBuffer) {
  TPipe pipe;
  TQue<TPosition::VECIN, 1> que;
  const auto refused_at = [&](int address, int bytes) {
    const isa::Fault fault =
        fault_of([&] { pipe.InitBuffer(que, Std::make_tuple(address, bytes)); });
    EXPECT_EQ(fault.cls, isa::FaultClass::kQueue) << fault.message;
  };
  refused_at(196608 - 32, 64);
  refused_at(16, 32);
  refused_at(-32, 32);
  refused_at(0, -32);
  EXPECT_TRUE(pipe.InitBuffer(que, Std::make_tuple(196608 - 32, 32)));
}

}  // namespace
}  // namespace davsim::test
