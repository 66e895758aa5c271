// Tensors that a kernel cuts out of one buffer by offset, too large or at the wrong place.
#include "tests/checker/flow.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CutBuffer : public CheckerTest {};

TEST_F(CutBuffer, TwoPartsOfABufferOverlap) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    TPipe pipe;
    TBuf<> buffer, result;
    pipe.InitBuffer(buffer, 4096);
    pipe.InitBuffer(result, 4096);
    LocalTensor<float> all = buffer.Get<float>();
    LocalTensor<float> a = all, b = all[mended ? kTile : kTile / 2];
    LocalTensor<float> z = result.Get<float>();
    LocalTensor<float> one = z[kTile];
    Duplicate(one, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    Adds(a, one, 1.0f, kTile);
    PipeBarrier<PIPE_V>();
    Adds(b, one, 2.0f, kTile);
    PipeBarrier<PIPE_V>();
    Add(z, a, b, kTile);  // BUG TwoPartsOfABufferOverlap
  });
}

TEST_F(CutBuffer, APartIsOverrunIntoTheNext) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 8192);
    LocalTensor<float> scales = buffer.GetWithOffset<float>(64, 0);
    LocalTensor<float> rows = buffer.GetWithOffset<float>(kTile, 256);
    LocalTensor<float> z = buffer.GetWithOffset<float>(kTile, 4096);
    DataCopy(rows, in(), kTile);
    DataCopy(scales, in()[1024], mended ? 64 : 128);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Muls(z, rows, 2.0f, kTile);  // BUG APartIsOverrunIntoTheNext
  });
}

TEST_F(CutBuffer, PingPongByTheWrongOffset) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::A1> l1;
    pipe.InitBuffer(l1, 65536);
    LocalTensor<half> ping = l1.Get<half>(), pong = ping[mended ? 4096 : 2048];
    const auto gm_half = gm(reinterpret_cast<half*>(in_), 8192);
    DataCopy(ping, gm_half, 4096);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(pong, gm_half[4096], 4096);
    SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
    TBuf<TPosition::A2> l0;
    pipe.InitBuffer(l0, 32768);
    LoadData2DParams load;
    load.repeatTimes = 16;
    load.srcStride = 1;
    LoadData(l0.Get<half>(), ping, load);  // BUG PingPongByTheWrongOffset
  });
}

/// What is right about parts of one buffer: refined in place, used anew, windows over a padded row.
TEST_F(CutBuffer, PartsOfABufferThatAreRight) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    TPipe pipe;
    TBuf<> buffer;
    pipe.InitBuffer(buffer, 16384);
    LocalTensor<float> all = buffer.Get<float>(), y = all[2048];
    const auto next = [] { PipeBarrier<PIPE_V>(); };
    Duplicate(all, 0.0f, kTile);
    next();
    Adds(y, all, 1.0f, kTile);
    next();
    Adds(all[8], y, 1.0f, kTile);  // behind zeros
    next();
    Adds(y, all, 1.0f, kTile);
    next();
    for (std::uint32_t row = 0; row < 4; ++row) {
      Adds(all[row * 64], y, 1.0f, 128);  // the tail belongs to the next row
      next();
    }
    Adds(y, all, 1.0f, 128);
    next();
    Adds(all[32], all[32], 1.0f, kTile);
    next();
    Adds(y, all, 1.0f, 128);
    next();
    Muls(all[64], y, 1.0f, kTile);
    next();
    Muls(all[32], y, 1.0f, 64);
    next();
    Adds(y, all, 1.0f, 320);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CutBuffer, OffsetOutsideEveryTensor) {
  auto* rows = global<float>(64, "rows", [](std::size_t) { return 1.0f; });
  global<float>(64, "others", [](std::size_t) { return 1.0f; });
  run(isa::KernelType::kAivOnly, 1, [&] {
    GlobalTensor<float> from;
    from.SetGlobalBuffer(rows);
    DataCopy(ub<float>(0, kTile), from[80], 32);
  });
  ASSERT_EQ(findings().size(), 1u) << checker::text_of(checker_.findings());
  EXPECT_EQ(checker::class_name(findings()[0].cls), "overrun");
  for (const char* said : {"'rows' (256 bytes), which ends 64 bytes earlier",
                           "the one behind it is 'others' (256 bytes), which starts"}) {
    EXPECT_NE(findings()[0].message.find(said), std::string::npos) << findings()[0].message;
  }
}

}  // namespace
}  // namespace davsim::test
