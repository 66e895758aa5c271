#include "memory/l2/l2_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kLine = 512, kWays = 24;
constexpr std::uint64_t kRotation = 5407;

TEST(L2Cache, SizesOfTheSocsDivideIntoTheirSets) {
  EXPECT_EQ(L2Cache(201326592, kLine, kWays, kRotation).sets(), 16384u);
  EXPECT_EQ(L2Cache(176160768, kLine, kWays, kRotation).sets(), 14336u);
  EXPECT_EQ(L2Cache(100663296, kLine, kWays, kRotation).sets(), 8192u);
  EXPECT_THROW(L2Cache(1000, kLine, kWays, kRotation), std::invalid_argument);
  EXPECT_THROW(L2Cache(0, kLine, kWays, kRotation), std::invalid_argument);
}

TEST(L2Cache, ASecondTouchHits) {
  L2Cache cache(kLine * kWays * 4, kLine, kWays, kRotation);
  EXPECT_FALSE(cache.read(7).hit);
  EXPECT_TRUE(cache.read(7).hit);
  cache.flush();
  EXPECT_FALSE(cache.read(7).hit);
}

TEST(L2Cache, TheLeastRecentlyUsedLineOfASetLeaves) {
  L2Cache cache(kLine * kWays, kLine, kWays, kRotation);  // one set
  for (std::uint64_t line = 0; line < kWays; ++line) cache.read(line);
  cache.read(0);
  EXPECT_FALSE(cache.read(100).hit);
  EXPECT_TRUE(cache.holds(0));
  EXPECT_FALSE(cache.holds(1));
}

TEST(L2Cache, OnlyDirtyLinesAreWrittenBack) {
  L2Cache cache(kLine * 2, kLine, 2, kRotation);
  cache.write(0);
  cache.read(1);
  EXPECT_EQ(cache.read(2).written_back, L2Cache::kWholeLine);  // line 0
  EXPECT_EQ(cache.read(3).written_back, 0);                    // line 1
}

TEST(L2Cache, OnlySectorsThatAreNotThereAreFetched) {
  L2Cache cache(kLine * kWays, kLine, kWays, kRotation);
  EXPECT_EQ(cache.read(0, 0b0011).fetched, 0b0011);
  EXPECT_EQ(cache.read(0, 0b0110).fetched, 0b0100);
  EXPECT_TRUE(cache.read(0, 0b0111).hit);
  EXPECT_EQ(cache.write(0, 0b1000).fetched, 0);  // written as a whole
  EXPECT_TRUE(cache.read(0).hit);
  EXPECT_EQ(cache.write(1, 0b0011, 0b0010).fetched, 0b0010);  // keeps other bytes of a sector
}

TEST(L2Cache, OnlyDirtySectorsAreWrittenBack) {
  L2Cache cache(kLine, kLine, 1, kRotation);
  cache.read(0);
  cache.write(0, 0b0100);
  EXPECT_EQ(cache.read(1).written_back, 0b0100);
}

TEST(L2Cache, WhatGoesPastItGetsNoPlace) {
  L2Cache cache(kLine * kWays, kLine, kWays, kRotation);
  EXPECT_EQ(cache.read_no_allocate(0).fetched, L2Cache::kWholeLine);
  EXPECT_EQ(cache.write_no_allocate(1).written_back, L2Cache::kWholeLine);
  EXPECT_FALSE(cache.holds(0));
  EXPECT_FALSE(cache.holds(1));
  EXPECT_FALSE(cache.read_no_allocate(0).hit) << "the second time neither";
}

TEST(L2Cache, WhatGoesPastItFindsWhatIsThereAndMakesNothingYounger) {
  L2Cache cache(kLine * 2, kLine, 2, kRotation);
  cache.read(0, 0b0011);
  cache.read(1);
  EXPECT_TRUE(cache.read_no_allocate(0, 0b0010).hit);
  EXPECT_EQ(cache.read_no_allocate(0, 0b0110).fetched, 0b0100);
  EXPECT_EQ(cache.read_no_allocate(0, 0b0110).fetched, 0b0100) << "was not kept";
  cache.read(2);
  EXPECT_FALSE(cache.holds(0)) << "still the oldest";
}

TEST(L2Cache, AWritePastItCleansTheSectorsThatItCovers) {
  L2Cache cache(kLine, kLine, 1, kRotation);
  cache.write(0, 0b0111);
  EXPECT_TRUE(cache.write_no_allocate(0, 0b0011, 0b0010).hit);  // sector 1 in part
  EXPECT_EQ(cache.read(1).written_back, 0b0110);
}

