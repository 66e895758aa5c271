// What registers add to LoadData of a feature map: repeats, the boundary of L1, packed parameters.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::LoadData;
using AscendC::LoadData3DParamsV2;
using AscendC::LoadData3DParamsV2Pro;
using AscendC::SetLoadDataBoundary;
using AscendC::SetLoadDataRepeat;
using AscendC::TPosition;
using isa::Space;

constexpr std::uint16_t kRows = 96, kCols = 80;  // the matrix in L1, columns of 16 halves

class Load3dRegisters : public MoveTest {
 protected:
  Load3dRegisters() {
    for (int i = 0; i < 262144; ++i) {
      core.buffer<half>(Space::kL1)[i] = half(static_cast<float>(noise(i, 1000)));
    }
  }
  static LoadData3DParamsV2<half> piece(std::uint16_t m0, std::uint16_t k0, std::uint16_t m,
                                        std::uint16_t k) {
    LoadData3DParamsV2<half> p;
    p.l1H = 1, p.l1W = kRows, p.channelSize = kCols;
    p.mStartPt = m0, p.kStartPt = k0, p.mExtension = m, p.kExtension = k;
    return p;
  }
  float matrix(int row, int col) {
    return core.buffer<half>(Space::kL1)[col / 16 * kRows * 16 + row * 16 + col % 16];
  }
  /// The 32 x 16 piece of the matrix from (row, col) on, as Zz at fractal `fractal` of L0A.
  void expect_piece(int fractal, int row, int col) {
    for (int i = 0; i < 32; ++i) {
      for (int j = 0; j < 16; ++j) {
        ASSERT_EQ(float(core.buffer<half>(Space::kL0A)[fractal * 256 + i * 16 + j]),
                  matrix(row + i, col + j))
            << fractal << " " << i << "," << j;
      }
    }
  }
  AscendC::LocalTensor<half> a2 = local<half>(TPosition::A2), a1 = local<half>(TPosition::A1);
};

TEST_F(Load3dRegisters, RepeatsAlongTheRows) {
  SetLoadDataRepeat({1, 3, 0});  // 16 rows further each time
  LoadData(a2, a1, piece(8, 16, 32, 16));
  for (int i = 0; i < 3; ++i) expect_piece(2 * i, 8 + 16 * i, 16);
  SetLoadDataRepeat({0, 1, 0});
  LoadData(a2, a1, piece(0, 0, 32, 16));
  expect_piece(0, 0, 0);
  expect_piece(2, 24, 16);  // the second of the three pieces before
}

TEST_F(Load3dRegisters, RepeatsAlongTheColumns) {
  SetLoadDataRepeat({2, 2, 1});  // 2 x 32 bytes: 32 columns further each time
  LoadData(a2, a1, piece(4, 16, 32, 16));
  expect_piece(0, 4, 16);
  expect_piece(2, 4, 48);
  EXPECT_EQ(std::get<isa::Load3dParams>(last().params).repeats, 2);
}

TEST_F(Load3dRegisters, NoRepeatDoesNothing) {
  SetLoadDataRepeat({1, 0, 0});
  LoadData(a2, a1, piece(0, 0, 32, 16));
  for (const auto& instr : core.emitted) EXPECT_EQ(instr.op, isa::Opcode::kSetRegister);
}

TEST_F(Load3dRegisters, EveryPieceMustBeThere) {
  SetLoadDataRepeat({3, 2, 1});
  EXPECT_FAULT(kParameter, "kStartPt is 80, the img2col matrix has 80 columns",
               LoadData(a2, a1, piece(0, 32, 32, 16)));
  SetLoadDataRepeat({1, 64, 0});
  EXPECT_FAULT(kAddress, "of L0A",
               LoadData(local<half>(TPosition::A2, 1024), a1, piece(0, 0, 32, 16)));
}

