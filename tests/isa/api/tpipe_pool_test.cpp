// TBufPool and LocalMemAllocator: memory that is divided by hand.
#include <gtest/gtest.h>

#include "ascendc/sync.h"
#include "ascendc/tpipe.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class TBufPoolTest : public testing::Test {
 protected:
  TestCore core;
};

TEST_F(TBufPoolTest, DividesItsStretchOfThePipesMemory) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> before, inside, behind;
  TBufPool<TPosition::VECCALC> pool;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(before, 64);
  pipe.InitBufPool(pool, 256);
  pipe.InitBuffer(behind, 32);
  pool.InitBuffer(que, 2, 64);
  pool.InitBuffer(inside, 32);
  EXPECT_EQ(que.AllocTensor<half>().GetPhyAddr(), 64u);
  EXPECT_EQ(que.AllocTensor<half>().GetPhyAddr(), 128u);
  EXPECT_EQ(inside.Get<half>().GetPhyAddr(), 192u);
  EXPECT_EQ(behind.Get<half>().GetPhyAddr(), 320u);
}

TEST_F(TBufPoolTest, ResetAwaitsItsEventsAndStartsAnew) {
  TPipe pipe;
  TBufPool<TPosition::VECIN, 2> pool;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBufPool(pool, 128);
  pool.InitBuffer(que, 2, 64);
  auto tensor = que.AllocTensor<half>();
  que.FreeTensor(tensor);
  take_log(core);
  pool.Reset();
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
  TBuf<TPosition::VECCALC> buf;
  pool.InitBuffer(buf, 128);
  EXPECT_EQ(buf.Get<half>().GetPhyAddr(), 0u);
}

TEST_F(TBufPoolTest, LeavesNoFlagSetAtItsEnd) {
  TPipe pipe;
  {
    TBufPool<TPosition::VECIN> pool;
    TQue<TPosition::VECIN, 1> que;
    pipe.InitBufPool(pool, 128);
    pool.InitBuffer(que, 1, 64);
    auto tensor = que.AllocTensor<half>();
    que.FreeTensor(tensor);
    take_log(core);
  }
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
}

TEST_F(TBufPoolTest, SharedAndNestedPools) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> outer, shared, nested;
  TBuf<TPosition::VECCALC> in_shared, in_nested;
  pipe.InitBufPool(outer, 256);
  pipe.InitBufPool(shared, 128, outer);
  shared.InitBuffer(in_shared, 32);
  EXPECT_EQ(in_shared.Get<half>().GetPhyAddr(), 0u);
  TBuf<TPosition::VECCALC> first;
  outer.InitBuffer(first, 64);
  outer.InitBufPool(nested, 64);
  nested.InitBuffer(in_nested, 64);
  EXPECT_EQ(in_nested.Get<half>().GetPhyAddr(), 64u);
  EXPECT_EQ(fault_of([&] { nested.InitBuffer(in_nested, 32); }).cls, isa::FaultClass::kQueue);
  EXPECT_EQ(fault_of([&] { pipe.InitBufPool(shared, 512, outer); }).cls, isa::FaultClass::kQueue);
}

TEST_F(TBufPoolTest, HasOnlySoManyBuffers) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC, 2> pool;
  TBuf<TPosition::VECCALC> buf;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBufPool(pool, 1024);
  pool.InitBuffer(buf, 32);
  const isa::Fault fault = fault_of([&] { pool.InitBuffer(que, 2, 32); });
  EXPECT_EQ(fault.message, "InitBuffer at VECCALC: 2 buffers, the pool has 1 of 2 left");
}

TEST(LocalMemAllocatorTest, PlacesTensorsOneBehindTheOther) {
  TestCore core;
  LocalMemAllocator allocator;
  const auto first = allocator.Alloc<float, 3>();
  EXPECT_EQ(first.GetPhyAddr(), 0u);
  EXPECT_EQ(first.GetSize(), 3u);
  EXPECT_EQ(first.Operand().space, isa::Space::kUb);
  EXPECT_EQ(allocator.GetCurAddr(), 32u);
  const auto second = allocator.Alloc<TPosition::VECOUT, half>(100);
  EXPECT_EQ(second.GetPhyAddr(), 32u);
  EXPECT_EQ(second.Position(), TPosition::VECOUT);
  EXPECT_EQ(allocator.GetCurAddr(), 256u);
  const isa::Fault fault = fault_of([&] { allocator.Alloc<std::int8_t>(196608 - 255); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kQueue);
  EXPECT_NE(fault.message.find("256 of the 196608 bytes of UB are used"), std::string::npos)
      << fault.message;
}

template <std::uint32_t v>
using Constant = std::integral_constant<std::uint32_t, v>;

TEST(LocalMemAllocatorTest, ATraitSaysPositionAndElements) {
  TestCore core;
  LocalMemAllocator allocator;
  allocator.Alloc<float, 3>();
  const auto shape =
      MakeShape(MakeShape(Constant<4>{}, Constant<2>{}), Constant<8>{}, Std::Int<2>{});
  // The stride is of no consequence to the size.
  const auto stride =
      MakeStride(MakeStride(Constant<0>{}, Constant<0>{}), Constant<0>{}, Constant<0>{});
  const auto trait = MakeTensorTrait<half, TPosition::VECIN>(MakeLayout(shape, stride));
  const auto tensor = allocator.Alloc<std::remove_const_t<decltype(trait)>>();
  EXPECT_EQ(tensor.GetPhyAddr(), 32u);
  EXPECT_EQ(tensor.Position(), TPosition::VECIN);
  EXPECT_EQ(tensor.GetSize(), 128u);
  EXPECT_EQ(tensor.Operand().type, isa::DType::kF16);
  EXPECT_EQ(allocator.GetCurAddr(), 32u + 256u);
}

TEST(LocalMemAllocatorTest, OnePerPhysicalBuffer) {
  TestCore core;
  EXPECT_EQ((LocalMemAllocator<Hardware::L1>().Alloc<half, 16>().Operand().space), isa::Space::kL1);
  EXPECT_EQ((LocalMemAllocator<Hardware::L0A>().Alloc<half, 16>().Operand().space),
            isa::Space::kL0A);
  EXPECT_EQ((LocalMemAllocator<Hardware::L0B>().Alloc<half, 16>().Operand().space),
            isa::Space::kL0B);
  EXPECT_EQ((LocalMemAllocator<Hardware::L0C>().Alloc<float, 16>().Operand().space),
            isa::Space::kL0C);
  EXPECT_EQ((LocalMemAllocator<Hardware::BIAS>().Alloc<float, 16>().Operand().space),
            isa::Space::kBt);
  EXPECT_EQ((LocalMemAllocator<Hardware::FIXBUF>().Alloc<std::uint64_t, 16>().Operand().space),
            isa::Space::kFb);
}

}  // namespace
}  // namespace davsim::test
