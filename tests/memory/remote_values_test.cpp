// The values of a transfer between two dies.
#include "memory/remote_values.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>

namespace davsim::memory {
namespace {

/// A page of the other memory.
class RemoteValuesTest : public testing::Test {
 protected:
  RemoteValuesTest() {
    constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS;
    page_ = static_cast<std::byte*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, kFlags, -1, 0));
  }
  ~RemoteValuesTest() override { munmap(page_, kBytes); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(page_); }

  static constexpr std::size_t kBytes = 4096;
  std::byte* page_ = nullptr;
};

TEST_F(RemoteValuesTest, AWriteReachesTheOtherMemory) {
  std::array<std::byte, 64> line;
  line.fill(std::byte{7});
  RemoteValues(address() + 64, 64, line.data()).write();
  EXPECT_EQ(page_[63], std::byte{0});
  EXPECT_EQ(std::memcmp(page_ + 64, line.data(), line.size()), 0);
  EXPECT_EQ(page_[128], std::byte{0});
}

/// The host gives a page to whoever writes to it. Here that is not allowed.
TEST_F(RemoteValuesTest, AWriteOfWhatIsThereLeavesTheHostsPageAlone) {
  const std::array<std::byte, 64> zeros{};
  ASSERT_EQ(mprotect(page_, kBytes, PROT_READ), 0);
  RemoteValues(address(), 64, zeros.data()).write();
  EXPECT_EQ(page_[0], std::byte{0});
}

}  // namespace
}  // namespace davsim::memory
