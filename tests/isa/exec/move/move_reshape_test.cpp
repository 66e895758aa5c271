// DataCopy forms that rearrange between GM and UB, and SetStoreAtomicConfig.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopy;
using AscendC::Nd2NzParams;
using AscendC::Nz2NdParamsFull;
using AscendC::SliceInfo;
using AscendC::TPosition;
using isa::Space;

template <class T>
class Reshape : public MoveTest {};
using ReshapeTypes = ::testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half,
                                      bfloat16_t, std::int32_t, std::uint32_t, float>;
TYPED_TEST_SUITE(Reshape, ReshapeTypes);

TYPED_TEST(Reshape, RowMajorToNzInUb) {
  using T = TypeParam;
  constexpr int kC0 = 32 / sizeof(T), kRows = 5, kCols = 2 * kC0 + 3, kPitch = 3 * kC0 + 1;
  constexpr int kMatrixPitch = kRows * kPitch + 7, kOutMatrix = 40 * kC0;
  GmVector<T> in(2 * kMatrixPitch + 100);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<T>(float(1 + i % 97));
  T* ub = this->core.template buffer<T>(Space::kUb);
  std::memset(ub, 0x33, 8192);
  const std::vector<T> untouched(ub, ub + 2 * kOutMatrix);
  // Rows 2 blocks apart, columns 11.
  DataCopy(this->template local<T>(TPosition::VECIN), this->gm(in),
           Nd2NzParams(2, kRows, kCols, kMatrixPitch, kPitch, 11, 2, kOutMatrix));
  std::vector<T> expected = untouched;
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int row = 0; row < kRows; ++row) {
      for (int col = 0; col < 3 * kC0; ++col) {
        expected[matrix * kOutMatrix + (col / kC0 * 11 + row * 2) * kC0 + col % kC0] =
            col < kCols ? in[matrix * kMatrixPitch + row * kPitch + col] : static_cast<T>(0.0f);
      }
    }
  }
  EXPECT_EQ(std::memcmp(ub, expected.data(), expected.size() * sizeof(T)), 0);
  ASSERT_EQ(this->core.emitted.size(), 6u);  // a move a column of 32 bytes
  for (const auto& instr : this->core.emitted) EXPECT_EQ(instr.pipe, isa::Pipe::MTE2);
}

template <class T>
class NzOut : public MoveTest {};
using WideTypes = ::testing::Types<std::int16_t, std::uint16_t, half, bfloat16_t, std::int32_t,
                                   std::uint32_t, float>;
TYPED_TEST_SUITE(NzOut, WideTypes);

TYPED_TEST(NzOut, NzInUbToRowMajor) {
  using T = TypeParam;
  constexpr int kRows = 4, kCols = 32, kPitch = 50, kMatrixPitch = 300;
  T* ub = this->core.template buffer<T>(Space::kUb);
  for (int i = 0; i < 4096; ++i) ub[i] = static_cast<T>(float(1 + i % 111));
  GmVector<T> out(2 * kMatrixPitch, static_cast<T>(0.0f));
  // Columns of fractals 10 rows apart, matrices 3 fractals.
  DataCopy(this->gm(out), this->template local<T>(TPosition::VECOUT),
           Nz2NdParamsFull(2, kRows, kCols, 3, 10, kPitch, kMatrixPitch));
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int i = 0; i < kMatrixPitch; ++i) {
      const int row = i / kPitch, col = i % kPitch;
      const bool inside = row < kRows && col < kCols;
      const float expected =
          inside ? float(ub[matrix * 768 + col / 16 * 160 + row * 16 + col % 16]) : 0.0f;
      ASSERT_EQ(float(out[matrix * kMatrixPitch + i]), expected) << row << "," << col;
    }
  }
  for (const auto& instr : this->core.emitted) EXPECT_EQ(instr.pipe, isa::Pipe::MTE3);
}

