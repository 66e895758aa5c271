// DataCopyPad: blocks of any length and what fills the rest of their DataBlocks.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::DataCopyExtParams;
using AscendC::DataCopyPad;
using AscendC::DataCopyPadExtParams;
using AscendC::TPosition;
using isa::Space;

TEST_F(MoveTest, PadRepeatsTheFirstElement) {
  // The documentation's example: blocks of 47 bytes, 1 byte and 1 DataBlock between them.
  std::vector<std::int8_t> in = counting<std::int8_t>(96);
  auto from = gm(in);
  auto* ub = core.buffer<std::int8_t>(Space::kUb);
  std::fill(ub, ub + 192, std::int8_t{-1});
  DataCopyPad(local<std::int8_t>(TPosition::VECIN), from, DataCopyExtParams{2, 47, 1, 1, 0},
              DataCopyPadExtParams<std::int8_t>{false, 0, 0, 0});
  for (int block = 0; block < 2; ++block) {
    for (int i = 0; i < 96; ++i) {
      const int start = block * 48;
      int expected = -1;  // the DataBlock between two blocks
      if (i < 47)
        expected = in[start + i];
      else if (i < 64)
        expected = in[start];
      EXPECT_EQ(ub[block * 96 + i], expected) << block << " " << i;
    }
  }
  EXPECT_EQ(last().op, isa::Opcode::kMoveGmToUbPad);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE2);
}

template <class T>
class PadTypedTest : public MoveTest {};
using PadTypes = ::testing::Types<std::int8_t, std::int16_t, half, bfloat16_t, std::int32_t, float,
                                  std::uint8_t>;
TYPED_TEST_SUITE(PadTypedTest, PadTypes);

TYPED_TEST(PadTypedTest, PadsLeftAndRightAndUpToTheDataBlock) {
  using T = TypeParam;
  const int per_block = 32 / static_cast<int>(sizeof(T));
  const int left = per_block / 4, right = per_block / 2, count = per_block + 1;
  std::vector<T> in = counting<T>(3 * static_cast<std::size_t>(count));
  auto from = this->gm(in);
  T* ub = this->core.template buffer<T>(Space::kUb);
  const auto bytes = static_cast<std::uint32_t>(count * sizeof(T));
  DataCopyPad(this->template local<T>(TPosition::VECIN), from, DataCopyExtParams{3, bytes, 0, 0, 0},
              DataCopyPadExtParams<T>{true, static_cast<std::uint8_t>(left),
                                      static_cast<std::uint8_t>(right), static_cast<T>(7.0f)});
  for (int block = 0; block < 3; ++block) {
    for (int i = 0; i < 2 * per_block; ++i) {
      const bool data = i >= left && i < left + count;
      const float expected = data ? static_cast<float>(in[block * count + i - left]) : 7.0f;
      EXPECT_EQ(static_cast<float>(ub[block * 2 * per_block + i]), expected) << block << " " << i;
    }
  }
}

TEST_F(MoveTest, PadWithoutAValueLeavesWhatLiesThere) {
  std::vector<float> in = counting<float>(5);
  auto from = gm(in);
  auto* ub = core.buffer<float>(Space::kUb);
  std::fill(ub, ub + 8, -3.0f);
  DataCopyPad(local<float>(TPosition::VECIN), from, DataCopyExtParams{1, 20, 0, 0, 0},
              DataCopyPadExtParams<float>{false, 1, 2, 9.0f});
  const float expected[] = {-3, 1, 2, 3, 4, 5, -3, -3};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(ub[i], expected[i]) << i;
}

TEST_F(MoveTest, SetPadValueFillsWhereIsPadIsFalse) {
  std::vector<half> in = counting<half>(20);
  auto from = gm(in);
  AscendC::SetPadValue(half(1.5f));
  DataCopyPad(local<half>(TPosition::VECIN), from, DataCopyExtParams{1, 40, 0, 0, 0},
              DataCopyPadExtParams<half>{false, 0, 12, half(0)});
  const half* ub = core.buffer<half>(Space::kUb);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(float(ub[i]), i < 20 ? float(in[i]) : 1.5f) << i;
  EXPECT_EQ(core.emitted.front().op, isa::Opcode::kSetRegister);
  EXPECT_EQ(core.emitted.front().pipe, isa::Pipe::S);
}

