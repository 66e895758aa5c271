// Results that are computed from bytes that nobody wrote: a tile is computed as a whole, and only
// the part of it that was loaded is used.
#include "tests/checker/checker_fixture.hpp"
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedTails : public CheckerTest {
 protected:
  static constexpr std::uint32_t kTail = 104, kRow = 64;
  LocalTensor<float> x = ub<float>(0, kCount);
  LocalTensor<float> y = ub<float>(4096, kCount);
  LocalTensor<float> z = ub<float>(8192, kCount);

  /// The first `count` elements of x.
  void load(std::uint32_t count = kTail) const {
    DataCopy(x, in(), count);
    order<HardEvent::MTE2_V>();
  }
  template <class T>
  void store(const LocalTensor<T>& from, std::uint32_t count) const {
    order<HardEvent::V_MTE3>();
    DataCopy(gm(reinterpret_cast<T*>(out_), 4096), from, count);
  }
};

TEST_F(CheckedTails, StoredBeyondWhatWasLoaded) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    Adds(y, x, 1.0f, kCount);  // BUG StoredBeyondWhatWasLoaded
    PipeBarrier<PIPE_V>();
    Muls(y, y, 2.0f, kCount);
    PipeBarrier<PIPE_V>();
    Max(z, y, x, kCount);
    store(z, mended ? kTail : kTail + 8);
  });
}

TEST_F(CheckedTails, FindingNamesTheUser) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    load();
    Adds(z, x, 1.0f, kCount);
    store(z, kCount);
  });
  ASSERT_EQ(findings().size(), 1u);
  EXPECT_EQ(findings()[0].second.instruction, "VADDS");
  EXPECT_NE(findings()[0].message.find("reads 608 bytes that nobody wrote; MOV_UB_TO_OUT at "),
            std::string::npos)
      << findings()[0].message;
}

TEST_F(CheckedTails, NothingOfTheLineIsUsed) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    Adds(z, x, 1.0f, kCount);  // BUG NothingOfTheLineIsUsed
    if (mended) store(z, kTail);
  });
}

TEST_F(CheckedTails, OverwrittenBeforeItIsUsed) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    Adds(z, x, 1.0f, kCount);  // BUG OverwrittenBeforeItIsUsed
    PipeBarrier<PIPE_V>();
    if (mended) Duplicate(z[kTail], 0.0f, kCount - kTail);
    store(z, kCount);
  });
}

TEST_F(CheckedTails, LoadedByTheScalarUnit) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    Adds(z, x, 1.0f, kCount);  // BUG LoadedByTheScalarUnit
    order<HardEvent::V_S>();
    (void)z.GetValue(mended ? kTail - 1 : kTail);
  });
}

TEST_F(CheckedTails, SumOfAllRows) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load(3 * kRow);
    WholeReduceSum(z, x, kRow, 4, 1, 1, 8);  // BUG SumOfAllRows
    order<HardEvent::V_S>();
    (void)z.GetValue(mended ? 2 : 3);
  });
}

TEST_F(CheckedTails, SumOfHalfAnEmptyRow) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load(mended ? 4 * kRow : 4 * kRow - 8);
    WholeReduceSum(z, x, kRow, 4, 1, 1, 8);  // BUG SumOfHalfAnEmptyRow
    order<HardEvent::V_S>();
    (void)z.GetValue(3);
  });
}

TEST_F(CheckedTails, RegisterOfAMaximum) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    if (mended) Duplicate(x[kTail], 0.0f, kCount - kTail);
    PipeBarrier<PIPE_V>();
    WholeReduceMax(z, x, kRow, 4, 1, 1, 8);  // BUG RegisterOfAMaximum
    order<HardEvent::V_S>();
    (void)z.GetValue(0);
    float value = 0, index = 0;
    GetReduceMaxMinCount(value, index);
  });
}

TEST_F(CheckedTails, CastToANarrowerType) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    LocalTensor<half> halves = ub<half>(8192, kCount);
    Cast(halves, x, RoundMode::CAST_NONE, kCount);  // BUG CastToANarrowerType
    store(halves, mended ? 96 : 112);
  });
}

TEST_F(CheckedTails, OneScalarARow) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load(8);
    Adds(y, x, 1.0f, 16);  // BUG OneScalarARow
    PipeBarrier<PIPE_V>();
    Brcb(z, y, 2, {1, 8});
    store(z, mended ? 64 : 72);
  });
}

