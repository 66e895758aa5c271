// Tensors on top of each other, and results on each other.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedOverlap : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);
};

TEST_F(CheckedOverlap, StaticTensorsOverlap) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    LocalTensor<float> first(TPosition::VECCALC, 0, 128);
    LocalTensor<float> second(TPosition::VECCALC, mended ? 512 : 256, 128);
    Duplicate(first, 1.0f, 128);
    PipeBarrier<PIPE_V>();
    Duplicate(second, 2.0f, 128);
    PipeBarrier<PIPE_V>();
    Adds(z, first, 1.0f, 128);  // BUG StaticTensorsOverlap
  });
}

TEST_F(CheckedOverlap, TensorsOverlapInL1) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    auto* source = reinterpret_cast<half*>(in_);
    LocalTensor<half> a(TPosition::A1, 0, 1024), l0(TPosition::A2, 0, 1024);
    LocalTensor<half> b(TPosition::B1, mended ? 2048 : 1024, 1024);
    DataCopy(a, gm(source, 8192), 1024);
    PipeBarrier<PIPE_MTE2>();
    DataCopy(b, gm(source, 8192), 1024);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = 4, load.srcStride = 1;
    LoadData(l0, a, load);  // BUG TensorsOverlapInL1
  });
}

/// A tile of 64 x 64 in L0C.
void multiply(const half* source) {
  constexpr TileProduct kTile{64, 64, 64};
  kTile.to_l1(source, source);
  SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
  kTile.to_l0();
  SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
  WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
  kTile.product();
  SetFlag<HardEvent::M_FIX>(EVENT_ID0);
  WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
}

TEST_F(CheckedOverlap, RowsOfAResultOnEachOther) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(64, 64, 64, mended ? 64 : 63, false);
    Fixpipe(out(), c, params);  // BUG RowsOfAResultOnEachOther
  });
}

TEST_F(CheckedOverlap, MatricesOfAResultOnEachOther) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    // Columns 0 to 31 and 32 to 63 side by side, the second from fractal 8 on.
    FixpipeParamsV220 params(32, 64, 64, 64, false);
    params.ndNum = 2, params.srcNdStride = 8, params.dstNdStride = mended ? 32 : 31;
    Fixpipe(out(), c, params);  // BUG MatricesOfAResultOnEachOther
  });
}

TEST_F(CheckedOverlap, MatricesOfAResultAtOnePlace) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(32, 64, 64, 64, false);
    params.ndNum = 2, params.srcNdStride = 8, params.dstNdStride = mended ? 32 : 0;
    Fixpipe(out(), c, params);  // BUG MatricesOfAResultAtOnePlace
  });
}

TEST_F(CheckedOverlap, ColumnsOfFractalsOnEachOther) {
  auto source = gm(reinterpret_cast<half*>(in_), 8192);
  expect_cube(Class::kOverlap, [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096);
    const std::uint16_t rows = mended ? 64 : 48;
    DataCopy(l1, source, {1, 64, 64, 0, 64, rows, 1, 0});  // BUG ColumnsOfFractalsOnEachOther
  });
}

/// Rows that are added up lose nothing.
TEST_F(CheckedOverlap, RowsThatAddUp) {
  run(isa::KernelType::kAicOnly, 1, [&] {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    SetAtomicAdd<float>();
    Fixpipe(out(), c, FixpipeParamsV220(64, 64, 64, 16, false));
    SetAtomicNone();
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedOverlap, SelectsOwnBytes) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    // Mode 1 uses the last 8 KiB of UB.
    auto source = ub<float>(192 * 1024 - (mended ? 8448 : 4096), 64);
    auto bits = ub<std::uint8_t>(4096, 32);
    Duplicate(source, 1.0f, 64);
    Duplicate(bits.ReinterpretCast<std::uint16_t>(), std::uint16_t{0x5555}, 16);
    PipeBarrier<PIPE_V>();
    Select(z, bits, source, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);  // BUG SelectsOwnBytes
  });
}

TEST_F(CheckedOverlap, KeptWhereSelectWorks) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    // No operand of Select, and TBuf instead of a fixed place.
    TPipe pipe;
    TBuf<TPosition::VECCALC> all;
    pipe.InitBuffer(all, 192 * 1024);
    auto kept = all.Get<float>()[mended ? 4096 : 48 * 1024 - 64];
    auto a = all.Get<float>(), b = all.Get<float>()[64], result = all.Get<float>()[128];
    auto bits = all.Get<std::uint8_t>()[8192];
    Duplicate(kept, 3.0f, 64);
    Duplicate(a, 1.0f, 64);
    Duplicate(b, 2.0f, 64);
    Duplicate(bits.ReinterpretCast<std::uint16_t>(), std::uint16_t{0x5555}, 16);
    PipeBarrier<PIPE_V>();
    Select(result, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64);
    Adds(a, kept, 1.0f, 64);  // BUG KeptWhereSelectWorks
  });
}

TEST_F(CheckedOverlap, SourceMovedByABlock) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    Adds(mended ? z : x[8], x, 1.0f, 64);  // BUG SourceMovedByABlock
  });
}

TEST_F(CheckedOverlap, RepeatReadsResultOfTheOneBefore) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    const LocalTensor<float> result = mended ? x : x[64];
    Muls(result, x, 2.0f, 64, 3, {1, 1, 8, 8});  // BUG RepeatReadsResultOfTheOneBefore
  });
}

TEST_F(CheckedOverlap, WidenedInPlace) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    auto halves = ub<half>(mended ? 4096 : 0, kCount);
    Duplicate(halves, half(1.0f), kCount);
    PipeBarrier<PIPE_V>();
    Cast(x, halves, RoundMode::CAST_NONE, kCount);  // BUG WidenedInPlace
  });
}

TEST_F(CheckedOverlap, OverlapsThatAreRight) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(x, 1.0f, kCount);
    Duplicate(z, 0.0f, 64);
    PipeBarrier<PIPE_V>();
    Adds(x, x, 1.0f, kCount);  // in place
    PipeBarrier<PIPE_V>();
    Add(z, x, z, 64, 4, {1, 1, 1, 0, 8, 0});  // sums up in one place
    PipeBarrier<PIPE_V>();
    Adds(x, x[64], 1.0f, 64, 3, {1, 1, 8, 8});  // what a repeat writes was read by the one before
    PipeBarrier<PIPE_V>();
    Cast(x.ReinterpretCast<half>(), x, RoundMode::CAST_RINT, kCount);  // narrower in place
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedOverlap, TransposeIntoASmallBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> small, large;
    pipe.InitBuffer(small, mended ? 512 : 256);
    pipe.InitBuffer(large, 512);
    Duplicate(large.Get<half>(), half(1.0f), 256);
    PipeBarrier<PIPE_V>();
    Transpose(small.Get<half>(), large.Get<half>());  // BUG TransposeIntoASmallBuffer
  });
}

TEST_F(CheckedOverlap, TransDataListsBehindTheBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> small, large;
    pipe.InitBuffer(small, mended ? 512 : 480);
    pipe.InitBuffer(large, 512);
    auto from = large.Get<half>(), to = small.Get<half>();
    Duplicate(from, half(1.0f), 256);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> rows[16], columns[16];
    for (std::uint32_t i = 0; i < 16; ++i) rows[i] = from[i * 16], columns[i] = to[i * 16];
    TransDataTo5HD<half>(columns, rows, {});  // BUG TransDataListsBehindTheBuffer
  });
}

}  // namespace
}  // namespace davsim::test
