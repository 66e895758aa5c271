#include "memory/global_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST(GlobalMemory, ALargerAlignmentLeavesAHoleThatIsUsed) {
  constexpr std::uint64_t kLarge = 2 << 20;
  GlobalMemory memory(4 * kLarge);
  const std::byte* const first = memory.allocate(100, "first");
  std::byte* const window = memory.allocate(kLarge, "window", kLarge);
  EXPECT_EQ((address(window) - memory.base()) % kLarge, 0u);
  const std::byte* const between = memory.allocate(100, "between");
  EXPECT_GT(between, first);
  EXPECT_LT(between, window);
  memory.free(window);
  EXPECT_EQ(memory.allocate(kLarge, "again", kLarge), window);
  EXPECT_THROW(memory.allocate(2 * kLarge, "too much", kLarge), std::bad_alloc);
}

TEST(GlobalMemory, TheLastAllocationLiesBehindAllOthers) {
  constexpr std::uint64_t kMiB = 1 << 20;
  GlobalMemory memory(160 * kMiB);
  std::byte* last = memory.allocate_last(16 * kMiB, "last");
  // Address space is taken in steps from both ends, which meet here.
  std::byte* first = memory.allocate(20 * kMiB, "first");
  std::byte* second = memory.allocate(120 * kMiB, "second");
  EXPECT_EQ(address(first), memory.base());
  EXPECT_LT(address(second) + 120 * kMiB, address(last));
  EXPECT_LE(address(last) + 16 * kMiB + 512, memory.base() + memory.capacity());
  for (std::byte* byte : {last, last + 16 * kMiB - 1, first, second, second + 120 * kMiB - 1}) {
    EXPECT_EQ(*byte, std::byte{0});
    *byte = std::byte{1};
  }
  EXPECT_THROW(memory.allocate_last(16 * kMiB, "too much"), std::bad_alloc);
  for (std::byte* start : {last, first, second}) memory.free(start);
  EXPECT_EQ(memory.allocate(159 * kMiB, "all")[158 * kMiB], std::byte{0}) << "holes are merged";
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

/// A file in memory, as a client of the device makes it, and its own view of it.
class SharedFile {
 public:
  ~SharedFile() { close(descriptor_); }
  int descriptor() const { return descriptor_; }
  std::uint64_t bytes() const {
    struct stat about {};
    fstat(descriptor_, &about);
    return static_cast<std::uint64_t>(about.st_size);
  }
  std::uint64_t taken_bytes() const {
    struct stat about {};
    fstat(descriptor_, &about);
    return static_cast<std::uint64_t>(about.st_blocks) * 512;
  }
  std::byte read(std::uint64_t offset) const {
    std::byte value{};
    EXPECT_EQ(pread(descriptor_, &value, 1, static_cast<off_t>(offset)), 1);
    return value;
  }

 private:
  int descriptor_ = memfd_create("davsim_test", MFD_CLOEXEC);
};

TEST(GlobalMemory, OfAFileIsSeenThroughTheFileAtTheDeviceAddress) {
  const SharedFile file;
  GlobalMemory memory(std::uint64_t{64} << 30, file.descriptor());
  EXPECT_EQ(file.bytes(), std::uint64_t{64} << 30);
  memory.allocate(100, "a");
  std::byte* b = memory.allocate(100, "b");
  b[99] = std::byte{7};
  EXPECT_EQ(file.read(memory.device_address(address(b)) + 99), std::byte{7});
  EXPECT_LE(file.taken_bytes(), 4u << 20);
}

TEST(GlobalMemory, OfAFileIsZeroedAndGivenBackWhenFreed) {
  const SharedFile file;
  GlobalMemory memory(std::uint64_t{1} << 30, file.descriptor());
  for (const std::uint64_t bytes : {300000u, 128u << 20}) {
    std::byte* a = memory.allocate(bytes, "a");
    a[0] = a[bytes / 2] = a[bytes - 1] = std::byte{7};
    memory.free(a);
    std::byte* b = memory.allocate(bytes, "b");
    EXPECT_EQ(a, b);
    for (const std::uint64_t i : {std::uint64_t{0}, bytes / 2, bytes - 1}) {
      EXPECT_EQ(b[i], std::byte{0}) << i << " of " << bytes;
    }
    memory.free(b);
  }
  EXPECT_LE(file.taken_bytes(), 16u << 20);
}

TEST(GlobalMemory, AllocatesAtAPlaceThatIsFree) {
  constexpr std::uint64_t kMiB = 1 << 20;
  GlobalMemory memory(256 * kMiB);
  std::byte* const first = memory.allocate(100, "first");
  for (const std::uint64_t at : {64 * kMiB, 200 * kMiB}) {
    std::byte* const there = memory.allocate_at(memory.base() + at, kMiB, "there");
    EXPECT_EQ(address(there), memory.base() + at);
    there[kMiB - 1] = std::byte{1};
    EXPECT_THROW(memory.allocate_at(memory.base() + at + kMiB / 2, 512, "in it"), std::bad_alloc);
  }
  EXPECT_THROW(memory.allocate_at(address(first), 100, "again"), std::bad_alloc);
  EXPECT_THROW(memory.allocate_at(memory.base() + 255 * kMiB, kMiB, "too much"), std::bad_alloc);
}

TEST(GlobalMemory, TheLastAllocationsLieBeforeEachOther) {
  constexpr std::uint64_t kMiB = 1 << 20;
  GlobalMemory memory(64 * kMiB);
  std::byte* const last = memory.allocate_last(kMiB, "last", 2 * kMiB);
  EXPECT_EQ(address(last), memory.base() + 62 * kMiB);
  EXPECT_EQ(address(memory.allocate_last(3 * kMiB, "before", 2 * kMiB)), memory.base() + 58 * kMiB);
  memory.free(last);
  EXPECT_EQ(address(memory.allocate_last(kMiB, "again", 2 * kMiB)), memory.base() + 62 * kMiB);
}

TEST(GlobalMemory, GivesItsBytesToAFile) {
  constexpr std::uint64_t kMiB = 1 << 20;
  GlobalMemory memory(256 * kMiB);
  std::byte* const first = memory.allocate(kMiB, "first");
  std::byte* const last = memory.allocate_last(kMiB, "last");
  first[5] = last[7] = std::byte{3};
  const int file = memory.share_with_processes();
  EXPECT_EQ(memory.share_with_processes(), file);
  const auto in_file = [&](const std::byte* of) {
    std::byte value{};
    EXPECT_EQ(pread(file, &value, 1, static_cast<off_t>(memory.device_address(address(of)))), 1);
    return value;
  };
  EXPECT_EQ(in_file(first + 5), std::byte{3});
  EXPECT_EQ(in_file(last + 7), std::byte{3});
  first[6] = std::byte{4};
  EXPECT_EQ(in_file(first + 6), std::byte{4});
  std::byte* const later = memory.allocate(100 * kMiB, "later");
  later[100 * kMiB - 1] = std::byte{5};
  EXPECT_EQ(in_file(later + 100 * kMiB - 1), std::byte{5});
  memory.free(first);
  EXPECT_EQ(memory.allocate(kMiB, "again")[5], std::byte{0});
}

/// Two dies of equal places in two processes, of which this is one.
TEST(GlobalMemory, AVisitHasTheBytesAndAllocationsOfAnotherProcess) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const SharedFile file;
  GlobalMemory there(256 * kMiB, file.descriptor()), here(256 * kMiB);
  std::byte* const own = here.allocate(kMiB, "own");
  own[3] = std::byte{1};
  std::byte* const theirs = there.allocate(2 * kMiB, "theirs");
  theirs[3] = std::byte{2};
  const std::uint64_t bytes_before = here.allocated_bytes();
  {
    const GlobalMemory::Visit visit(
        here, {file.descriptor(), {{address(own), 2 * kMiB, "theirs", 0, true, true}}});
    EXPECT_TRUE(here.is_visited());
    EXPECT_EQ(own[3], std::byte{2});
    own[2 * kMiB - 1] = std::byte{9};
    EXPECT_TRUE(here.contains_shared(address(own), 2 * kMiB));
    std::byte* const between = here.allocate(kMiB, "for the visit");
    EXPECT_GE(address(between), here.base() + 128 * kMiB);
    between[0] = std::byte{7};
    here.free(between);
    here.allocate(kMiB, "left over");
  }
  EXPECT_FALSE(here.is_visited());
  EXPECT_EQ(theirs[2 * kMiB - 1], std::byte{9});
  EXPECT_EQ(own[3], std::byte{1});
  EXPECT_EQ(here.allocated_bytes(), bytes_before);
  EXPECT_FALSE(here.contains(address(own), 2 * kMiB));
  here.allocate(100 * kMiB, "more");
  EXPECT_THROW(GlobalMemory::Visit(here, {100000, {}}), std::runtime_error);
  EXPECT_EQ(own[3], std::byte{1});
}

