// Buffers of 0 bytes, as tilings leave them that do not need them.
#include <gtest/gtest.h>

#include "ascendc/tpipe.h"
#include "tests/isa/test_core.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class EmptyBuffers : public testing::Test {
 protected:
  TestCore core;
};

TEST_F(EmptyBuffers, OfAPipeTakeNoRoom) {
  TPipe pipe;
  TQue<TPosition::VECIN, 2> empty;
  TBuf<> nothing;
  TQue<TPosition::VECIN, 1> next;
  const std::uint32_t left = 0;  // of a tiling that does not need them
  EXPECT_TRUE(pipe.InitBuffer(empty, 2, left));
  EXPECT_TRUE(pipe.InitBuffer(nothing, left));
  EXPECT_TRUE(pipe.InitBuffer(next, 1, 192 * 1024)) << "they take no room";
  auto first = empty.AllocTensor<float>(), second = empty.AllocTensor<float>();
  EXPECT_EQ(first.GetSize(), 0u);
  EXPECT_NE(first.Address().bufferHandle, second.Address().bufferHandle) << "two all the same";
  empty.EnQue(first);
  first = empty.DeQue<float>();
  empty.FreeTensor(first);
  empty.FreeTensor(second);
  EXPECT_EQ(nothing.Get<half>().GetLength(), 0u);
  EXPECT_EQ(fault_of([&] { nothing.Get<half>(1); }).cls, isa::FaultClass::kQueue);
  EXPECT_TRUE(pipe.InitBuffer(nothing, 0u) && pipe.InitBuffer(next, Std::make_tuple(64, 0)));
}

TEST_F(EmptyBuffers, OfAPoolTakeNoRoom) {
  TPipe pipe;
  TBufPool<TPosition::VECCALC> pool;
  TBuf<TPosition::VECCALC> empty, full;
  pipe.InitBufPool(pool, 64);
  pool.InitBuffer(empty, 0);
  pool.InitBuffer(full, 64);
  EXPECT_EQ(empty.Get<half>().GetSize(), 0u);
  EXPECT_EQ(full.Get<half>().GetPhyAddr(), 0u);
}

}  // namespace
}  // namespace davsim::test
