// The queue of what happens on the fabric.
#include "sim/system/event_queue.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <utility>

namespace davsim::sim {
namespace {

struct Entry {
  memory::Cycle cycle;
  std::uint32_t order;
  bool operator>(const Entry& other) const {
    return cycle != other.cycle ? cycle > other.cycle : order > other.order;
  }
};

TEST(EventQueue, GivesEntriesInTheirOrderWheneverTheyCame) {
  EventQueue<Entry> queue;
  std::set<std::pair<memory::Cycle, std::uint32_t>> expected;
  std::mt19937 random(1);
  memory::Cycle now = 0;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    // From the present cycle to far behind it; the queue is empty from time to time.
    const memory::Cycle ahead = random() % 4 == 0 ? random() % 100000 : random() % 300;
    queue.push({now + ahead, i});
    expected.insert({now + ahead, i});
    for (std::uint32_t left = i % 1000 == 999 ? 100000 : random() % 3; left > 0; --left) {
      ASSERT_EQ(queue.empty(), expected.empty());
      if (expected.empty()) break;
      const auto [cycle, order] = *expected.begin();
      ASSERT_EQ(queue.top().cycle, cycle);
      ASSERT_EQ(queue.top().order, order);
      now = cycle;
      queue.pop();
      expected.erase(expected.begin());
    }
  }
  queue.push({now, 0});
  queue.push({now + 100000, 0});
  queue.clear();
  EXPECT_TRUE(queue.empty());
  queue.push({1, 0});  // earlier than all before
  EXPECT_EQ(queue.top().cycle, 1u);
}

}  // namespace
}  // namespace davsim::sim