TEST(GlobalMemory, BorrowedBytesStayWhereTheyAreThroughSharingAndVisits) {
  constexpr std::uint64_t kMiB = 1 << 20;
  const SharedFile file;
  GlobalMemory there(256 * kMiB, file.descriptor()), here(256 * kMiB);
  std::byte* const theirs = there.allocate(4 * kMiB, "theirs");
  std::byte* const own = here.allocate(kMiB, "own");
  own[5] = std::byte{1};
  std::byte* const lent =
      here.borrow(file.descriptor(), there.device_address(address(theirs)) + kMiB, kMiB, "lent");
  std::byte* const gone = here.borrow(file.descriptor(), 3 * kMiB, 4096, "gone");
  here.end_borrowing(gone);
  const auto expect_theirs = [&](int value) {
    theirs[kMiB + 9] = std::byte(value);
    EXPECT_EQ(lent[9], std::byte(value));
  };
  expect_theirs(2);
  here.share_with_processes();
  expect_theirs(3);
  {
    const SharedFile other;
    const GlobalMemory elsewhere(256 * kMiB, other.descriptor());
    const GlobalMemory::Visit visit(here, {other.descriptor(), {}});
    EXPECT_EQ(own[5], std::byte{0});
  }
  EXPECT_EQ(own[5], std::byte{1});
  expect_theirs(4);
}

TEST(GlobalMemory, RefusesWhatIsNoFileInMemory) {
  EXPECT_THROW(GlobalMemory(1 << 20, 100000), std::runtime_error);
}

TEST(GlobalMemory, DeviceAddressesStartAtZero) {
  GlobalMemory memory(1 << 20);
  EXPECT_EQ(memory.device_address(address(memory.allocate(1, "a"))), 0u);
}

}  // namespace
}  // namespace davsim::memory