TEST_F(CheckedTails, BitsOfAComparison) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<std::uint8_t> bits = ub<std::uint8_t>(4096, 32);
    load();
    LocalTensor<float> ones = ub<float>(16384, kCount);
    Duplicate(ones, 1.0f, kCount);
    PipeBarrier<PIPE_V>();
    CompareScalar(bits, x, 2.0f, CMPMODE::GT, kCount);  // BUG BitsOfAComparison
    PipeBarrier<PIPE_V>();
    Select(z, bits, ones, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, kCount);
    store(z, mended ? kTail : kTail + 8);
  });
}

TEST_F(CheckedTails, BitsOfLanesThatAreSelected) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<std::uint8_t> bits = ub<std::uint8_t>(4096, 32);
    load();
    LocalTensor<float> ones = ub<float>(16384, kCount), twos = ub<float>(20480, kCount);
    Duplicate(ones, 1.0f, kCount);
    Duplicate(twos, 2.0f, kCount);
    PipeBarrier<PIPE_V>();
    // Whole repeats, as Compare takes them.
    CompareScalar(bits, x, 2.0f, CMPMODE::GT, kCount);  // BUG BitsOfLanesThatAreSelected
    PipeBarrier<PIPE_V>();
    const std::uint32_t count = mended ? kTail : kTail + 8;
    Select(z, bits, ones, twos, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    store(z, kTail);
  });
}

TEST_F(CheckedTails, CopiedWithinUb) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    Adds(y, x, 1.0f, kCount);  // BUG CopiedWithinUb
    PipeBarrier<PIPE_V>();
    DataCopy(z, y, DataCopyParams(2, 16, 0, 1));
    store(z, mended ? kTail : kCount);
  });
}

TEST_F(CheckedTails, LanesOfAMaskWithHoles) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    DataCopyParams apart(8, 1, 1, 1);  // every second DataBlock
    DataCopy(x, in(), apart);
    Duplicate(z, 0.0f, kCount);
    order<HardEvent::MTE2_V>();
    std::uint64_t mask[2] = {mended ? 0x00ff00ff00ff00ffu : 0x00ff00ff00ffffffu, 0};
    PipeBarrier<PIPE_V>();
    Adds(z, x, 1.0f, mask, 2, {1, 1, 8, 8});  // BUG LanesOfAMaskWithHoles
    store(z, 128);
  });
}

TEST_F(CheckedTails, GatheredByUnwrittenOffsets) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<std::uint32_t> offsets = ub<std::uint32_t>(4096, kCount);
    load(kCount);
    Duplicate(offsets, 0u, mended ? kCount : kTail);
    PipeBarrier<PIPE_V>();
    Gather(z, x, offsets, 0u, kCount);  // BUG GatheredByUnwrittenOffsets
    store(z, kTail);
  });
}

TEST_F(CheckedTails, GatheredElements) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<std::int32_t> offsets = ub<std::int32_t>(4096, kCount);
    load();
    CreateVecIndex(offsets, 0, kCount);
    PipeBarrier<PIPE_V>();
    Muls(offsets, offsets, -4, kCount);
    PipeBarrier<PIPE_V>();
    Adds(offsets, offsets, static_cast<std::int32_t>(kCount - 1) * 4, kCount);
    PipeBarrier<PIPE_V>();
    Gather(z, x, offsets.ReinterpretCast<std::uint32_t>(), 0u, kCount);  // BUG GatheredElements
    order<HardEvent::V_MTE3>();
    const std::uint32_t first = kCount - kTail - (mended ? 0 : 8);
    DataCopy(out(), z[first], kCount - first);
  });
}

TEST_F(CheckedTails, ElementsThatAPatternKeeps) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    load();
    std::uint64_t kept = 0;
    const std::uint8_t even = 1;
    GatherMask(z, x, even, false, 0, {1, 4, 8, 0}, kept);  // BUG ElementsThatAPatternKeeps
    order<HardEvent::V_S>();
    (void)z.GetValue(kTail / 2 - (mended ? 1 : 0));
  });
}

