// Bytes that nobody wrote, bytes outside a tensor, tensors on top of each other, stale copies.
#include "checker_fixture.hpp"
#include "sim/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedMemory : public CheckerTest {
 protected:
  template <HardEvent event>
  static void order(bool really = true) {
    if (!really) return;
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
  }
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);
};

// --- bytes that nobody wrote ---------------------------------------------------------------------

TEST_F(CheckedMemory, VectorReadsUnwritten) {
  expect_vector(Class::kUninitialised, "VectorReadsUnwritten", [&](bool mended) {
    Duplicate(x, 1.0f, mended ? kCount : kCount - 8);
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, kCount);  // BUG VectorReadsUnwritten
  });
}

TEST_F(CheckedMemory, AccumulatesOnUnwritten) {
  expect_vector(Class::kUninitialised, "AccumulatesOnUnwritten", [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    if (mended) Duplicate(z, 0.0f, kCount);
    PipeBarrier<PIPE_V>();
    Axpy(z, x, 2.0f, kCount);  // BUG AccumulatesOnUnwritten
  });
}

TEST_F(CheckedMemory, StoresUnwritten) {
  expect_vector(Class::kUninitialised, "StoresUnwritten", [&](bool mended) {
    Duplicate(z, 1.0f, mended ? 128 : 64);
    order<HardEvent::V_MTE3>();
    DataCopy(out(), z, 128);  // BUG StoresUnwritten
  });
}

TEST_F(CheckedMemory, ScalarReadsUnwritten) {
  expect_vector(Class::kUninitialised, "ScalarReadsUnwritten", [&](bool mended) {
    if (mended) x.SetValue(5, 1.0f);
    (void)x.GetValue(5);  // BUG ScalarReadsUnwritten
  });
}

TEST_F(CheckedMemory, KeptFromTheBlockBefore) {
  expect_on(isa::KernelType::kAivOnly, 41, Class::kUninitialised, "KeptFromTheBlockBefore",
            [&](bool mended) {
              const bool first = GetBlockIdx() == 0;
              if (mended || first) Duplicate(x, 1.0f, kCount);
              PipeBarrier<PIPE_V>();
              // Block 40 follows block 0 or another one on its core.
              if (mended || first || GetBlockIdx() == 40) {
                Adds(z, x, 1.0f, kCount);  // BUG KeptFromTheBlockBefore
              }
            });
}

TEST_F(CheckedMemory, L1ReadBeforeItIsLoaded) {
  expect_cube(Class::kUninitialised, "L1ReadBeforeItIsLoaded", [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096), l0(TPosition::A2, 0, 4096);
    auto* source = reinterpret_cast<half*>(in_);
    if (mended) DataCopy(l1, gm(source, 8192), 4096);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = 4, load.srcStride = 1;
    LoadData(l0, l1, load);  // BUG L1ReadBeforeItIsLoaded
  });
}

TEST_F(CheckedMemory, ProductOfUnwrittenOperand) {
  expect_cube(Class::kUninitialised, "ProductOfUnwrittenOperand", [&](bool mended) {
    constexpr TileProduct kTile{64, 64, 64};
    auto* source = reinterpret_cast<half*>(in_);
    kTile.to_l1(source, source);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = 16, load.srcStride = 1;
    LoadData(kTile.a_l0(), kTile.a_l1(), load);
    load.repeatTimes = mended ? 16 : 15;
    LoadData(kTile.b_l0(), kTile.b_l1(), load);
    order<HardEvent::MTE1_M>();
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG ProductOfUnwrittenOperand
  });
}

TEST_F(CheckedMemory, AccumulatorNeverStarted) {
  expect_cube(Class::kUninitialised, "AccumulatorNeverStarted", [&](bool mended) {
    constexpr TileProduct kTile{64, 64, 64};
    auto* source = reinterpret_cast<half*>(in_);
    kTile.to_l1(source, source);
    order<HardEvent::MTE2_MTE1>();
    kTile.to_l0();
    order<HardEvent::MTE1_M>();
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64, params.cmatrixInitVal = mended;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG AccumulatorNeverStarted
  });
}

TEST_F(CheckedMemory, FixpipeTakesMoreThanWasComputed) {
  expect_cube(Class::kUninitialised, "FixpipeTakesMoreThanWasComputed", [&](bool mended) {
    constexpr TileProduct kTile{64, 32, 64};
    auto* source = reinterpret_cast<half*>(in_);
    kTile.to_l1(source, source);
    order<HardEvent::MTE2_MTE1>();
    kTile.to_l0();
    order<HardEvent::MTE1_M>();
    kTile.product();
    order<HardEvent::M_FIX>();
    const std::uint16_t columns = mended ? 32 : 48;
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(columns, 64, 64, 64, false);
    Fixpipe(out(), c, params);  // BUG FixpipeTakesMoreThanWasComputed
  });
}

TEST_F(CheckedMemory, WorkspaceReadBeforeItIsWritten) {
  auto* workspace = global<float>(1024, "workspace", [](std::size_t) { return 0.0f; });
  device().memory().declare_unwritten(reinterpret_cast<std::byte*>(workspace));
  expect_vector(Class::kUninitialised, "WorkspaceReadBeforeItIsWritten", [&](bool mended) {
    if (mended) {
      Duplicate(z, 1.0f, 64);
      order<HardEvent::V_MTE3>();
      DataCopy(gm(workspace, 1024), z, 64);
      order<HardEvent::MTE3_MTE2>();
    }
    DataCopy(x, gm(workspace, 1024), 64);  // BUG WorkspaceReadBeforeItIsWritten
  });
}

