// The memory that the library of kernels keeps for itself: what each launch finds there.
#include "isa/core/library_workspace.hpp"

#include <algorithm>
#include <cstring>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using isa::KernelType;
using isa::LibraryWorkspace;

class LibraryMemory : public DeviceTest {
 protected:
  static constexpr std::uint64_t kLeast = 16 << 20;

  /// The workspace that a launch of `blocks` blocks sees.
  LibraryWorkspace of(KernelType type, std::uint32_t blocks) {
    LibraryWorkspace seen;
    const auto look = [&seen] { seen = isa::library_workspace(); };
    launch(type, blocks, look, look);
    return seen;
  }
  std::size_t allocations() {
    std::size_t count = 0;
    for (const auto& live : device().memory().allocations()) {
      count += live.name.find("library") != std::string::npos;
    }
    return count;
  }
  /// Words and tiles of a vector core.
  static std::uint8_t* part(const LibraryWorkspace& all, std::uint64_t vector) {
    return reinterpret_cast<std::uint8_t*>(all.start) + vector * LibraryWorkspace::kBytesOfCore;
  }
  static std::uint64_t written(const std::uint8_t* from, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(std::count(from, from + bytes, 0xa5));
  }
};

TEST_F(LibraryMemory, KernelsOfVectorCoresAloneHaveNone) {
  EXPECT_EQ(of(KernelType::kAivOnly, 1).start, 0u);
  EXPECT_EQ(allocations(), 0u);
  of(KernelType::kMix12, 1);
  EXPECT_EQ(of(KernelType::kAivOnly, 1).start, 0u);
}

TEST_F(LibraryMemory, ItHasRoomForEachVectorCoreAndGrowsOnlyWhereALaunchNeedsMore) {
  const LibraryWorkspace few = of(KernelType::kMix12, 1);
  EXPECT_EQ(few.bytes, kLeast);
  EXPECT_NE(few.start, 0u);
  // 32 vector cores fill what there is; 34 do not.
  const LibraryWorkspace full = of(KernelType::kMix12, 16), more = of(KernelType::kMix12, 17);
  EXPECT_EQ(full.bytes, kLeast);
  EXPECT_EQ(full.start, few.start);
  EXPECT_EQ(more.bytes, 34 * LibraryWorkspace::kBytesOfCore);
  const LibraryWorkspace again = of(KernelType::kMix12, 2);
  EXPECT_EQ(again.start, more.start);
  EXPECT_EQ(again.bytes, more.bytes);
  EXPECT_EQ(allocations(), 1u);
  // Kernels of the cube alone, and one vector core for each cube core.
  EXPECT_EQ(of(KernelType::kAicOnly, 40).bytes, 40 * LibraryWorkspace::kBytesOfCore);
  EXPECT_EQ(of(KernelType::kMix11, 41).bytes, 41 * LibraryWorkspace::kBytesOfCore);
  EXPECT_EQ(allocations(), 1u);
}

TEST_F(LibraryMemory, EachLaunchWithVectorCoresBeginsWithItsWordsAtZeroAndNothingElseChanged) {
  constexpr std::uint64_t kWords = LibraryWorkspace::kWordBytes;
  constexpr std::uint64_t kTiles = LibraryWorkspace::kBytesOfCore - kWords;
  const LibraryWorkspace all = of(KernelType::kMix12, 3);
  std::memset(part(all, 0), 0xa5, all.bytes);
  of(KernelType::kAicOnly, 3);
  for (std::uint64_t vector = 0; vector < 7; ++vector) {
    EXPECT_EQ(written(part(all, vector), kWords), kWords) << vector;
  }
  of(KernelType::kMix12, 3);
  for (std::uint64_t vector = 0; vector < 7; ++vector) {
    EXPECT_EQ(written(part(all, vector), kWords), vector < 6 ? 0 : kWords) << vector;
    EXPECT_EQ(written(part(all, vector) + kWords, kTiles), kTiles) << vector;
  }
}

TEST_F(LibraryMemory, WordsAreTheFirstBytesOfEachPart) {
  const LibraryWorkspace all{4096, 2 * LibraryWorkspace::kBytesOfCore};
  constexpr std::uint64_t kWords = LibraryWorkspace::kWordBytes;
  for (const std::uint64_t part : {std::uint64_t{4096}, 4096 + LibraryWorkspace::kBytesOfCore}) {
    EXPECT_TRUE(all.has_word(part));
    EXPECT_TRUE(all.has_word(part + kWords - 1));
    EXPECT_FALSE(all.has_word(part + kWords));
  }
  EXPECT_FALSE(all.has_word(4095));
  EXPECT_FALSE(all.has_word(4096 + all.bytes));
}

}  // namespace
}  // namespace davsim::test
