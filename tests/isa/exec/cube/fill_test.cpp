// Fill and InitConstValue: runs of one value in L1, L0A and L0B.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::Fill;
using AscendC::InitConstValue;
using AscendC::InitConstValueParams;
using AscendC::TPosition;
using isa::Space;

template <class T>
class FillTyped : public MoveTest {
 protected:
  /// Every byte of the buffer's start: 0xee where nothing was written.
  void check(TPosition to, Space space, std::uint32_t block) {
    const T value = static_cast<T>(3.0f);
    constexpr std::uint32_t kStart = 1024, kRuns = 3, kBlocks = 2, kGap = 4;
    std::memset(this->core.template buffer<std::byte>(space), 0xee, 65536);
    std::vector<std::uint8_t> expected(65536, 0xee);
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      for (std::uint32_t at = 0; at < kBlocks * block; at += sizeof(T)) {
        std::memcpy(&expected[kStart + run * (kBlocks + kGap) * block + at], &value, sizeof(T));
      }
    }
    Fill(AscendC::LocalTensor<T>(to, kStart, 16),
         InitConstValueParams<T>(kRuns, kBlocks, kGap, value));
    EXPECT_EQ(std::memcmp(this->core.template buffer<std::byte>(space), expected.data(), 65536), 0);
  }
};
using FillTypes = ::testing::Types<std::int16_t, std::uint16_t, half, bfloat16_t, std::int32_t,
                                   std::uint32_t, float>;
TYPED_TEST_SUITE(FillTyped, FillTypes);

TYPED_TEST(FillTyped, RunsAndGapsInL1) {
  this->check(TPosition::A1, Space::kL1, 32);
  EXPECT_EQ(this->last().op, isa::Opcode::kFillL1);
  EXPECT_EQ(this->last().pipe, isa::Pipe::MTE2);
}
TYPED_TEST(FillTyped, RunsAndGapsInL0) {
  this->check(TPosition::A2, Space::kL0A, 512);
  this->check(TPosition::B2, Space::kL0B, 512);
  EXPECT_EQ(this->last().op, isa::Opcode::kFillL0);
  EXPECT_EQ(this->last().pipe, isa::Pipe::MTE1);
}

TEST_F(MoveTest, FillOfNothingDoesNothing) {
  Fill(local<half>(TPosition::A2), InitConstValueParams<half>(0, 3, 0, half(1)));
  Fill(local<half>(TPosition::A2), InitConstValueParams<half>(3, 0, 0, half(1)));
  EXPECT_TRUE(core.emitted.empty());
}

TEST_F(MoveTest, InitConstValueIsFill) {
  InitConstValue(local<float>(TPosition::B2), {2, 2.5f});
  EXPECT_EQ(core.buffer<float>(Space::kL0B)[255], 2.5f);
  EXPECT_EQ(core.buffer<float>(Space::kL0B)[256], 0.0f);
}

TEST_F(MoveTest, FillRefuses) {
  EXPECT_FAULT(kParameter, "blockNum is 40000, allowed are 0 to 32767",
               Fill(local<half>(TPosition::A2), {1, 40000, 0, half(0)}));
  EXPECT_FAULT(kParameter, "InitConstValue: repeatTimes is 40000, allowed are 0 to 32767",
               InitConstValue(local<half>(TPosition::A2), {40000, 1, 0, half(0)}));
  EXPECT_FAULT(kParameter, "dst lies in UB",
               Fill(local<half>(TPosition::VECIN), {1, 1, 0, half(0)}));
  EXPECT_FAULT(kAlignment, "dst address is 0x20",
               Fill(local<half>(TPosition::A2, 32), {1, 1, 0, half(0)}));
  EXPECT_FAULT(kAddress, "L0B", Fill(local<half>(TPosition::B2, 65024), {1, 2, 0, half(0)}));
}

}  // namespace
}  // namespace davsim::test
