#include "memory/l2_cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace davsim::memory {
namespace {

constexpr std::uint32_t kLine = 512, kWays = 24;

TEST(L2Cache, SizesOfTheSocsDivideIntoTheirSets) {
  EXPECT_EQ(L2Cache(201326592, kLine, kWays).sets(), 16384u);
  EXPECT_EQ(L2Cache(176160768, kLine, kWays).sets(), 14336u);
  EXPECT_EQ(L2Cache(100663296, kLine, kWays).sets(), 8192u);
  EXPECT_THROW(L2Cache(1000, kLine, kWays), std::invalid_argument);
  EXPECT_THROW(L2Cache(0, kLine, kWays), std::invalid_argument);
}

TEST(L2Cache, ASecondTouchHits) {
  L2Cache cache(kLine * kWays * 4, kLine, kWays);
  EXPECT_FALSE(cache.access(7, false).hit);
  EXPECT_TRUE(cache.access(7, false).hit);
  cache.flush();
  EXPECT_FALSE(cache.access(7, false).hit);
}

TEST(L2Cache, TheLeastRecentlyUsedLineOfASetLeaves) {
  L2Cache cache(kLine * kWays, kLine, kWays);  // one set
  for (std::uint64_t line = 0; line < kWays; ++line) cache.access(line, false);
  cache.access(0, false);
  EXPECT_FALSE(cache.access(100, false).hit);
  EXPECT_TRUE(cache.holds(0));
  EXPECT_FALSE(cache.holds(1));
}

TEST(L2Cache, OnlyDirtyLinesAreWrittenBack) {
  L2Cache cache(kLine * 2, kLine, 2);
  cache.access(0, true);
  cache.access(1, false);
  EXPECT_TRUE(cache.access(2, false).writes_back);   // line 0
  EXPECT_FALSE(cache.access(3, false).writes_back);  // line 1
}

TEST(L2Cache, AgreesWithAPlainListOfLines) {
  constexpr std::uint64_t kSets = 8;
  L2Cache cache(kLine * 4 * kSets, kLine, 4);
  std::vector<std::list<std::uint64_t>> sets(kSets);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::uint64_t line = random() % 100;
    auto& set = sets[line % kSets];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    set.push_front(line);
    if (set.size() > 4) set.pop_back();
    ASSERT_EQ(cache.access(line, false).hit, hit) << i;
  }
}

}  // namespace
}  // namespace davsim::memory
