#include "memory/global_memory.hpp"

#include <gtest/gtest.h>

#include <new>
#include <random>
#include <stdexcept>

namespace davsim::memory {
namespace {

std::uint64_t address(const std::byte* p) {
  return reinterpret_cast<std::uint64_t>(p);
}

TEST(GlobalMemory, AllocationsAreZeroedAlignedAndApart) {
  GlobalMemory memory(1 << 20);
  std::byte* a = memory.allocate(100, "a");
  std::byte* b = memory.allocate(1, "b");
  EXPECT_EQ(address(a) % 512, 0u);
  EXPECT_EQ(address(b) % 512, 0u);
  EXPECT_GE(b - a, 512 + 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a[i], std::byte{0});
}

TEST(GlobalMemory, KnowsWhatIsInside) {
  GlobalMemory memory(1 << 20);
  const auto a = address(memory.allocate(100, "weights"));
  EXPECT_TRUE(memory.contains(a, 100));
  EXPECT_TRUE(memory.contains(a + 99, 1));
  EXPECT_FALSE(memory.contains(a + 99, 2));
  EXPECT_FALSE(memory.contains(a - 1, 1));
  EXPECT_FALSE(memory.contains(0, 1));
  EXPECT_FALSE(memory.contains(a + 1, ~std::uint64_t{0}));
  EXPECT_NE(memory.describe(a + 90, 20).find("weights"), std::string::npos);
}

TEST(GlobalMemory, FreedMemoryIsTakenAgainAndZeroed) {
  GlobalMemory memory(1 << 20);
  std::byte* a = memory.allocate(300000, "a");
  a[0] = a[299999] = std::byte{7};
  memory.free(a);
  EXPECT_FALSE(memory.contains(address(a), 1));
  std::byte* b = memory.allocate(300000, "b");
  EXPECT_EQ(a, b);
  EXPECT_EQ(b[0], std::byte{0});
  EXPECT_EQ(b[299999], std::byte{0});
  EXPECT_THROW(memory.free(b + 1), std::invalid_argument);
}

TEST(GlobalMemory, RefusesWhatDoesNotFit) {
  GlobalMemory memory(1 << 20);
  EXPECT_THROW(memory.allocate(2 << 20, "big"), std::bad_alloc);
  EXPECT_THROW(memory.allocate(~std::uint64_t{0}, "huge"), std::bad_alloc);
  EXPECT_NO_THROW(memory.allocate(0, "nothing"));
}

TEST(GlobalMemory, HolesMergeAgain) {
  GlobalMemory memory(1 << 20);
  std::mt19937 random(3);
  std::vector<std::byte*> live;
  for (int i = 0; i < 2000; ++i) {
    if (live.size() > 20 || (!live.empty() && random() % 2 == 0)) {
      const std::size_t k = random() % live.size();
      memory.free(live[k]);
      live.erase(live.begin() + static_cast<std::ptrdiff_t>(k));
    } else {
      live.push_back(memory.allocate(random() % 20000, "x"));
    }
  }
  for (std::byte* p : live) memory.free(p);
  EXPECT_NO_THROW(memory.allocate((1 << 20) - 512, "all"));
}

TEST(GlobalMemory, DeviceAddressesStartAtZero) {
  GlobalMemory memory(1 << 20);
  EXPECT_EQ(memory.device_address(address(memory.allocate(1, "a"))), 0u);
}

}  // namespace
}  // namespace davsim::memory
