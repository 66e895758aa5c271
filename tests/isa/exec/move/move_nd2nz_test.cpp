// Row-major matrices to fractals on the way from GM to L1.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopy;
using AscendC::Nd2NzParams;
using AscendC::TPosition;
using isa::Space;

/// Moves and compares with a plain loop over elements; every other byte of L1 must stay as it was.
template <class T>
void check_nd2nz(TestCore& core, AscendC::GlobalTensor<T> from, const std::vector<T>& in,
                 const Nd2NzParams& p) {
  const std::size_t c0 = 32 / sizeof(T), l1_elements = 200000 / sizeof(T);
  T* l1 = core.buffer<T>(Space::kL1);
  std::vector<float> expected(l1_elements, 77.0f);
  for (std::size_t i = 0; i < l1_elements; ++i) l1[i] = static_cast<T>(77.0f);
  for (std::size_t matrix = 0; matrix < p.ndNum; ++matrix) {
    for (std::size_t row = 0; row < p.nValue; ++row) {
      for (std::size_t col = 0; col < (p.dValue + c0 - 1) / c0 * c0; ++col) {
        const std::size_t to = matrix * p.dstNzMatrixStride + col / c0 * p.dstNzC0Stride * c0 +
                               row * p.dstNzNStride * c0 + col % c0;
        const std::size_t at = matrix * p.srcNdMatrixStride + row * p.srcDValue + col;
        expected[to] = col < p.dValue ? static_cast<float>(in[at]) : 0.0f;
      }
    }
  }
  DataCopy(AscendC::LocalTensor<T>(TPosition::A1, 0, 16), from, p);
  for (std::size_t i = 0; i < l1_elements; ++i) {
    ASSERT_EQ(static_cast<float>(l1[i]), expected[i]) << i;
  }
}

template <class T>
class Nd2NzTypedTest : public MoveTest {};
using Nd2NzTypes =
    ::testing::Types<std::int8_t, half, bfloat16_t, float, std::int32_t, std::uint16_t>;
TYPED_TEST_SUITE(Nd2NzTypedTest, Nd2NzTypes);

TYPED_TEST(Nd2NzTypedTest, OneMatrixWithTails) {
  using T = TypeParam;
  std::vector<T> in = counting<T>(50 * 100);
  check_nd2nz<T>(this->core, this->gm(in), in, Nd2NzParams{1, 16, 23, 0, 32, 16, 1, 0});
  check_nd2nz<T>(this->core, this->gm(in), in, Nd2NzParams{1, 40, 56, 0, 56, 48, 1, 0});
  check_nd2nz<T>(this->core, this->gm(in), in, Nd2NzParams{1, 1, 1, 0, 1, 16, 1, 0});
}

TYPED_TEST(Nd2NzTypedTest, SeveralMatricesWithStrides) {
  using T = TypeParam;
  std::vector<T> in = counting<T>(3000);
  check_nd2nz<T>(this->core, this->gm(in), in, Nd2NzParams{2, 8, 23, 384, 32, 37, 2, 320});
  check_nd2nz<T>(this->core, this->gm(in), in, Nd2NzParams{3, 20, 33, 700, 35, 32, 1, 2560});
}

TEST_F(MoveTest, Nd2NzRowsBeyondTheMatrixKeepWhatTheyHeld) {
  std::vector<half> in = counting<half>(5 * 16);
  half* l1 = core.buffer<half>(Space::kL1);
  std::fill(l1, l1 + 256, half(9));
  DataCopy(local<half>(TPosition::A1), gm(in), Nd2NzParams{1, 5, 16, 0, 16, 16, 1, 0});
  for (int i = 0; i < 256; ++i) EXPECT_EQ(float(l1[i]), i < 80 ? float(in[i]) : 9.0f) << i;
  EXPECT_EQ(last().op, isa::Opcode::kMoveGmToL1Nd2Nz);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE2);
}

