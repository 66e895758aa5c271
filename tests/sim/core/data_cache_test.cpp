// The scalar unit's data cache by itself: sets and ways, what is written back, what is dropped.
#include "sim/core/data_cache.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <stdexcept>

namespace davsim::test {
namespace {

using sim::DataCache;

constexpr std::uint32_t kLine = 64, kWays = 2, kSets = 4;

class DataCacheTest : public ::testing::Test {
 protected:
  void fill(std::uint64_t line, std::uint8_t value = 0) {
    std::array<std::byte, kLine> bytes;
    bytes.fill(static_cast<std::byte>(value));
    cache.fill(line * kLine, bytes.data(), write_back);
  }
  bool holds(std::uint64_t line) { return cache.holds(line * kLine); }
  std::uint8_t read(std::uint64_t addr) {
    std::uint8_t value = 0;
    cache.read(addr, &value, 1);
    return value;
  }
  void write(std::uint64_t addr, std::uint8_t value) { cache.write(addr, &value, 1); }

  DataCache cache{kSets * kWays * kLine, kLine, kWays};
  std::map<std::uint64_t, std::uint8_t> written;  ///< bytes by address
  DataCache::WriteBack write_back = [this](std::uint64_t addr, const std::byte* bytes,
                                           std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) {
      written[addr + i] = static_cast<std::uint8_t>(bytes[i]);
    }
  };
};

TEST_F(DataCacheTest, ASetHoldsAsManyLinesAsItHasWays) {
  fill(0), fill(kSets), fill(1);
  EXPECT_TRUE(holds(0) && holds(kSets) && holds(1));
  fill(2 * kSets);  // the third line of set 0
  EXPECT_FALSE(holds(0)) << "the line that was used longest ago leaves";
  EXPECT_TRUE(holds(kSets) && holds(2 * kSets) && holds(1));
}

TEST_F(DataCacheTest, AReadKeepsALine) {
  fill(0, 7), fill(kSets);
  EXPECT_EQ(read(5), 7);
  fill(2 * kSets);
  EXPECT_TRUE(holds(0));
  EXPECT_FALSE(holds(kSets));
}

TEST_F(DataCacheTest, OnlyWrittenBytesGoBackWhenALineLeaves) {
  fill(0, 1), write(3, 9), write(4, 8), write(60, 7);
  fill(kSets), fill(2 * kSets);
  EXPECT_EQ(written, (std::map<std::uint64_t, std::uint8_t>{{3, 9}, {4, 8}, {60, 7}}));
}

TEST_F(DataCacheTest, CleaningARangeLeavesOtherLinesAlone) {
  fill(0), fill(1), write(0, 1), write(kLine, 2);
  cache.clean_and_invalidate(kLine, 1, write_back);
  EXPECT_TRUE(holds(0));
  EXPECT_FALSE(holds(1));
  EXPECT_EQ(written, (std::map<std::uint64_t, std::uint8_t>{{kLine, 2}}));
  cache.clean_and_invalidate(0, 0, write_back);
  EXPECT_FALSE(holds(0));
  EXPECT_EQ(written.at(0), 1);
}

TEST_F(DataCacheTest, WhatIsDroppedIsNotWrittenBack) {
  fill(0), write(0, 1);
  cache.drop_all();
  EXPECT_FALSE(holds(0));
  EXPECT_TRUE(written.empty());
}

TEST_F(DataCacheTest, APointerReadsAndWritesInTheLine) {
  fill(0, 1), write(4, 8);
  EXPECT_EQ(std::to_integer<int>(*cache.access(4, 1, false, false)), 8);
  *cache.access(9, 2, true, false) = std::byte{7};
  EXPECT_EQ(read(9), 7);
  cache.clean_and_invalidate(0, 0, write_back);
  EXPECT_EQ(written, (std::map<std::uint64_t, std::uint8_t>{{4, 8}, {9, 7}, {10, 1}}));
}

TEST_F(DataCacheTest, AnAccessOfAPointerKeepsALine) {
  fill(0), fill(kSets);
  cache.access(5, 1, false, false);
  fill(2 * kSets);
  EXPECT_TRUE(holds(0));
  EXPECT_FALSE(holds(kSets));
}

TEST(DataCacheSizes, MustGiveASet) {
  EXPECT_THROW(DataCache(32768, 64, 0), std::invalid_argument);
  EXPECT_THROW(DataCache(32768, 128, 4), std::invalid_argument);
  EXPECT_THROW(DataCache(128, 64, 4), std::invalid_argument);
  EXPECT_NO_THROW(DataCache(256, 64, 4));
}

}  // namespace
}  // namespace davsim::test
