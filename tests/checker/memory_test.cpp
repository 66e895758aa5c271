// Bytes outside a tensor, tensors on top of each other, stale copies.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedMemory : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);
};

// --- outside a tensor ----------------------------------------------------------------------------

TEST_F(CheckedMemory, WritesBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 512);
    pipe.InitBuffer(second, 512);
    Duplicate(first.Get<float>(), 1.0f, mended ? 128 : 136);  // BUG WritesBehindItsBuffer
  });
}

TEST_F(CheckedMemory, ReadsBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 512);
    pipe.InitBuffer(second, 1024);
    Duplicate(first.Get<float>(), 1.0f, 128);
    Duplicate(second.Get<float>(), 1.0f, 256);
    PipeBarrier<PIPE_V>();
    const std::uint32_t from = mended ? 64 : 72;
    Adds(second.Get<float>(), first.Get<float>()[from], 1.0f, 64);  // BUG ReadsBehindItsBuffer
  });
}

TEST_F(CheckedMemory, StrideLeavesTheBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    LocalTensor<float> rows(TPosition::VECCALC, 0, 256);
    const std::uint8_t stride = mended ? 8 : 16;
    Duplicate(rows, 1.0f, 64, 4, 1, stride);  // BUG StrideLeavesTheBuffer
  });
}

TEST_F(CheckedMemory, LoadLongerThanTheBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, 256);
    auto loaded = queue.AllocTensor<float>();
    DataCopy(loaded, in(), mended ? 64 : 128);  // BUG LoadLongerThanTheBuffer
    queue.EnQue(loaded);
    loaded = queue.DeQue<float>();
    queue.FreeTensor(loaded);
  });
}

TEST_F(CheckedMemory, ScalarBehindItsBuffer) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    LocalTensor<float> values(TPosition::VECCALC, 0, 64);
    values.SetValue(mended ? 63 : 64, 1.0f);  // BUG ScalarBehindItsBuffer
  });
}

TEST_F(CheckedMemory, FaultsNameTheTensorThatTheOperandCameFrom) {
  struct {
    std::int32_t offset;
    const char* text;
  } cases[] = {
      {-64, "dst starts 256 bytes before the start of the VECCALC TBuf of memory_test.cpp:"},
      {1 << 20, "dst starts 4193792 bytes behind the end of the VECCALC TBuf of memory_"}};
  for (const auto& [offset, text] : cases) {
    checker_.forget_findings();
    run(isa::KernelType::kAivOnly, 1, [&, offset = offset] {
      TPipe pipe;
      TBuf<TPosition::VECCALC> buffer;
      pipe.InitBuffer(buffer, 512);
      Duplicate(buffer.Get<float>()[static_cast<std::uint32_t>(offset)], 1.0f, 64);
    });
    ASSERT_EQ(findings().size(), 1u);
    EXPECT_NE(findings().front().message.find(text), std::string::npos)
        << findings().front().message;
  }
}

TEST_F(CheckedMemory, GlobalTensorTooShort) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    // The neighbour's part is mapped memory all the same.
    GlobalTensor<float> part = gm(in_, 100);
    DataCopy(x, part[40], mended ? 56 : 64);  // BUG GlobalTensorTooShort
  });
}

TEST_F(CheckedMemory, GlobalStoreBehindTheTensor) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    GlobalTensor<float> part = gm(out_, 128);
    DataCopy(part[mended ? 64 : 128], z, 64);  // BUG GlobalStoreBehindTheTensor
  });
}

TEST_F(CheckedMemory, RowsRunIntoTheNextAllocation) {
  auto* first = global<float>(256, "first", [](std::size_t) { return 0.0f; });
  global<float>(4096, "second", [](std::size_t) { return 0.0f; });
  expect_vector(Class::kOverrun, [&](bool mended) {
    GlobalTensor<float> rows;
    rows.SetGlobalBuffer(first);
    const std::uint16_t gap = mended ? 8 : 200;
    DataCopy(x, rows, DataCopyParams{4, 2, gap, 0});  // BUG RowsRunIntoTheNextAllocation
  });
}

TEST_F(CheckedMemory, OffsetsIntoAnotherAllocation) {
  auto* first = global<float>(256, "first", [](std::size_t) { return 0.0f; });
  auto* second = global<float>(4096, "second", [](std::size_t) { return 0.0f; });
  for (const auto& [own, other] : {std::pair(first, second), std::pair(second, first)}) {
    expect_vector(Class::kOverrun, [&, own = own, other = other](bool mended) {
      GlobalTensor<float> rows;
      rows.SetGlobalBuffer(own);
      const auto far = static_cast<std::uint64_t>(other - own);
      DataCopy(x, rows[mended ? 64 : far + 64], 64);  // BUG OffsetsIntoAnotherAllocation
    });
  }
}

