// LoadData of a feature map: img2col into L0A, transposed into L0A, and into L0B.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::LoadData;
using AscendC::LoadData3DParamsV2;
using AscendC::TPosition;
using isa::Space;

/// One element of the img2col matrix by the definition of a convolution; 0 outside the matrix.
template <class T>
float img2col(const T* map, const LoadData3DParamsV2<T>& p, int row, int col) {
  const int c0 = 32 / static_cast<int>(sizeof(T));
  const int reach_w = (p.filterW - 1) * p.dilationFilterW + 1;
  const int reach_h = (p.filterH - 1) * p.dilationFilterH + 1;
  const int out_w = (p.l1W + p.padList[0] + p.padList[1] - reach_w) / p.strideW + 1;
  const int out_h = (p.l1H + p.padList[2] + p.padList[3] - reach_h) / p.strideH + 1;
  const int points = p.filterW * p.filterH;
  if (row >= out_w * out_h || col >= p.channelSize * points) return 0.0f;
  // Blocks of C0 channels; the last may be narrower.
  int block = col / (c0 * points), width = c0;
  if (block == p.channelSize / c0) width = p.channelSize % c0;
  const int inside = col - block * c0 * points;
  const int point = inside / width, channel = inside % width;
  const int h = row / out_w * p.strideH - p.padList[2] + point / p.filterW * p.dilationFilterH;
  const int w = row % out_w * p.strideW - p.padList[0] + point % p.filterW * p.dilationFilterW;
  if (h < 0 || w < 0 || h >= p.l1H || w >= p.l1W) return static_cast<float>(p.padValue);
  return static_cast<float>(map[block * p.l1H * p.l1W * c0 + (h * p.l1W + w) * width + channel]);
}

constexpr float kUntouched = 55.0f;

/// Loads to `to` and compares every element of the destination's fractals.
template <class T>
void check(TestCore& core, const LoadData3DParamsV2<T>& p, TPosition to) {
  const int c0 = 32 / static_cast<int>(sizeof(T));
  const Space space = to == TPosition::A2 ? Space::kL0A : Space::kL0B;
  const T* map = core.buffer<T>(Space::kL1);
  for (int i = 0; i < 100000; ++i) {
    core.buffer<T>(Space::kL1)[i] = static_cast<T>(static_cast<float>(noise(i, 50)));
  }
  T* l0 = core.buffer<T>(space);
  const int capacity = 65536 / static_cast<int>(sizeof(T));
  for (int i = 0; i < capacity; ++i) l0[i] = static_cast<T>(kUntouched);
  const int m = (p.mExtension + 15) / 16 * 16, k = (p.kExtension + c0 - 1) / c0 * c0;
  const bool turned = to == TPosition::B2 || p.enTranspose;
  const int k16 = (p.kExtension + 15) / 16 * 16;
  std::vector<float> expected(capacity, kUntouched);
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < k; ++col) {
      int at;
      if (!turned) {  // [m, k] as Zz
        at = row / 16 * (k / c0) * 16 * c0 + col / c0 * 16 * c0 + row % 16 * c0 + col % c0;
      } else if (to == TPosition::A2) {  // [k, m] as Zz
        at = col / 16 * (m / c0) * 16 * c0 + row / c0 * 16 * c0 + col % 16 * c0 + row % c0;
      } else {  // B[m, k] as Zn
        at = row / c0 * (k16 / 16) * 16 * c0 + col / 16 * 16 * c0 + col % 16 * c0 + row % c0;
      }
      expected[at] = img2col(map, p, p.mStartPt + row, p.kStartPt + col);
    }
  }
  LoadData(AscendC::LocalTensor<T>(to, 0, 16), AscendC::LocalTensor<T>(TPosition::A1, 0, 16), p);
  for (int i = 0; i < capacity; ++i) ASSERT_EQ(static_cast<float>(l0[i]), expected[i]) << i;
}