TEST_F(CheckedMemory, AtomicAddOnUnwrittenOutput) {
  auto* sums = global<float>(1024, "sums", [](std::size_t) { return 0.0f; });
  device().memory().declare_unwritten(reinterpret_cast<std::byte*>(sums));
  expect_vector(Class::kUninitialised, "AtomicAddOnUnwrittenOutput", [&](bool mended) {
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    if (mended) {
      DataCopy(gm(sums, 1024), z, 64);
      PipeBarrier<PIPE_MTE3>();
    }
    SetAtomicAdd<float>();
    DataCopy(gm(sums, 1024), z, 64);  // BUG AtomicAddOnUnwrittenOutput
    SetAtomicNone();
  });
}

// --- outside a tensor ----------------------------------------------------------------------------

TEST_F(CheckedMemory, WritesBehindItsBuffer) {
  expect_vector(Class::kOverrun, "WritesBehindItsBuffer", [&](bool mended) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> first, second;
    pipe.InitBuffer(first, 512);
    pipe.InitBuffer(second, 512);
    Duplicate(first.Get<float>(), 1.0f, mended ? 128 : 136);  // BUG WritesBehindItsBuffer
  });
}

TEST_F(CheckedMemory, ReadsBehindItsBuffer) {
  expect_vector(Class::kOverrun, "ReadsBehindItsBuffer", [&](bool mended) {
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
  expect_vector(Class::kOverrun, "StrideLeavesTheBuffer", [&](bool mended) {
    LocalTensor<float> rows(TPosition::VECCALC, 0, 256);
    const std::uint8_t stride = mended ? 8 : 16;
    Duplicate(rows, 1.0f, 64, 4, 1, stride);  // BUG StrideLeavesTheBuffer
  });
}

TEST_F(CheckedMemory, LoadLongerThanTheBuffer) {
  expect_vector(Class::kOverrun, "LoadLongerThanTheBuffer", [&](bool mended) {
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
  expect_vector(Class::kOverrun, "ScalarBehindItsBuffer", [&](bool mended) {
    LocalTensor<float> values(TPosition::VECCALC, 0, 64);
    values.SetValue(mended ? 63 : 64, 1.0f);  // BUG ScalarBehindItsBuffer
  });
}

TEST_F(CheckedMemory, GlobalTensorTooShort) {
  expect_vector(Class::kOverrun, "GlobalTensorTooShort", [&](bool mended) {
    // The neighbour's part is mapped memory all the same.
    GlobalTensor<float> part = gm(in_, 100);
    DataCopy(x, part[40], mended ? 56 : 64);  // BUG GlobalTensorTooShort
  });
}

TEST_F(CheckedMemory, GlobalStoreBehindTheTensor) {
  expect_vector(Class::kOverrun, "GlobalStoreBehindTheTensor", [&](bool mended) {
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    GlobalTensor<float> part = gm(out_, 128);
    DataCopy(part[mended ? 64 : 128], z, 64);  // BUG GlobalStoreBehindTheTensor
  });
}

TEST_F(CheckedMemory, RowsRunIntoTheNextAllocation) {
  auto* first = global<float>(256, "first", [](std::size_t) { return 0.0f; });
  global<float>(4096, "second", [](std::size_t) { return 0.0f; });
  expect_vector(Class::kOverrun, "RowsRunIntoTheNextAllocation", [&](bool mended) {
    GlobalTensor<float> rows;
    rows.SetGlobalBuffer(first);
    const std::uint16_t gap = mended ? 8 : 200;
    DataCopy(x, rows, DataCopyParams{4, 2, gap, 0});  // BUG RowsRunIntoTheNextAllocation
  });
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
  expect_cube(Class::kOverrun, "L0BehindItsTensor", [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096), l0(TPosition::A2, 0, 1024);
    DataCopy(l1, gm(reinterpret_cast<half*>(in_), 8192), 4096);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = mended ? 4 : 5, load.srcStride = 1;
    LoadData(l0, l1, load);  // BUG L0BehindItsTensor
  });
}

TEST_F(CheckedMemory, OutsideTheBufferIsAFinding) {
  expect_vector(Class::kOverrun, "OutsideTheBufferIsAFinding", [&](bool mended) {
    const std::uint32_t at = 192 * 1024 - 256;
    Duplicate(ub<float>(at, 64), 1.0f, mended ? 64 : 128);  // BUG OutsideTheBufferIsAFinding
  });
}

// --- tensors on top of each other ----------------------------------------------------------------

TEST_F(CheckedMemory, StaticTensorsOverlap) {
  expect_vector(Class::kOverlap, "StaticTensorsOverlap", [&](bool mended) {
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
  expect_cube(Class::kOverlap, "TensorsOverlapInL1", [&](bool mended) {
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

// --- the scalar unit's data cache ----------------------------------------------------------------

TEST_F(CheckedMemory, StaleCopyOfGlobalMemory) {
  expect_vector(Class::kStale, "StaleCopyOfGlobalMemory", [&](bool mended) {
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
  expect_vector(Class::kStale, "StoreStillInTheCache", [&](bool mended) {
    out().SetValue(0, 3.0f);
    if (mended) DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE>(out());
    order<HardEvent::S_MTE2>();
    DataCopy(x, out(), 64);  // BUG StoreStillInTheCache
  });
}

TEST_F(CheckedMemory, StoreNotSeenByAnotherCore) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kStale, "StoreNotSeenByAnotherCore",
            [&](bool mended) {
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

}  // namespace
}  // namespace davsim::test