TEST_F(Load3dRegisters, ReadsWrapAroundAtTheBoundary) {
  // A column of fractals takes 96 x 32 = 3072 bytes; the second lies 2048 before and 1024 behind.
  constexpr std::uint32_t kBoundary = 8192, kStart = kBoundary - 3072 - 2048;
  SetLoadDataBoundary(kBoundary);
  LoadData(a2, local<half>(TPosition::A1, kStart), piece(32, 16, 64, 16));
  const half* l1 = core.buffer<half>(Space::kL1);
  for (int row = 0; row < 64; ++row) {
    for (int col = 0; col < 16; ++col) {
      const int at = (kBoundary - 2048) / 2 + (32 + row) * 16 + col;
      ASSERT_EQ(float(core.buffer<half>(Space::kL0A)[row * 16 + col]),
                float(l1[at % (kBoundary / 2)]))
          << row << "," << col;
    }
  }
  EXPECT_FAULT(kParameter, "src starts at byte 8192 of L1, it must start before the boundary",
               LoadData(a2, local<half>(TPosition::A1, kBoundary), piece(0, 0, 16, 16)));
  SetLoadDataBoundary(0);
  LoadData(a2, local<half>(TPosition::A1, kStart), piece(80, 16, 16, 16));
  EXPECT_EQ(float(core.buffer<half>(Space::kL0A)[0]), float(l1[kBoundary / 2 + 16 * 16]));
  EXPECT_FAULT(kParameter, "boundaryValue is 1000", SetLoadDataBoundary(1000));
}

TEST_F(Load3dRegisters, PackedParametersAreTheSameLoad) {
  LoadData3DParamsV2<half> p = piece(5, 32, 32, 16);
  p.l1H = 8, p.l1W = 12, p.channelSize = 32;
  p.padList[0] = p.padList[3] = 1;
  p.strideW = 2, p.strideH = 1, p.filterW = 2, p.filterH = 3;
  p.dilationFilterW = 1, p.dilationFilterH = 2;
  p.padValue = half(7.0f);
  LoadData(a2, a1, p);
  const auto expected = std::get<isa::Load3dParams>(last().params);
  const std::vector<half> bytes(core.buffer<half>(Space::kL0A),
                                core.buffer<half>(Space::kL0A) + 512);
  std::memset(core.buffer<half>(Space::kL0A), 0, 1024);

  AscendC::SetFmatrix(8, 12, p.padList, AscendC::FmatrixMode::FMATRIX_LEFT);
  AscendC::SetLoadDataPaddingValue(half(7.0f));
  LoadData3DParamsV2Pro pro;
  pro.channelSize = 32;
  pro.extConfig = std::uint64_t{5} << 48 | std::uint64_t{32} << 32 | 32u << 16 | 16u;
  pro.filterConfig =
      std::uint64_t{2} << 40 | std::uint64_t{1} << 32 | 3u << 24 | 2u << 16 | 1u << 8 | 2u;
  LoadData(a2, a1, pro);
  const auto& got = std::get<isa::Load3dParams>(last().params);
  EXPECT_EQ(got.m_start, expected.m_start);
  EXPECT_EQ(got.dilation_h, expected.dilation_h);
  EXPECT_EQ(std::memcmp(bytes.data(), core.buffer<half>(Space::kL0A), 1024), 0);
}

TEST_F(MoveTest, Load2dFromGlobalMemoryIntoL0) {
  GmVector<std::int8_t> data(8 * 512 + 1);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::int8_t>(noise(i, 100));
  }
  const auto source = gm(data, 1);  // any address
  for (const TPosition to : {TPosition::A2, TPosition::B2}) {
    const Space space = to == TPosition::A2 ? Space::kL0A : Space::kL0B;
    LoadData(local<std::int8_t>(to, 512), source,
             AscendC::LoadData2DParams{1, 3, 2, 0, 1, false, 0});
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(std::memcmp(core.buffer<std::int8_t>(space, 512 + 1024 * i),
                            data.data() + 1 + (1 + 2 * i) * 512, 512),
                0);
    }
    EXPECT_EQ(last().op, isa::Opcode::kLoadGmToL0);
    EXPECT_EQ(last().pipe, isa::Pipe::MTE2);
  }
  EXPECT_FAULT(kAddress, "outside every allocation",
               LoadData(local<std::int8_t>(TPosition::A2), source,
                        AscendC::LoadData2DParams{7, 2, 1, 0, 0, false, 0}));
  EXPECT_FAULT(kParameter, "ifTranspose is 1, allowed are 0 from GM",
               LoadData(local<std::int8_t>(TPosition::A2), source,
                        AscendC::LoadData2DParams{0, 1, 1, 0, 0, true, 0}));
}

}  // namespace
}  // namespace davsim::test