TEST_F(MoveTest, PadTakesTheOlderStructsAsWell) {
  std::vector<std::int16_t> in = counting<std::int16_t>(40);
  auto from = gm(in);
  DataCopyPad(local<std::int16_t>(TPosition::VECIN), from, {2, 18, 2, 0}, {true, 0, 3, 99});
  const auto* ub = core.buffer<std::int16_t>(Space::kUb);
  for (int block = 0; block < 2; ++block) {
    for (int i = 0; i < 16; ++i) {
      EXPECT_EQ(ub[block * 16 + i], i < 9 ? in[block * 10 + i] : 99) << block << " " << i;
    }
  }
}

TEST_F(MoveTest, PadOutWritesNoByteTooMany) {
  std::vector<std::uint8_t> out(200, 0xee);
  auto to = gm(out, 3);  // GM addresses need no alignment
  auto* ub = core.buffer<std::uint8_t>(Space::kUb);
  for (int i = 0; i < 256; ++i) ub[i] = static_cast<std::uint8_t>(i);
  DataCopyPad(to, local<std::uint8_t>(TPosition::VECOUT), DataCopyExtParams{2, 47, 1, 5, 0});
  for (int i = 0; i < 200; ++i) {
    int expected = 0xee;
    if (i >= 3 && i < 50) expected = i - 3;
    if (i >= 55 && i < 102) expected = 96 + i - 55;
    EXPECT_EQ(out[i], expected) << i;
  }
  EXPECT_EQ(last().op, isa::Opcode::kMoveUbToGmPad);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE3);
}

TEST_F(MoveTest, PadRefuses) {
  std::vector<float> data(64);
  auto tensor = gm(data);
  auto ub = local<float>(TPosition::VECIN);
  const DataCopyPadExtParams<float> none{false, 0, 0, 0.0f};
  EXPECT_FAULT(kParameter, "leftPadding is 9, allowed are 0 to 8",
               DataCopyPad(ub, tensor, DataCopyExtParams{1, 20, 0, 0, 0}, {true, 9, 0, 0.0f}));
  EXPECT_FAULT(kParameter, "rightPadding is 9, allowed are 0 to 8",
               DataCopyPad(ub, tensor, DataCopyExtParams{1, 20, 0, 0, 0}, {true, 0, 9, 0.0f}));
  EXPECT_FAULT(kAlignment, "blockLen is 0x16, which is no multiple of 4 bytes",
               DataCopyPad(ub, tensor, DataCopyExtParams{1, 22, 0, 0, 0}, none));
  EXPECT_FAULT(kParameter, "blockLen is 2097152, allowed are 0 to 2097151",
               DataCopyPad(ub, tensor, DataCopyExtParams{1, 2097152, 0, 0, 0}, none));
  EXPECT_FAULT(kParameter, "blockCount is 4096",
               DataCopyPad(tensor, ub, DataCopyExtParams{4096, 4, 0, 0, 0}));
  EXPECT_FAULT(kAddress, "of UB",
               DataCopyPad(local<float>(TPosition::VECIN, 192 * 1024 - 32), tensor,
                           DataCopyExtParams{1, 36, 0, 0, 0}, none));
  std::vector<std::int64_t> wide(8);
  auto wide_gm = gm(wide);
  EXPECT_FAULT(kParameter, "paddingValue is 5, allowed are 0 for 64-bit types",
               DataCopyPad(local<std::int64_t>(TPosition::VECIN), wide_gm,
                           DataCopyExtParams{1, 8, 0, 0, 0}, {true, 1, 0, 5}));
}

}  // namespace
}  // namespace davsim::test
