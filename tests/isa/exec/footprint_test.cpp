// gm_footprint: the runs in global memory of each instruction that touches it.
#include "isa/exec/accesses.hpp"
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopy;
using AscendC::TPosition;

class FootprintTest : public MoveTest {
 protected:
  void expect(const void* addr, std::uint32_t rows, std::uint32_t row_bytes, std::int64_t row_pitch,
              bool write, std::uint32_t matrices = 1, std::int64_t matrix_pitch = 0) {
    const isa::GmFootprint print = isa::gm_footprint(last());
    EXPECT_EQ(print.addr, reinterpret_cast<std::uint64_t>(addr));
    EXPECT_EQ(print.rows, rows);
    EXPECT_EQ(print.row_bytes, row_bytes);
    if (rows > 1) {
      EXPECT_EQ(print.row_pitch, row_pitch);
    }
    EXPECT_EQ(print.write, write);
    EXPECT_EQ(print.matrices, matrices);
    if (matrices > 1) {
      EXPECT_EQ(print.matrix_pitch, matrix_pitch);
    }
    EXPECT_EQ(print.bytes(), std::uint64_t{rows} * row_bytes * matrices);
  }
  GmVector<half> halves_ = GmVector<half>(8192);
  GmVector<float> floats_ = GmVector<float>(8192);
};

TEST_F(FootprintTest, Moves) {
  auto data = gm(halves_);
  DataCopy(local<half>(TPosition::VECIN), data[16], 128);
  expect(&halves_[16], 1, 256, 0, false);
  DataCopy(data, local<half>(TPosition::VECOUT), AscendC::DataCopyParams{3, 2, 5, 4});
  expect(&halves_[0], 3, 64, 192, true);
  DataCopy(local<half>(TPosition::A1), data, AscendC::DataCopyParams{3, 2, 5, 4});
  expect(&halves_[0], 3, 64, 224, false);
  DataCopy(data, local<half>(TPosition::A1), 64);
  expect(&halves_[0], 1, 128, 0, true);
}

TEST_F(FootprintTest, PaddedMovesCountWhatTheyReadNotWhatTheyFill) {
  auto data = gm(halves_);
  AscendC::DataCopyPad(local<half>(TPosition::VECIN), data[1],
                       AscendC::DataCopyExtParams{2, 46, 6, 1, 0}, {true, 2, 3, half(0)});
  expect(&halves_[1], 2, 46, 52, false);
  AscendC::DataCopyPad(data[3], local<half>(TPosition::VECOUT),
                       AscendC::DataCopyExtParams{4, 10, 1, 2, 0});
  expect(&halves_[3], 4, 10, 12, true);
}

TEST_F(FootprintTest, Nd2Nz) {
  auto data = gm(halves_);
  DataCopy(local<half>(TPosition::A1), data, AscendC::Nd2NzParams{2, 8, 23, 384, 32, 37, 2, 320});
  expect(&halves_[0], 8, 46, 64, false, 2, 768);
}

TEST_F(FootprintTest, Fixpipe) {
  auto to = gm(floats_);
  auto to_half = gm(halves_);
  auto from = local<float>(TPosition::CO1);
  AscendC::FixpipeParamsV220 nd(20, 10, 16, 33, false);
  nd.ndNum = 3;
  nd.srcNdStride = 2;
  nd.dstNdStride = 700;
  AscendC::Fixpipe<float, float>(to, from, nd);
  expect(&floats_[0], 10, 80, 132, true, 3, 2800);
  AscendC::FixpipeParamsV220 nz(48, 10, 16, 12, false);
  nz.quantPre = F322F16;
  AscendC::Fixpipe<half, float, AscendC::CFG_NZ>(to_half, from, nz);
  expect(&halves_[0], 3, 320, 384, true);
  AscendC::FixpipeParamsV220 split(24, 10, 16, 12, false);
  split.isChannelSplit = true;
  AscendC::Fixpipe<float, float, AscendC::CFG_NZ>(to, from, split);
  expect(&floats_[0], 3, 320, 384, true);
}

TEST_F(FootprintTest, RangeReachesFromTheFirstByteToTheLastWhereverMatricesGo) {
  using Range = std::pair<std::uint64_t, std::uint64_t>;
  isa::GmFootprint print{.addr = 1000, .rows = 3, .row_bytes = 10, .row_pitch = 20};
  EXPECT_EQ(print.range(), Range(1000, 1050));
  print.row_pitch = -20;
  EXPECT_EQ(print.range(), Range(960, 1010));
  print.matrices = 2;
  print.matrix_pitch = 500;
  EXPECT_EQ(print.range(), Range(960, 1510));
  print.matrix_pitch = -100;
  EXPECT_EQ(print.range(), Range(860, 1010));
  print.rows = 0;
  EXPECT_EQ(print.range(), Range(0, 0));
}

TEST_F(FootprintTest, NothingElseTouchesGm) {
  DataCopy(local<half>(TPosition::VECOUT), local<half>(TPosition::VECCALC), 16);
  EXPECT_EQ(isa::gm_footprint(last()).rows, 0u);
  AscendC::FixpipeParamsV220 to_l1(16, 16, 16, 16, false);
  to_l1.quantPre = F322F16;
  AscendC::Fixpipe<half, float>(local<half>(TPosition::A1), local<float>(TPosition::CO1), to_l1);
  EXPECT_EQ(isa::gm_footprint(last()).rows, 0u);
  AscendC::LoadData(local<half>(TPosition::A2), local<half>(TPosition::A1),
                    AscendC::LoadData2DParams{0, 1, 1, 0, 0, false, 0});
  EXPECT_EQ(isa::gm_footprint(last()).rows, 0u);
}

}  // namespace
}  // namespace davsim::test