template <class T>
LoadData3DParamsV2<T> matrix_params(int rows, int cols, int m0, int k0, int m, int k) {
  LoadData3DParamsV2<T> p;
  p.l1H = 1;
  p.l1W = static_cast<std::uint16_t>(rows);
  p.channelSize = static_cast<std::uint16_t>(cols);
  p.mStartPt = static_cast<std::uint16_t>(m0);
  p.kStartPt = static_cast<std::uint16_t>(k0);
  p.mExtension = static_cast<std::uint16_t>(m);
  p.kExtension = static_cast<std::uint16_t>(k);
  return p;
}

template <class T>
LoadData3DParamsV2<T> convolution_params(int channels) {
  LoadData3DParamsV2<T> p;
  p.l1H = 7;
  p.l1W = 9;
  p.channelSize = static_cast<std::uint16_t>(channels);
  p.padList[0] = 1;
  p.padList[1] = 2;
  p.padList[2] = 1;
  p.padList[3] = 0;
  p.filterW = 3;
  p.filterH = 2;
  p.strideW = 2;
  p.strideH = 1;
  p.dilationFilterH = 2;
  p.padValue = static_cast<T>(3.0f);
  p.mExtension = 32;
  p.kExtension = 64;
  return p;
}

template <class T>
class Load3dTyped : public MoveTest {};
using Load3dTypes =
    ::testing::Types<half, bfloat16_t, float, std::int32_t, std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(Load3dTyped, Load3dTypes);

TYPED_TEST(Load3dTyped, MatricesAndConvolutionsIntoL0A) {
  using T = TypeParam;
  check<T>(this->core, matrix_params<T>(64, 64, 0, 0, 64, 64), TPosition::A2);
  check<T>(this->core, matrix_params<T>(80, 96, 16, 32, 48, 64), TPosition::A2);
  check<T>(this->core, matrix_params<T>(37, 64, 3, 0, 34, 50), TPosition::A2);
  check<T>(this->core, convolution_params<T>(32), TPosition::A2);
  auto part = convolution_params<T>(64);
  part.mStartPt = 5;
  part.kStartPt = 96;
  check<T>(this->core, part, TPosition::A2);
}

TYPED_TEST(Load3dTyped, NarrowLastBlocksOfChannels) {
  using T = TypeParam;
  const int c0 = 32 / static_cast<int>(sizeof(T));
  check<T>(this->core, convolution_params<T>(4), TPosition::A2);
  check<T>(this->core, convolution_params<T>(2 * c0 + 4), TPosition::A2);
  if (sizeof(T) < 4) check<T>(this->core, convolution_params<T>(c0 + 8), TPosition::A2);
}

template <class T>
class Load3dTurned : public MoveTest {};
using TurnedTypes = ::testing::Types<half, bfloat16_t, float, std::int32_t>;
TYPED_TEST_SUITE(Load3dTurned, TurnedTypes);

TYPED_TEST(Load3dTurned, IntoL0B) {
  using T = TypeParam;
  check<T>(this->core, matrix_params<T>(64, 128, 0, 0, 64, 128), TPosition::B2);
  check<T>(this->core, matrix_params<T>(64, 128, 16, 32, 32, 64), TPosition::B2);
  check<T>(this->core, matrix_params<T>(40, 24, 0, 0, 40, 24), TPosition::B2);
  check<T>(this->core, convolution_params<T>(16), TPosition::B2);
}

TYPED_TEST(Load3dTurned, TransposedIntoL0A) {
  using T = TypeParam;
  for (auto p :
       {matrix_params<T>(64, 128, 0, 0, 64, 128), matrix_params<T>(64, 128, 16, 32, 32, 64),
        matrix_params<T>(40, 24, 0, 0, 40, 24), convolution_params<T>(16)}) {
    p.enTranspose = true;
    check<T>(this->core, p, TPosition::A2);
  }
}