TEST_F(MoveTest, NzOutAddsWhereAtomicsAreSet) {
  core.buffer<float>(Space::kUb)[3] = 2.5f;
  GmVector<float> out(64, 1.0f);
  AscendC::SetAtomicAdd<float>();
  DataCopy(gm(out), local<float>(TPosition::VECOUT), Nz2NdParamsFull(1, 1, 16, 0, 0, 16, 0));
  EXPECT_EQ(out[3], 3.5f);
  EXPECT_EQ(out[4], 1.0f);
}

/// The documentation's example: 3 x 87 floats, of rows 0 and 2 two pieces of 24 each.
TEST_F(MoveTest, SlicesOfTwoDimensions) {
  GmVector<float> in(3 * 87);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const SliceInfo from[] = {{16, 70, 7, 3, 87}, {0, 2, 1, 1, 3}};
  const SliceInfo to[] = {{0, 47, 0, 3, 48}, {0, 1, 0, 1, 2}};
  DataCopy(local<float>(TPosition::VECIN), gm(in), to, from, 2);
  for (int row = 0; row < 2; ++row) {
    for (int i = 0; i < 48; ++i) {
      EXPECT_EQ(core.buffer<float>(Space::kUb)[row * 48 + i],
                static_cast<float>(row * 2 * 87 + 16 + i / 24 * 31 + i % 24));
    }
  }
  // And back into another place of the same shape.
  GmVector<float> out(3 * 87, -1.0f);
  DataCopy(gm(out), local<float>(TPosition::VECIN), from, to, 2);
  for (int i = 0; i < 3 * 87; ++i) {
    const int row = i / 87, col = i % 87 - 16;
    const bool moved = row != 1 && col >= 0 && col < 55 && col % 31 < 24;
    EXPECT_EQ(out[i], moved ? in[i] : -1.0f) << i;
  }
}

TEST_F(MoveTest, SlicesOfThreeDimensions) {
  GmVector<half> in(4 * 3 * 40);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
  const SliceInfo from[] = {{5, 20, 0, 1, 40}, {1, 2, 0, 1, 3}, {0, 3, 2, 1, 4}};
  const SliceInfo to[] = {{0, 15, 0, 1, 16}, {0, 1, 0, 1, 2}, {0, 1, 0, 1, 2}};
  DataCopy(local<half>(TPosition::VECIN), gm(in), to, from, 3);
  for (int i = 0; i < 64; ++i) {
    const int plane = i / 32 * 3, row = 1 + i / 16 % 2;
    EXPECT_EQ(float(core.buffer<half>(Space::kUb)[i]),
              static_cast<float>((plane * 3 + row) * 40 + 5 + i % 16));
  }
}

TEST_F(MoveTest, ReshapesRefuse) {
  GmVector<half> data(65536);
  const auto global = gm(data);
  const auto ub = local<half>(TPosition::VECIN);
  const SliceInfo row[] = {{0, 15, 0, 1, 16}}, ragged[] = {{0, 20, 0, 1, 32}};
  const SliceInfo two[] = {{0, 31, 0, 1, 32}}, beyond[] = {{0, 31, 0, 1, 16}};
  EXPECT_FAULT(kParameter, "endIndex - startIndex + 1 is 21, allowed are whole pieces of 16",
               DataCopy(ub, global, row, ragged));
  EXPECT_FAULT(kParameter, "source slice is 2, allowed are as many as in the destination's, 1",
               DataCopy(ub, global, row, two));
  EXPECT_FAULT(kParameter, "endIndex is 31, allowed are startIndex to shapeValue, 0 to 16",
               DataCopy(ub, global, row, beyond));
  EXPECT_FAULT(kParameter, "dimValue is 9", DataCopy(ub, global, row, row, 9));
  EXPECT_FAULT(kParameter, "dValue is 24, allowed are multiples of 16",
               DataCopy(global, ub, Nz2NdParamsFull(1, 1, 24, 0, 16, 32, 0)));
  EXPECT_FAULT(kParameter, "srcNdMatrixStride is 513",
               DataCopy(global, ub, Nz2NdParamsFull(1, 1, 16, 513, 16, 32, 0)));
  EXPECT_FAULT(kParameter, "dstNzC0Stride is 0, allowed are 1 to 16384",
               DataCopy(ub, global, Nd2NzParams(1, 1, 32, 0, 16, 0, 1, 0)));
  EXPECT_FAULT(kParameter, "no path from GM to L0A",
               DataCopy(local<half>(TPosition::A2), global, Nd2NzParams(1, 1, 16, 0, 16, 1, 1, 0)));
}