TEST_F(CheckedMemory, FarOffsetsOfAGlobalTensorNameIt) {
  auto* values = global<float>(256, "values", [](std::size_t) { return 0.0f; });
  const std::string bounded = "GlobalTensor of memory_test.cpp:",
                    open = "allocation 'values', in which the " + bounded;
  const auto back = ~std::uint64_t{0} - (std::uint64_t{1} << 32) + 1;
  const struct {
    std::uint64_t length, offset;
    bool scalar;
    std::string text;
  } cases[] = {
      {0, std::uint64_t{1} << 32, false, "src0 starts 17179868160 bytes behind the end of " + open},
      {0, back, false, "src0 starts 17179869184 bytes before the start of " + open},
      {128, std::uint64_t{1} << 32, false,
       "src0 starts 17179868672 bytes behind the end of the " + bounded},
      {128, back, true, "the element starts 17179869184 bytes before the start of the " + bounded},
      {0, std::uint64_t{1} << 32, true,
       "the element starts 17179868160 bytes behind the end of " + open}};
  for (const auto& [length, offset, scalar, text] : cases) {
    for (const bool reinterpreted : {false, true}) {
      checker_.forget_findings();
      run(isa::KernelType::kAivOnly, 1, [&, length = length, offset = offset, scalar = scalar] {
        GlobalTensor<float> tensor;
        tensor.SetGlobalBuffer(values, length);
        if (reinterpreted) tensor = tensor.ReinterpretCast<std::int32_t>().ReinterpretCast<float>();
        if (scalar) {
          tensor.GetValue(offset);
        } else {
          DataCopy(ub<float>(0, 64), tensor[offset], 64);
        }
      });
      const std::string all = checker::text_of(checker_.findings());
      EXPECT_NE(all.find(text), std::string::npos) << text << " is not in\n" << all;
    }
  }
}

TEST_F(CheckedMemory, OverrunsOfAGlobalTensorNameItAndTheDistance) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    GlobalTensor<float> middle = gm(in_ + 512, 128);
    const auto back = ~std::uint64_t{0} - 7;
    DataCopy(ub<float>(0, 8), middle[back], 8);
    DataCopy(ub<float>(512, 8), middle[160], 8);
  });
  const std::string all = checker::text_of(checker_.findings());
  for (const char* text : {"reads 32 bytes before the start of the GlobalTensor of ",
                           "reads 160 bytes beyond the end of the GlobalTensor of "}) {
    EXPECT_NE(all.find(text), std::string::npos) << text << " is not in\n" << all;
  }
}

TEST_F(CheckedMemory, PointersOfIntrinsicsHaveNoEnd) {
  run(isa::KernelType::kAivOnly, 1, [] {
    auto* x = reinterpret_cast<float*>(std::uintptr_t{1024});
    set_vector_mask(~std::uint64_t{0}, ~std::uint64_t{0});
    vector_dup(x, 1.0f, 4, 1, 1, 8, 0);
    pipe_barrier(PIPE_V);
    vadd(x, x, x, 4, 1, 1, 1, 8, 8, 8);
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedMemory, L0BehindItsTensor) {
  expect_cube(Class::kOverrun, [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096), l0(TPosition::A2, 0, 1024);
    DataCopy(l1, gm(reinterpret_cast<half*>(in_), 8192), 4096);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = mended ? 4 : 5, load.srcStride = 1;
    LoadData(l0, l1, load);  // BUG L0BehindItsTensor
  });
}

TEST_F(CheckedMemory, OutsideTheBufferIsAFinding) {
  expect_vector(Class::kOverrun, [&](bool mended) {
    const std::uint32_t at = 192 * 1024 - 256;
    Duplicate(ub<float>(at, 64), 1.0f, mended ? 64 : 128);  // BUG OutsideTheBufferIsAFinding
  });
}

// --- tensors on top of each other ----------------------------------------------------------------

TEST_F(CheckedMemory, StaticTensorsOverlap) {
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

TEST_F(CheckedMemory, TensorsOverlapInL1) {
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

TEST_F(CheckedMemory, RowsOfAResultOnEachOther) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(64, 64, 64, mended ? 64 : 63, false);
    Fixpipe(out(), c, params);  // BUG RowsOfAResultOnEachOther
  });
}

TEST_F(CheckedMemory, MatricesOfAResultOnEachOther) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    // Columns 0 to 31 and 32 to 63 side by side, the second from fractal 8 on.
    FixpipeParamsV220 params(32, 64, 64, 64, false);
    params.ndNum = 2, params.srcNdStride = 8, params.dstNdStride = mended ? 32 : 31;
    Fixpipe(out(), c, params);  // BUG MatricesOfAResultOnEachOther
  });
}

TEST_F(CheckedMemory, MatricesOfAResultAtOnePlace) {
  expect_cube(Class::kOverlap, [&](bool mended) {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(32, 64, 64, 64, false);
    params.ndNum = 2, params.srcNdStride = 8, params.dstNdStride = mended ? 32 : 0;
    Fixpipe(out(), c, params);  // BUG MatricesOfAResultAtOnePlace
  });
}