TEST_F(CheckedTails, ElementsThatBitsKeep) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<std::uint32_t> bits = ub<std::uint32_t>(4096, 8);
    load();
    Duplicate(bits, mended ? 0x0000ffffu : 0x8000ffffu, 8);
    order<HardEvent::MTE2_V>();
    PipeBarrier<PIPE_V>();
    std::uint64_t kept = 0;
    GatherMask(z, x[kTail - 16], bits, true, 32, {1, 1, 8, 0}, kept);  // BUG ElementsThatBitsKeep
    order<HardEvent::V_MTE3>();
    DataCopyPad(out(), z, {1, static_cast<std::uint16_t>(kept * sizeof(float)), 0, 0});
  });
}

TEST_F(CheckedTails, TransposedColumns) {
  expect_vector(Class::kUninitialised, [&](bool mended) {
    LocalTensor<half> rows = ub<half>(0, 256), columns = ub<half>(8192, 256);
    DataCopy(rows, gm(reinterpret_cast<half*>(in_), 4096), 160);
    order<HardEvent::MTE2_V>();
    Transpose(columns, rows);  // BUG TransposedColumns
    order<HardEvent::V_S>();
    (void)columns.GetValue(mended ? 16 + 9 : 16 + 10);
  });
}

/// A product of 64 x 64 x 64 whose operands are loaded in part.
class CheckedProductTails : public CheckerTest {
 protected:
  static constexpr TileProduct kTile{64, 64, 64};
  half* source_ = reinterpret_cast<half*>(in_);

  /// The first rows of A, and the first columns of B.
  void to_l1(std::uint16_t rows, std::uint16_t columns) const {
    DataCopy(kTile.a_l1(), gm(source_, 8192), Nd2NzParams(1, rows, 64, 0, 64, 64, 1, 0));
    DataCopy(kTile.b_l1(), gm(source_, 8192), Nd2NzParams(1, 64, columns, 0, 64, 64, 1, 0));
    order<HardEvent::MTE2_MTE1>();
  }
  void store(std::uint16_t rows, std::uint16_t columns) const {
    order<HardEvent::M_FIX>();
    FixpipeParamsV220 params(columns, rows, 64, 64, false);
    Fixpipe(out(), kTile.c_l0(0), params);
  }
};

TEST_F(CheckedProductTails, RowsOfA) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    to_l1(32, 64);
    for (std::uint16_t row = 0; row < 4; ++row) {
      LoadData2DParams load;
      load.startIndex = row, load.repeatTimes = 4, load.srcStride = 4;
      LoadData(kTile.a_l0()[row * 4 * 256], kTile.a_l1(), load);  // BUG RowsOfA
    }
    LoadData2DParams load;
    load.repeatTimes = 16, load.srcStride = 1;
    load.ifTranspose = true;
    LoadData(kTile.b_l0(), kTile.b_l1(), load);
    order<HardEvent::MTE1_M>();
    kTile.product();
    store(mended ? 32 : 33, 64);
  });
}

TEST_F(CheckedProductTails, ColumnsOfB) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    to_l1(64, 48);
    LoadData3DParamsV2<half> a, b;
    a.l1H = b.l1H = 1, a.l1W = b.l1W = 64, a.channelSize = b.channelSize = 64;
    a.kExtension = a.mExtension = b.kExtension = b.mExtension = 64;
    LoadData(kTile.a_l0(), kTile.a_l1(), a);
    LoadData(kTile.b_l0(), kTile.b_l1(), b);  // BUG ColumnsOfB
    order<HardEvent::MTE1_M>();
    kTile.product();
    PipeBarrier<PIPE_M>();
    MmadParams again;
    again.m = again.n = again.k = 64, again.cmatrixInitVal = false;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), again);
    store(64, mended ? 48 : 64);
  });
}

TEST_F(CheckedProductTails, TermsOfTheSums) {
  expect_cube(Class::kUninitialised, [&](bool mended) {
    to_l1(64, 64);
    LoadData3DParamsV2<half> a, b;
    a.l1H = b.l1H = 1, a.l1W = b.l1W = 64, a.channelSize = b.channelSize = 64;
    a.mExtension = b.kExtension = b.mExtension = 64, a.kExtension = mended ? 64 : 48;
    LoadData(kTile.a_l0(), kTile.a_l1(), a);
    LoadData(kTile.b_l0(), kTile.b_l1(), b);
    order<HardEvent::MTE1_M>();
    MmadParams params;
    params.m = params.n = params.k = 64;
    Mmad(kTile.c_l0(0), kTile.a_l0(), kTile.b_l0(), params);  // BUG TermsOfTheSums
    store(64, 64);
  });
}

}  // namespace
}  // namespace davsim::test
