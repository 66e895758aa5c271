#include "memory/large_pages.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>
#include <memory_resource>
#include <vector>

#include "memory/fresh_pages.hpp"
#include "memory/global_memory.hpp"

namespace davsim::test {
namespace {

constexpr std::uint64_t kPage = 4096;

/// Pages of [start, start + bytes) that cost host memory.
std::size_t resident_pages(const std::byte* start, std::uint64_t bytes) {
  const auto first = reinterpret_cast<std::uint64_t>(start) / kPage * kPage;
  std::vector<unsigned char> pages((bytes + kPage - 1) / kPage);
  EXPECT_EQ(mincore(reinterpret_cast<void*>(first), pages.size() * kPage, pages.data()), 0);
  std::size_t count = 0;
  for (const unsigned char page : pages) count += page & 1u;
  return count;
}

TEST(LargePages, APoolTakesMemoryFromThem) {
  memory::LargePages pages;
  std::pmr::monotonic_buffer_resource pool(1000, &pages);
  std::pmr::vector<int> numbers(1 << 20, &pool);
  numbers.back() = 7;
  EXPECT_EQ(numbers.back(), 7);
  void* alone = pages.allocate(100);
  EXPECT_EQ(reinterpret_cast<std::uint64_t>(alone) % (2u << 20), 0u);
  std::memset(alone, 1, 100);
  pages.deallocate(alone, 100);
}

TEST(LargePages, APoolThatDoesNotPreferThemCostsSmallPages) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  memory::LargePages pages(false);
  auto* const room = static_cast<std::byte*>(pages.allocate(kBytes));
  for (std::size_t at = 0; at < kBytes; at += kBytes / 8) room[at] = std::byte{1};
  EXPECT_LE(resident_pages(room, kBytes), 8u);
  pages.deallocate(room, kBytes);
}

TEST(LargePages, ATouchInALargeAllocationCostsASmallPage) {
  memory::GlobalMemory memory(std::uint64_t{16} << 30);
  constexpr std::uint64_t kBytes = std::uint64_t{2} << 30;
  std::byte* cache = memory.allocate(kBytes, "cache");
  for (std::uint64_t at = kBytes / 8; at < kBytes; at += kBytes / 8) cache[at] = std::byte{1};
  EXPECT_LE(resident_pages(cache, kBytes), 7u);
}

TEST(LargePages, FreedMemoryIsZeroWhenItIsUsedAgain) {
  memory::GlobalMemory memory(std::uint64_t{16} << 20);
  constexpr std::uint64_t kBytes = std::uint64_t{6} << 20;
  std::byte* first = memory.allocate(kBytes, "first");
  std::memset(first, 1, kBytes);
  memory.free(first);
  const std::byte* again = memory.allocate(kBytes, "again");
  EXPECT_EQ(again, first);
  for (std::uint64_t i = 0; i < kBytes; i += 511) ASSERT_EQ(again[i], std::byte{0}) << i;
}

/// Of 16 MiB that were allocated for the worst case a few rows are used.
TEST(LargePages, OneOfManyDiesTakesSmallPagesAndGivesThemBack) {
  constexpr std::uint64_t kBytes = std::uint64_t{16} << 20, kPlace = std::uint64_t{1} << 46;
  memory::GlobalMemory memory(std::uint64_t{1} << 30, memory::GlobalMemory::OneOfMany{kPlace});
  EXPECT_EQ(memory.base(), kPlace);
  std::byte* window = memory.allocate(kBytes, "window");
  for (std::uint64_t at = 0; at < kBytes; at += kBytes / 8) window[at] = std::byte{1};
  EXPECT_LE(resident_pages(window, kBytes), 8u);
  memory.free(window);
  const std::byte* again = memory.allocate(kBytes, "again");
  ASSERT_EQ(again, window);
  EXPECT_LE(resident_pages(again, kBytes), 1u);
  EXPECT_EQ(again[kBytes / 8], std::byte{0});
}

TEST(FreshPages, CostMemoryOnlyWhereTheyWereUsed) {
  constexpr std::size_t kCount = std::size_t{1} << 20;
  memory::FreshPages<std::uint64_t> numbers(kCount);
  EXPECT_EQ(numbers.size(), kCount);
  EXPECT_EQ(numbers.get()[kCount - 1], 0u);
  numbers.get()[kCount / 2] = 7;
  const auto* const bytes = reinterpret_cast<const std::byte*>(numbers.get());
  EXPECT_LE(resident_pages(bytes, kCount * sizeof(std::uint64_t)), 2u);

  memory::FreshPages<std::uint64_t> moved = std::move(numbers);
  EXPECT_EQ(numbers.get(), nullptr);
  EXPECT_EQ(moved.get()[kCount / 2], 7u);
  moved = memory::FreshPages<std::uint64_t>(kCount);
  EXPECT_EQ(moved.get()[kCount / 2], 0u);
}

}  // namespace
}  // namespace davsim::test