TEST_F(MoveTest, Nd2NzTakesAnyDistanceThatNothingIsMovedBy) {
  std::vector<half> in = counting<half>(32);
  const half* l1 = core.buffer<half>(Space::kL1);
  DataCopy(local<half>(TPosition::A1), gm(in), Nd2NzParams{1, 2, 16, 0, 16, 0, 1, 0});
  EXPECT_EQ(float(l1[31]), float(in[31])) << "one column of fractals";
  DataCopy(local<half>(TPosition::A1), gm(in), Nd2NzParams{1, 1, 32, 0, 0, 2, 0, 0});
  EXPECT_EQ(float(l1[47]), float(in[31])) << "one row";
}

TEST_F(MoveTest, Nd2NzOfNothingEmitsNothing) {
  std::vector<half> in(16);
  auto from = gm(in);
  DataCopy(local<half>(TPosition::A1), from, Nd2NzParams{0, 1, 1, 0, 1, 1, 1, 0});
  DataCopy(local<half>(TPosition::A1), from, Nd2NzParams{1, 0, 1, 0, 1, 1, 1, 0});
  DataCopy(local<half>(TPosition::A1), from, Nd2NzParams{1, 1, 0, 0, 1, 1, 1, 0});
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, Nd2NzRefuses) {
  std::vector<half> in(512);
  auto from = gm(in);
  auto l1 = local<half>(TPosition::A1);
  EXPECT_FAULT(kParameter, "ndNum is 4096",
               DataCopy(l1, from, Nd2NzParams{4096, 1, 1, 0, 1, 1, 1, 0}));
  EXPECT_FAULT(kParameter, "nValue is 16385",
               DataCopy(l1, from, Nd2NzParams{1, 16385, 1, 0, 1, 1, 1, 0}));
  EXPECT_FAULT(kParameter, "srcDValue is 0",
               DataCopy(l1, from, Nd2NzParams{1, 2, 1, 0, 0, 1, 1, 0}));
  EXPECT_FAULT(kParameter, "dstNzC0Stride is 16385",
               DataCopy(l1, from, Nd2NzParams{1, 1, 1, 0, 1, 16385, 1, 0}));
  EXPECT_FAULT(kParameter, "dstNzNStride is 0",
               DataCopy(l1, from, Nd2NzParams{1, 2, 1, 0, 1, 1, 0, 0}));
  EXPECT_FAULT(kParameter, "dstNzC0Stride is 0, allowed are 1 to 16384",
               DataCopy(l1, from, Nd2NzParams{1, 1, 17, 0, 1, 0, 1, 0}));
  EXPECT_FAULT(kAlignment, "dst address is 0x10",
               DataCopy(local<half>(TPosition::A1, 16), from, Nd2NzParams{1, 1, 1, 0, 1, 1, 1, 0}));
  EXPECT_FAULT(kAddress, "outside every allocation",
               DataCopy(l1, from, Nd2NzParams{1, 33, 16, 0, 16, 48, 1, 0}));
  EXPECT_FAULT(kAddress, "of L1", DataCopy(l1, from, Nd2NzParams{1, 16, 32, 0, 32, 16384, 1, 0}));
  EXPECT_FAULT(kParameter, "there is no path from GM to L0B",
               DataCopy(local<half>(TPosition::B2), from, Nd2NzParams{1, 1, 1, 0, 1, 1, 1, 0}));
}

TEST_F(MoveTest, Nd2NzOfOneByteOrOneRowHasToLieInL1) {
  std::vector<std::int8_t> in(64);
  auto from = gm(in);
  const std::uint32_t end = 512 * 1024;
  EXPECT_FAULT(
      kAddress, "of L1",
      DataCopy(local<std::int8_t>(TPosition::A1, end), from, Nd2NzParams{1, 1, 1, 0, 1, 1, 1, 0}));
  EXPECT_FAULT(kAddress, "of L1",
               DataCopy(local<std::int8_t>(TPosition::A1, end - 32), from,
                        Nd2NzParams{1, 2, 1, 0, 1, 2, 1, 0}));
  DataCopy(local<std::int8_t>(TPosition::A1, end - 32), from, Nd2NzParams{1, 1, 1, 0, 1, 1, 1, 0});
}

}  // namespace
}  // namespace davsim::test
