#include "traces/busy_union.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace davsim::traces {
namespace {

TEST(BusyUnion, CountsOverlapsOnce) {
  BusyUnion u;
  EXPECT_EQ(u.length(), 0u);
  u.add(10, 20);
  u.add(15, 30);
  u.add(30, 35);  // touches
  u.add(40, 40);  // nothing
  EXPECT_EQ(u.length(), 25u);
  u.add(5, 12);  // late
  u.add(50, 60);
  u.add(36, 38);  // late, in a gap
  EXPECT_EQ(u.length(), 42u);
  u.add(0, 100);
  EXPECT_EQ(u.length(), 100u);
}

TEST(BusyUnion, AgreesWithCountingCycles) {
  std::mt19937 random(7);
  BusyUnion u;
  std::vector<bool> busy(200000);
  for (Cycle at = 100; at < 190000; at += 1 + random() % 40) {
    const Cycle begin = at - random() % 100, end = begin + random() % 60;
    u.add(begin, end);
    for (Cycle c = begin; c < end; ++c) busy[c] = true;
  }
  EXPECT_EQ(u.length(), static_cast<Cycle>(std::count(busy.begin(), busy.end(), true)));
}

}  // namespace
}  // namespace davsim::traces
