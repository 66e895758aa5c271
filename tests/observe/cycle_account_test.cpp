// Cycles by class and by source line: every one is counted, whatever comes in between.
#include "observe/cycle_account.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace davsim::observe {
namespace {

using isa::Pipe;
using isa::SourceLocation;

SourceLocation line(std::uint32_t number) {
  return SourceLocation::current("kernel.cpp", number);
}

TEST(CycleAccount, CountsEachOfManyLines) {
  CycleAccount account;
  account.begin(100, true);
  using Key = std::tuple<CycleClass, Pipe, std::uint32_t, std::uint32_t>;
  std::map<Key, std::pair<std::uint64_t, Cycle>> expected;
  std::mt19937 random(7);
  Cycle total = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto cycle_class = static_cast<CycleClass>(random() % kCycleClassCount);
    const auto from = static_cast<Pipe>(random() % isa::kPipeCount);
    const std::uint32_t where = 1 + random() % 30, set_at = 1 + random() % 3;
    const Cycle cycles = random() % 5;
    account.add({cycle_class, from, line(where), line(set_at)}, cycles);
    auto& [times, sum] = expected[{cycle_class, from, where, set_at}];
    ++times;
    sum += cycles;
    total += cycles;
  }
  EXPECT_EQ(account.until(), 100 + total);
  const std::vector<LineCycles> lines = account.lines();
  EXPECT_EQ(lines.size(), expected.size());
  Cycle before = ~Cycle{0};
  for (const LineCycles& l : lines) {
    const auto& [times, sum] =
        expected.at({l.cycle_class, l.from, l.where.line(), l.set_at.line()});
    EXPECT_EQ(l.times, times);
    EXPECT_EQ(l.cycles, sum);
    EXPECT_LE(l.cycles, before);  // most cycles first
    before = l.cycles;
  }
}

TEST(CycleAccount, ALaunchBeginsWithNoLines) {
  CycleAccount account;
  account.begin(0, true);
  account.add({CycleClass::kBusy, Pipe::ALL, line(1), {}}, 10);
  account.begin(50, true);  // the launch before was aborted: nobody asked for its lines
  account.add({CycleClass::kBusy, Pipe::ALL, line(2), {}}, 0);
  account.fill({CycleClass::kWaitFlag, Pipe::V, line(3), line(4)}, 60);
  account.fill({CycleClass::kWaitFlag, Pipe::V, line(5), line(4)}, 60);  // nothing is left for it
  const std::vector<LineCycles> lines = account.lines();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].where.line(), 3u);
  EXPECT_EQ(lines[0].cycles, 10u);
  EXPECT_EQ(lines[1].where.line(), 2u);
  EXPECT_EQ(lines[1].times, 1u);
}

TEST(CycleAccount, KeepsNoLinesUnlessAsked) {
  CycleAccount account;
  account.begin(0, false);
  account.add({CycleClass::kBusy, Pipe::ALL, line(1), {}}, 10);
  EXPECT_EQ(account.cycles()[static_cast<std::size_t>(CycleClass::kBusy)], 10u);
  EXPECT_TRUE(account.lines().empty());
}

}  // namespace
}  // namespace davsim::observe
