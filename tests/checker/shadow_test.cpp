// The shadow of a memory against one that keeps every byte by itself.
#include "checker/shadow.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace davsim::test {
namespace {

using checker::Cell;
using checker::Shadow;

constexpr std::uint64_t kBytes = 3 * Shadow::kPageBytes + 100;
constexpr std::uint32_t kAll = ~std::uint32_t{0};

/// Writes, and keeps what it is told on the way.
struct Writer {
  checker::Mark mark;
  std::uint64_t calls = 0;
  std::set<std::uint64_t> unwritten_bytes{};

  void change(Cell& cell, const Shadow::Run& run) {
    EXPECT_LT(run.from(), run.end());
    ++calls;
    cell = {};
    cell.write = mark;
    cell.written = true;
  }
  void unset(std::uint64_t from, std::uint64_t to, std::uint16_t) {
    for (std::uint64_t at = from; at < to; ++at) unwritten_bytes.insert(at);
  }
};

/// Looks at the cell of the first byte.
struct Probe {
  Cell cell{};
  std::uint64_t end = 0;
  void change(Cell& is, const Shadow::Run& run) {
    if (end != 0) return;
    cell = is;
    end = run.end();
  }
  void unset(std::uint64_t, std::uint64_t, std::uint16_t) {}
};

class ShadowTest : public ::testing::Test {
 protected:
  /// The same write on both sides.
  Writer write(std::uint64_t addr, std::uint64_t bytes, std::uint32_t mask = kAll) {
    Writer writer;
    writer.mark.stamp = static_cast<checker::Stamp>(++number_);
    shadow_.update({number_, mask}, addr, bytes, writer);
    std::set<std::uint64_t> expected;
    for (std::uint64_t at = addr; at < addr + bytes; ++at) {
      if (mask != kAll && (mask >> at % 32 & 1u) == 0) continue;
      if (plain_[at] == 0) expected.insert(at);
      plain_[at] = writer.mark.stamp;
    }
    EXPECT_EQ(writer.unwritten_bytes, expected);
    return writer;
  }
  Probe look(std::uint64_t addr, std::uint64_t bytes = 1) {
    Probe probe;
    shadow_.update({++number_, kAll}, addr, bytes, probe);
    return probe;
  }
  void compare() {
    std::uint64_t touched = 0;
    for (std::uint64_t at = 0; at < kBytes; ++at) {
      const Cell cell = look(at).cell;
      ASSERT_EQ(cell.write.stamp, plain_[at]) << "byte " << at;
      ASSERT_EQ(cell.written, plain_[at] != 0);
      touched += plain_[at] != 0;
    }
    EXPECT_EQ(shadow_.touched_bytes(), touched);
  }

  Shadow shadow_{kBytes, false};
  std::vector<checker::Stamp> plain_ = std::vector<checker::Stamp>(kBytes);
  std::uint64_t number_ = 0;
};

TEST_F(ShadowTest, AgreesWithBytesKeptOneByOne) {
  std::mt19937 random(7);
  const auto below = [&](std::uint64_t limit) { return random() % limit; };
  for (int i = 0; i < 400; ++i) {
    const std::uint64_t addr = below(kBytes);
    if (i % 3 == 0) {
      const std::uint64_t block = addr / 32;
      write(block * 32, (below(kBytes / 32 - block) + (block < kBytes / 32)) % 20 * 32,
            static_cast<std::uint32_t>(random()));
    } else {
      write(addr, std::min(kBytes - addr, 1 + below(i % 3 == 1 ? 40 : 3000)));
    }
    if (i % 40 == 0) compare();
  }
  compare();
}

TEST_F(ShadowTest, ForgetsWhenCleared) {
  write(5, 3000);
  shadow_.clear();
  std::fill(plain_.begin(), plain_.end(), 0);
  write(0, 64, 0x0f0f0f0f);
  compare();
}

TEST_F(ShadowTest, AlikeBytesAreOneRunAcrossPages) {
  write(40, kBytes - 80);
  EXPECT_EQ(look(48, kBytes - 48).end, kBytes - 40);
  write(2000, 3);
  EXPECT_EQ(look(48, 1000).end, 1048u);
  EXPECT_EQ(look(48, kBytes - 48).end, 2000u);
}

TEST_F(ShadowTest, RowsThatAreAlikeAreChangedOnce) {
  for (std::uint64_t row = 0; row < kBytes / 64; ++row) write(row * 64, 32);
  EXPECT_EQ(write(0, kBytes).calls, kBytes / 64 + 1);
  EXPECT_EQ(write(0, kBytes).calls, 1u) << "what was written at once is one";
  write(0, 6144, 0x00ff00ff);
  EXPECT_EQ(write(0, kBytes).calls, 2u);
}

TEST_F(ShadowTest, RowsOfOneAccessInOneBlockShareACell) {
  write(0, 32);
  for (std::uint64_t at = 0; at < 32; at += 4) write(at, 4);
  Writer writer;
  writer.mark.stamp = static_cast<checker::Stamp>(++number_);
  const std::uint64_t rows[] = {8, 0, 24, 4, 12, 28, 16, 20};
  for (const std::uint64_t row : rows) {
    shadow_.update({number_, kAll}, row, 4, writer);
    std::fill_n(plain_.begin() + static_cast<std::ptrdiff_t>(row), 4, writer.mark.stamp);
  }
  compare();
  EXPECT_EQ(look(0, 40).end, 32u) << "what was written at once is one run";
  EXPECT_EQ(write(0, 32).calls, 1u);
}

/// Every DataBlock of an access of its own.
TEST_F(ShadowTest, TakesLessThanFourTimesTheBytes) {
  for (std::uint64_t row = 0; row < kBytes / 32; ++row) write(row * 32, 32);
  EXPECT_LT(shadow_.host_bytes(), 4 * shadow_.touched_bytes());
}

}  // namespace
}  // namespace davsim::test
