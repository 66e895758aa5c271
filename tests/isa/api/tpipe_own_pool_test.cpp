// Pools of a kernel's own, by EXTERN_IMPL_BUFPOOL.
#include <gtest/gtest.h>

#include "ascendc/sync.h"
#include "ascendc/tpipe.h"
#include "tests/isa/api/sync_log.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// Leaves 32 bytes between its buffers.
class SpacedPool {
 public:
  SpacedPool() { Init(); }
  template <class T>
  void InitBuffer(T& que, std::uint8_t num, std::uint32_t len) {
    const TBufHandle first = GetBufHandle(GetCurBufSize());
    que.InitStartBufHandle(first, num, len);
    for (std::uint8_t i = 0; i < num; ++i) {
      que.InitBufHandle(this, i, GetBufHandle(static_cast<std::uint8_t>(GetCurBufSize() + i)),
                        GetCurAddr(), len);
      SetCurAddr(GetCurAddr() + len + 32);
    }
    SetCurBufSize(static_cast<std::uint8_t>(GetCurBufSize() + num));
  }
  /// `que` has the buffers that begin at `index`, which are another queue's too.
  template <class T>
  void Share(T& que, std::uint8_t index, std::uint8_t num, std::uint32_t len) {
    que.InitStartBufHandle(GetBufHandle(index), num, len);
  }
  EXTERN_IMPL_BUFPOOL(SpacedPool, TPosition::VECCALC, 4);
};

class TPipeOwnPool : public testing::Test {
 protected:
  TestCore core;
};

TEST_F(TPipeOwnPool, LaysItsBuffersOutAsItLikes) {
  TPipe pipe;
  TBuf<> before, buf;
  SpacedPool pool;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBuffer(before, 64);
  pipe.InitBufPool(pool, 512);
  EXPECT_EQ(pool.GetCurAddr(), 64u);
  pool.InitBuffer(que, 2, 128);
  pool.InitBuffer(buf, 1, 64);
  EXPECT_EQ(pool.GetCurBufSize(), 3);
  EXPECT_EQ(que.AllocTensor<half>().GetPhyAddr(), 64u);
  const LocalTensor<half> second = que.AllocTensor<half>();
  EXPECT_EQ(second.GetPhyAddr(), 64u + 160u);
  EXPECT_EQ(second.GetSize(), 64u);
  EXPECT_EQ(buf.Get<half>().GetPhyAddr(), 64u + 320u);
}

TEST_F(TPipeOwnPool, QueuesShareBuffersInTheirOrder) {
  TPipe pipe;
  SpacedPool pool;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  pipe.InitBufPool(pool, 256);
  pool.InitBuffer(in, 1, 128);
  pool.Share(out, 0, 1, 128);
  auto loaded = in.AllocTensor<half>();
  EXPECT_EQ(fault_of([&] { out.AllocTensor<half>(); }).cls, isa::FaultClass::kQueue);
  in.EnQue(loaded);
  loaded = in.DeQue<half>();
  in.FreeTensor(loaded);
  take_log(core);
  EXPECT_EQ(out.AllocTensor<half>().GetPhyAddr(), 0u);
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
}

TEST_F(TPipeOwnPool, ResetAwaitsItsEventsAndStartsAnew) {
  TPipe pipe;
  SpacedPool pool;
  TQue<TPosition::VECIN, 1> que;
  pipe.InitBufPool(pool, 256);
  pool.InitBuffer(que, 1, 64);
  auto tensor = que.AllocTensor<half>();
  que.FreeTensor(tensor);
  take_log(core);
  pool.Reset();
  EXPECT_EQ(take_log(core), Lines{"WAIT V_MTE2 0"});
  EXPECT_EQ(pool.GetCurAddr(), 0u);
  EXPECT_EQ(pool.GetCurBufSize(), 0);
}

TEST_F(TPipeOwnPool, RefusesWhatLiesOutside) {
  TPipe pipe;
  SpacedPool pool;
  TQue<TPosition::VECIN, 1> que;
  const auto message = [&](std::uint32_t address, std::uint32_t bytes) {
    pool.SetCurAddr(address);
    return fault_of([&] { pool.InitBuffer(que, 1, bytes); }).message;
  };
  EXPECT_NE(message(0, 32).find("InitBufPool was not called"), std::string::npos);
  pipe.InitBufPool(pool, 256);
  EXPECT_NE(message(128, 160).find("160 bytes at byte 128"), std::string::npos);
  EXPECT_NE(message(8, 32).find("32 bytes at byte 8"), std::string::npos);
  EXPECT_NE(fault_of([&] { pool.GetBufHandle(4); }).message.find("buffer 4 of 4"),
            std::string::npos);
}

}  // namespace
}  // namespace davsim::test