TEST_F(CheckedMemory, ColumnsOfFractalsOnEachOther) {
  auto source = gm(reinterpret_cast<half*>(in_), 8192);
  expect_cube(Class::kOverlap, [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096);
    const std::uint16_t rows = mended ? 64 : 48;
    DataCopy(l1, source, {1, 64, 64, 0, 64, rows, 1, 0});  // BUG ColumnsOfFractalsOnEachOther
  });
}

/// Rows that are added up lose nothing.
TEST_F(CheckedMemory, RowsThatAddUp) {
  run(isa::KernelType::kAicOnly, 1, [&] {
    multiply(reinterpret_cast<half*>(in_));
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    SetAtomicAdd<float>();
    Fixpipe(out(), c, FixpipeParamsV220(64, 64, 64, 16, false));
    SetAtomicNone();
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedMemory, SelectsOwnBytes) {
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

TEST_F(CheckedMemory, KeptWhereSelectWorks) {
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

TEST_F(CheckedMemory, SourceMovedByABlock) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    Adds(mended ? z : x[8], x, 1.0f, 64);  // BUG SourceMovedByABlock
  });
}

TEST_F(CheckedMemory, RepeatReadsResultOfTheOneBefore) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    const LocalTensor<float> result = mended ? x : x[64];
    Muls(result, x, 2.0f, 64, 3, {1, 1, 8, 8});  // BUG RepeatReadsResultOfTheOneBefore
  });
}

TEST_F(CheckedMemory, WidenedInPlace) {
  expect_vector(Class::kOverlap, [&](bool mended) {
    auto halves = ub<half>(mended ? 4096 : 0, kCount);
    Duplicate(halves, half(1.0f), kCount);
    PipeBarrier<PIPE_V>();
    Cast(x, halves, RoundMode::CAST_NONE, kCount);  // BUG WidenedInPlace
  });
}

TEST_F(CheckedMemory, OverlapsThatAreRight) {
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

TEST_F(CheckedMemory, TransposeIntoASmallBuffer) {
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

TEST_F(CheckedMemory, TransDataListsBehindTheBuffer) {
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

// --- the scalar unit's data cache ----------------------------------------------------------------

TEST_F(CheckedMemory, StaleCopyOfGlobalMemory) {
  expect_vector(Class::kStale, [&](bool mended) {
    (void)out().GetValue(0);
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    order<HardEvent::S_MTE3>();
    DataCopy(out(), z, 64);
    order<HardEvent::MTE3_S>();
    if (mended) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
    (void)out().GetValue(1);  // BUG StaleCopyOfGlobalMemory
  });
}

TEST_F(CheckedMemory, StoreStillInTheCache) {
  expect_vector(Class::kStale, [&](bool mended) {
    out().SetValue(0, 3.0f);
    if (mended) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
    order<HardEvent::S_MTE2>();
    DataCopy(x, out(), 64);  // BUG StoreStillInTheCache
  });
}

TEST_F(CheckedMemory, StoreNotSeenByAnotherCore) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    if (GetBlockIdx() == 0) {
      out().SetValue(0, 3.0f);
      if (mended) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
      }
    }
    SyncAll();
    if (GetBlockIdx() == 1) DataCopy(x, out(), 64);  // BUG StoreNotSeenByAnotherCore
    SyncAll();
  });
}

/// The block that stores ends before the other one looks. Nothing orders its end before the look.
TEST_F(CheckedMemory, StoreWrittenBackByTheEndOfItsBlock) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    if (GetBlockIdx() == 0) {
      out().SetValue(0, 3.0f);
      if (mended) {
        DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
      }
      SyncAll();
      return;
    }
    SyncAll();
    for (int i = 0; i < 64; ++i) {
      Duplicate(z, 1.0f, kCount);
      PipeBarrier<PIPE_ALL>();
    }
    DataCopy(x, out(), 64);  // BUG StoreWrittenBackByTheEndOfItsBlock
  });
}

TEST_F(CheckedMemory, CoresStoreIntoOneLine) {
  auto* counts = global<std::int32_t>(32, "counts", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    GlobalTensor<std::int32_t> mine = gm(counts, 32)[(mended ? 16u : 1u) * GetBlockIdx()];
    mine.SetValue(0, 1);  // BUG CoresStoreIntoOneLine
    DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(mine);
  });
}

TEST_F(CheckedMemory, OneLineInTurnsWithAnOldCopy) {
  auto* counts = global<std::int32_t>(16, "counts", [](std::size_t) { return 0; });
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, [&](bool mended) {
    GlobalTensor<std::int32_t> mine = gm(counts, 16)[GetBlockIdx()];
    const auto clean = [&] {
      DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE>(mine);
    };
    if (GetBlockIdx() == 1) {
      (void)mine.GetValue(0);
    } else {
      mine.SetValue(0, 1);
      clean();
    }
    SyncAll();
    if (GetBlockIdx() == 0) return;
    if (mended) clean();
    mine.SetValue(0, 1);  // BUG OneLineInTurnsWithAnOldCopy
  });
}

}  // namespace
}  // namespace davsim::test