TEST_F(MoveTest, Load3dTakesTheFeatureMapFromItsRegisters) {
  static constexpr AscendC::IsResetLoad3dConfig kFromRegisters = {false, false};
  auto p = convolution_params<half>(16);
  check<half>(core, p, TPosition::A2);
  const std::vector<half> expected(core.buffer<half>(Space::kL0A),
                                   core.buffer<half>(Space::kL0A) + 2048);
  std::memset(core.buffer<std::byte>(Space::kL0A), 0, 4096);
  const std::uint8_t pad[] = {1, 2, 1, 0};
  AscendC::SetFmatrix(7, 9, pad, AscendC::FmatrixMode::FMATRIX_LEFT);
  AscendC::SetLoadDataPaddingValue(half(3));
  AscendC::SetLoadDataBoundary(0);
  AscendC::SetLoadDataRepeat({0, 1, 0});
  const std::size_t registers_set = core.emitted.size();
  p.l1H = p.l1W = 1;  // ignored
  p.padValue = half(0);
  LoadData<half, kFromRegisters>(local<half>(TPosition::A2), local<half>(TPosition::A1), p);
  EXPECT_EQ(core.emitted.size(), registers_set + 1);
  EXPECT_EQ(std::memcmp(core.buffer<half>(Space::kL0A), expected.data(), 4096), 0);
}

TEST_F(MoveTest, Load3dOfNothingEmitsNoLoad) {
  auto p = matrix_params<half>(16, 16, 0, 0, 16, 16);
  p.kExtension = 0;
  LoadData(local<half>(TPosition::A2), local<half>(TPosition::A1), p);
  p = matrix_params<half>(16, 16, 0, 0, 16, 16);
  p.filterW = 0;
  LoadData(local<half>(TPosition::A2), local<half>(TPosition::A1), p);
  for (const auto& instr : core.emitted) EXPECT_EQ(instr.op, isa::Opcode::kSetRegister);
}

TEST_F(MoveTest, Load3dRefuses) {
  auto a2 = local<half>(TPosition::A2), a1 = local<half>(TPosition::A1);
  const auto good = matrix_params<half>(16, 16, 0, 0, 16, 16);
  auto p = good;
  p.strideW = 64;
  EXPECT_FAULT(kParameter, "strideW is 64, allowed are 1 to 63", LoadData(a2, a1, p));
  p = good;
  p.channelSize = 18;
  EXPECT_FAULT(kParameter, "channelSize is 18, allowed are multiples of C0 = 16",
               LoadData(a2, a1, p));
  p = good;
  p.kStartPt = 8;
  EXPECT_FAULT(kParameter, "kStartPt is 8, allowed are multiples of 16", LoadData(a2, a1, p));
  p = good;
  p.kStartPt = 16;
  EXPECT_FAULT(kParameter, "the img2col matrix has 16 columns", LoadData(a2, a1, p));
  p = good;
  p.filterH = 3;
  EXPECT_FAULT(kParameter, "the filter of 3 x 1 does not fit", LoadData(a2, a1, p));
  p = good;
  p.fMatrixCtrl = true;
  EXPECT_FAULT(kParameter, "fMatrixCtrl is 1", LoadData(a2, a1, p));
  EXPECT_FAULT(kParameter, "types of 4 and 8 bits cannot be transposed",
               LoadData(local<std::int8_t>(TPosition::B2), local<std::int8_t>(TPosition::A1),
                        matrix_params<std::int8_t>(32, 32, 0, 0, 32, 32)));
  EXPECT_FAULT(kAddress, "of L1", LoadData(a2, local<half>(TPosition::A1, 512 * 1024 - 32), good));
  EXPECT_FAULT(kAddress, "of L0A",
               LoadData(local<half>(TPosition::A2, 65536 - 512), a1,
                        matrix_params<half>(32, 16, 0, 0, 32, 16)));
  EXPECT_FAULT(kParameter, "repeatMode is 2", AscendC::SetLoadDataRepeat({0, 2, 2}));
}

}  // namespace
}  // namespace davsim::test
