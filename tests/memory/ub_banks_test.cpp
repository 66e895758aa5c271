// Bank conflicts in UB, in beats.
#include "memory/ub_banks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kBlock = 32;

/// One repeat of eight blocks from each address; blocks of an operand `pitch` blocks apart.
isa::VectorShape shape(std::uint64_t dst, std::uint64_t src0, std::uint64_t src1,
                       std::uint32_t pitch = 1, std::uint32_t repeats = 1) {
  isa::VectorShape shape;
  shape.repeats = repeats;
  shape.lanes_per_repeat = shape.last_lanes = 64;
  const auto operand = [&](std::uint64_t addr) {
    isa::VectorOperandShape operand;
    operand.addr = static_cast<std::uint32_t>(addr);
    operand.block_pitch = pitch * kBlock;
    operand.repeat_pitch = 8 * pitch * kBlock;
    operand.lanes_per_block = 8;
    return operand;
  };
  shape.dst = operand(dst);
  shape.src0 = operand(src0);
  shape.src1 = operand(src1);
  return shape;
}

double cycles(const isa::VectorShape& shape, UbBankTiming timing = {}) {
  return ub_conflict_cycles(shape, 1, timing);
}

constexpr std::uint64_t kHalf = 8 * kBlock;  // the other eight of sixteen groups

TEST(UbBanks, BlocksOfDifferentGroupsComeInOneBeat) {
  EXPECT_EQ(cycles(shape(0, 0x10000, 0x20000 + kHalf)), 0);
}

TEST(UbBanks, TwoReadsOfEachGroupTakeABeatMore) {
  EXPECT_EQ(cycles(shape(0, 0x10000, 0x20000)), 1);
}

TEST(UbBanks, BlocksAllOfOneGroupTakeABeatEach) {
  EXPECT_EQ(cycles(shape(0, 0x10000, 0x20000 + kHalf, 16)), 7);
}

TEST(UbBanks, TheNumberOfGroupsIsThatOfTheDescription) {
  // Sixteen blocks apart lie in one of 16 groups, in two of 32 and in four of 64.
  const auto apart = shape(0, 0x10000, 0x20000 + kBlock, 16);
  EXPECT_EQ(cycles(apart, {.groups = 16}), 7);
  EXPECT_EQ(cycles(apart, {.groups = 32}), 3);
  EXPECT_EQ(cycles(apart, {.groups = kMostUbBankGroups}), 1);
}

TEST(UbBanks, AReadMeetsTheWriteBeforeItInOneBankOnly) {
  UbBankTiming timing;
  timing.read_write_conflict = 0.5;
  constexpr std::uint32_t kRepeats = 2;
  const auto reading = [&](std::uint64_t src0) {
    return shape(0, src0, src0 + 0x10000 + kHalf, 1, kRepeats);
  };
  // The second repeat reads groups 8 to 15 of src0 and 0 to 7 of src1; the first wrote 0 to 7.
  const std::uint64_t span = std::uint64_t{timing.groups} * timing.bank_bytes;
  EXPECT_EQ(cycles(reading(3 * span), timing), 0);
  EXPECT_EQ(cycles(shape(0, 3 * span, kHalf, 1, kRepeats), timing), 0.5);
}

TEST(UbBanks, TheSizeOfABankIsThatOfTheDescription) {
  UbBankTiming timing;
  timing.read_write_conflict = 0.5;
  const std::uint64_t span = std::uint64_t{timing.groups} * timing.bank_bytes;
  const auto meets = shape(0, 5 * span, span + kHalf, 1, 2);
  EXPECT_EQ(cycles(meets, timing), 0) << "another bank";
  timing.bank_bytes *= 2;
  EXPECT_EQ(cycles(meets, timing), 0.5) << "the same bank, which is larger";
}

TEST(UbBanks, LongInstructionsRepeatThePatternOfSixteenRepeats) {
  EXPECT_EQ(cycles(shape(0, 0x10000, 0x20000, 1, 160)), 160);
}

TEST(UbBanks, ATranspositionsBlocksTakeABeatEachInOneGroup) {
  isa::TransposeParams params;
  params.repeats = 3;
  for (std::uint16_t i = 0; i < 16; ++i) params.dst[i] = params.src[i] = i;
  EXPECT_EQ(ub_transpose_conflict_cycles(params, 16), 0);
  for (std::uint16_t i = 0; i < 16; ++i) params.src[i] = static_cast<std::uint16_t>(16 * i);
  EXPECT_EQ(ub_transpose_conflict_cycles(params, 16), 3 * 14);
  EXPECT_EQ(ub_transpose_conflict_cycles(params, 64), 3 * 2);
}

}  // namespace
}  // namespace davsim::memory
