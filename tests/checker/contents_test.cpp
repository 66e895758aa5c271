// Reads of bytes that nobody wrote.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedContents : public CheckerTest {
 protected:
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);

  static constexpr TileProduct kTile{64, 64, 64};
  half* source_ = reinterpret_cast<half*>(in_);

  /// Both operands in L0.
  void operands(const TileProduct& tile) const {
    tile.to_l1(source_, source_);
    order<HardEvent::MTE2_MTE1>();
    tile.to_l0();
    order<HardEvent::MTE1_M>();
  }
  static MmadParams on_top() {
    MmadParams params;
    params.m = params.n = params.k = 64;
    params.cmatrixInitVal = false;
    return params;
  }
  template <class T>
  T* unwritten(std::size_t count) {
    T* data = global<T>(count, "unwritten", [](std::size_t) { return 0; });
    device().memory().declare_unwritten(reinterpret_cast<std::byte*>(data));
    return data;
  }
};

TEST_F(CheckedContents, VectorReadsUnwritten) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    Duplicate(x, 1.0f, mended ? kCount : kCount - 8);
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, kCount);  // BUG VectorReadsUnwritten
  });
}

TEST_F(CheckedContents, AccumulatesOnUnwritten) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    if (mended) Duplicate(z, 0.0f, kCount);
    PipeBarrier<PIPE_V>();
    Axpy(z, x, 2.0f, kCount);  // BUG AccumulatesOnUnwritten
  });
}

TEST_F(CheckedContents, StoresUnwritten) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    Duplicate(z, 1.0f, mended ? 128 : 64);
    order<HardEvent::V_MTE3>();
    DataCopy(out(), z, 128);  // BUG StoresUnwritten
  });
}

TEST_F(CheckedContents, ScalarReadsUnwritten) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    if (mended) x.SetValue(5, 1.0f);
    (void)x.GetValue(5);  // BUG ScalarReadsUnwritten
  });
}

TEST_F(CheckedContents, KeptFromTheBlockBefore) {
  expect_on(isa::KernelType::kAivOnly, 41, Class::kUninitialised, [&](bool mended) {
    const bool first = GetBlockIdx() == 0;
    if (mended || first) Duplicate(x, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    // Block 40 follows block 0 or another one on its core.
    if (mended || first || GetBlockIdx() == 40) {
      Adds(z, x, 1.0f, kCount);  // BUG KeptFromTheBlockBefore
    }
  });
}

TEST_F(CheckedContents, L1ReadBeforeItIsLoaded) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    LocalTensor<half> l1(TPosition::A1, 0, 4096), l0(TPosition::A2, 0, 4096);
    if (mended) DataCopy(l1, gm(source_, 8192), 4096);
    order<HardEvent::MTE2_MTE1>();
    LoadData2DParams load;
    load.repeatTimes = 4, load.srcStride = 1;
    LoadData(l0, l1, load);  // BUG L1ReadBeforeItIsLoaded
  });
}

TEST_F(CheckedContents, ProductOfUnwrittenOperand) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    kTile.to_l1(source_, source_);
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

TEST_F(CheckedContents, AccumulatorNeverStarted) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    operands(kTile);
    MmadParams params = on_top();
    params.cmatrixInitVal = mended;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG AccumulatorNeverStarted
  });
}

TEST_F(CheckedContents, FixpipeTakesMoreThanWasComputed) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    constexpr TileProduct kNarrow{64, 32, 64};
    operands(kNarrow);
    kNarrow.product();
    order<HardEvent::M_FIX>();
    const std::uint16_t columns = mended ? 32 : 48;
    LocalTensor<float> c(TPosition::CO1, 0, 64 * 64);
    FixpipeParamsV220 params(columns, 64, 64, 64, false);
    Fixpipe(out(), c, params);  // BUG FixpipeTakesMoreThanWasComputed
  });
}

TEST_F(CheckedContents, WorkspaceReadBeforeItIsWritten) {
  auto* workspace = unwritten<float>(1024);
  expect_vector(Class::kUninitialised, [&](bool mended) {
    if (mended) {
      Duplicate(z, 1.0f, 64);
      order<HardEvent::V_MTE3>();
      DataCopy(gm(workspace, 1024), z, 64);
      order<HardEvent::MTE3_MTE2>();
    }
    DataCopy(x, gm(workspace, 1024), 64);  // BUG WorkspaceReadBeforeItIsWritten
  });
}

TEST_F(CheckedContents, AtomicAddOnUnwrittenOutput) {
  auto* sums = unwritten<float>(1024);
  expect_vector(Class::kUninitialised, [&](bool mended) {
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

TEST_F(CheckedContents, BiasTableNeverFilled) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    auto bias_l1 = kTile.at<float>(TPosition::C1, 400000 / 512 * 512, 64);
    auto bias = kTile.at<float>(TPosition::C2, 0, 64);
    DataCopy(bias_l1, in(), 64);
    order<HardEvent::MTE2_MTE1>();
    if (mended) DataCopy(bias, bias_l1, 64);
    operands(kTile);
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), bias, on_top());  // BUG BiasTableNeverFilled
  });
}

TEST_F(CheckedContents, ScalesOfHalfTheColumns) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    auto words = kTile.at<std::uint64_t>(TPosition::C1, 400000 / 512 * 512, 64);
    auto scales = kTile.at<std::uint64_t>(TPosition::C2PIPE2GM, 0, 64);
    DataCopy(words, gm(reinterpret_cast<std::uint64_t*>(in_), 2048), 64);
    operands(kTile);
    kTile.product();
    order<HardEvent::M_FIX>();
    DataCopy(scales, words, mended ? 64 : 32);
    PipeBarrier<PIPE_FIX>();
    SetFixPipeConfig(scales);
    SetFixpipeNz2ndFlag(1, 0, 0);
    DataCopyCO12DstParams copy(64, 64, 64, 64, VQF322B8_PRE, 0, false, true);
    auto bytes = gm(reinterpret_cast<std::int8_t*>(out_), 16384);
    DataCopy(bytes, kTile.c_l0(0), copy);  // BUG ScalesOfHalfTheColumns
  });
}

TEST_F(CheckedContents, WordsOfSyncAllNotZeroed) {
  auto* words = unwritten<std::int32_t>(16);
  expect_on(isa::KernelType::kAivOnly, 2, Class::kUninitialised, [&](bool mended) {
    GlobalTensor<std::int32_t> board = gm(words, 16);
    LocalTensor<std::int32_t> mine = ub<std::int32_t>(0, 16);
    if (mended) InitDetermineComputeWorkspace(board, mine);
    SyncAll(board, mine);  // BUG WordsOfSyncAllNotZeroed
  });
}

TEST_F(CheckedContents, AtomicStoreSaysWhyItReads) {
  auto* sums = unwritten<float>(64);
  run(isa::KernelType::kAivOnly, 1, [&] {
    Duplicate(z, 1.0f, 64);
    order<HardEvent::V_MTE3>();
    SetAtomicAdd<float>();
    DataCopy(gm(sums, 64), z, 64);
  });
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings().front().message,
            "SetAtomic is on for this store: it adds to 256 bytes that nobody wrote");
  EXPECT_EQ(findings().front().second.access, "writes");
}

}  // namespace
}  // namespace davsim::test