TEST_F(MoveTest, Nd2NzOfInt4CountsBytes) {
  GmVector<AscendC::int4b_t> in(4 * 48);
  std::memset(in.data(), 0, in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    reinterpret_cast<std::uint8_t*>(in.data())[i] = static_cast<std::uint8_t>(i);
  }
  DataCopy(local<AscendC::int4b_t>(TPosition::A1), gm(in), Nd2NzParams(1, 4, 40, 0, 48, 4, 1, 0));
  const auto* l1 = core.buffer<std::uint8_t>(Space::kL1);
  for (int row = 0; row < 4; ++row) {
    for (int col = 0; col < 64; ++col) {
      EXPECT_EQ(l1[col / 32 * 128 + row * 32 + col % 32], col < 40 ? row * 48 + col : 0);
    }
  }
}

TEST_F(MoveTest, EnhancedCopiesArePlainCopies) {
  GmVector<half> in = {};
  in.resize(64);
  for (int i = 0; i < 64; ++i) in[i] = static_cast<float>(i);
  const AscendC::DataCopyParams params{2, 1, 1, 0};
  AscendC::DataCopyEnhancedParams enhanced;
  enhanced.isRelu = true;
  DataCopy(local<half>(TPosition::VECIN), gm(in), params, enhanced);
  EXPECT_EQ(float(core.buffer<half>(Space::kUb)[16]), 32.0f);
  DataCopy(local<half>(TPosition::VECOUT, 256), local<half>(TPosition::VECIN), params, enhanced);
  DataCopy(gm(in), local<half>(TPosition::VECOUT, 256), params, enhanced);
  EXPECT_EQ(last().op, isa::Opcode::kMoveUbToGm);
}

TEST_F(MoveTest, DoublesMoveAsTheyAre) {
  GmVector<double> in = {1.5, -2.0, 3.0, 4.0, 5.0, 6.0};
  AscendC::DataCopyPad(local<double>(TPosition::VECIN), gm(in),
                       AscendC::DataCopyExtParams{1, 40, 0, 0, 0},
                       AscendC::DataCopyPadExtParams<double>{});
  EXPECT_EQ(core.buffer<double>(Space::kUb)[4], 5.0);
}

TEST_F(MoveTest, StoreAtomicConfigIsSetAtomicAdd) {
  std::uint16_t type = 9, op = 9;
  AscendC::SetStoreAtomicConfig<AscendC::AtomicDtype::ATOMIC_S16, AscendC::AtomicOp::ATOMIC_SUM>();
  AscendC::GetStoreAtomicConfig(type, op);
  EXPECT_EQ(type, 3);
  EXPECT_EQ(op, 0);
  std::int16_t* ub = core.buffer<std::int16_t>(Space::kUb);
  for (int i = 0; i < 16; ++i) ub[i] = static_cast<std::int16_t>(i);
  GmVector<std::int16_t> out(16, 100);
  DataCopy(gm(out), local<std::int16_t>(TPosition::VECOUT), 16);
  EXPECT_EQ(out[7], 107);
  AscendC::SetStoreAtomicConfig<AscendC::AtomicDtype::ATOMIC_NONE, AscendC::AtomicOp::ATOMIC_SUM>();
  AscendC::GetStoreAtomicConfig(type, op);
  EXPECT_EQ(type, 0);
  DataCopy(gm(out), local<std::int16_t>(TPosition::VECOUT), 16);
  EXPECT_EQ(out[7], 7);
  AscendC::SetAtomicAdd<bfloat16_t>();
  AscendC::GetStoreAtomicConfig(type, op);
  EXPECT_EQ(type, 6);
}

}  // namespace
}  // namespace davsim::test