TEST(L2Cache, LinesThatAreSetsApartDoNotMeetInOneSet) {
  L2Cache cache(kLine * 2 * 16, kLine, 2, kRotation);  // 16 sets of two ways
  for (std::uint64_t stretch = 0; stretch < 16; ++stretch) cache.read(stretch * 16);
  for (std::uint64_t stretch = 0; stretch < 16; ++stretch) EXPECT_TRUE(cache.holds(stretch * 16));
}

/// A cache of 12288 lines: its states fit in a few pages, whatever passes through.
TEST(L2Cache, StatesOfLinesThatHaveLeftTakeNoMemory) {
  L2Cache cache(kLine * kWays * 512, kLine, kWays, kRotation);
  const std::uint64_t lines = cache.sets() * kWays;
  for (std::uint64_t line = 0; line < 4 * lines; ++line) cache.read(line);
  const std::size_t before = cache.state_bytes();
  for (std::uint64_t line = 4 * lines; line < 400 * lines; ++line) {
    const L2Cache::Access access = cache.write(line, 1);
    ASSERT_FALSE(access.hit);
    ASSERT_EQ(access.pending->ready, 0u) << line << ": of the line that was there before";
    access.pending->ready = line;
  }
  EXPECT_LE(cache.state_bytes(), before + before / 8);
  EXPECT_FALSE(cache.holds(0));
  EXPECT_FALSE(cache.read(0).hit) << "its state is that of a line that was never there";
  EXPECT_EQ(cache.read(0, 1).fetched, 0);
}

/// What a die gets from many others lies apart, and of each of them L2 holds some 256 KiB.
TEST(L2Cache, StatesOfLinesOfManyStreamsTakeLittleMoreThanThoseLines) {
  constexpr std::uint64_t kStreams = 24, kHeld = 512, kApart = 16384, kStateBytes = 32;
  L2Cache cache(kLine * kWays * 512, kLine, kWays, kRotation);
  for (std::uint64_t i = 0; i < kStreams * kHeld; ++i) {
    cache.write(i % kStreams * kApart + i / kStreams);
  }
  EXPECT_LE(cache.state_bytes(), 5 * kStreams * kHeld * kStateBytes / 2);
}

/// Of the room that each of 256 peers has in a window four rows are used.
TEST(L2Cache, StatesOfAFewRowsOfEachPeerTakeLittleMoreThanTheirLines) {
  constexpr std::uint64_t kPeers = 256, kHeld = 60, kApart = 1920, kStateBytes = 32;
  L2Cache cache(kLine * kWays * 4096, kLine, kWays, kRotation);
  for (std::uint64_t i = 0; i < kPeers * kHeld; ++i) {
    cache.write(i / kHeld * kApart + i % kHeld);
  }
  EXPECT_LE(cache.state_bytes(), 4 * kPeers * kHeld * kStateBytes);
}

/// Kernels' code lies behind all of global memory.
TEST(L2Cache, AHighLineIsHeldBesideLowOnes) {
  constexpr std::uint64_t kHighest = (std::uint64_t{128} << 30) / kLine;
  L2Cache cache(kLine * kWays * 512, kLine, kWays, kRotation);
  cache.read(kHighest);
  cache.read(1);
  cache.read(2 * kHighest);  // the list of pages grows
  EXPECT_TRUE(cache.holds(kHighest));
  EXPECT_TRUE(cache.holds(1));
  EXPECT_FALSE(cache.holds(kHighest - 1));
}

/// Numbers of accesses up to `last_number` are enough for the cache.
void expect_as_a_plain_list_of_lines(std::uint32_t last_number) {
  constexpr std::uint64_t kSets = 8;
  L2Cache cache(kLine * 4 * kSets, kLine, 4, kRotation, last_number);
  std::vector<std::list<std::uint64_t>> sets(kSets);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t line = random() % 100;
    // Each stretch of kSets lines is rotated by so many sets more than the one before.
    auto& set = sets[(line + line / kSets * kRotation) % kSets];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    set.push_front(line);
    if (set.size() > 4) set.pop_back();
    ASSERT_EQ(cache.read(line).hit, hit) << i;
  }
}

TEST(L2Cache, AgreesWithAPlainListOfLines) {
  expect_as_a_plain_list_of_lines(L2Cache::kLastNumber);
}

/// 32 lines have at most 64 numbers, so that these are made small again every 36 accesses or more.
TEST(L2Cache, KeepsTheOrderOfItsLinesWhenTheirNumbersAreMadeSmall) {
  expect_as_a_plain_list_of_lines(100);
}

}  // namespace
}  // namespace davsim::memory
