#include "sim/unit/short_queue.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <random>

namespace davsim::sim {
namespace {

TEST(ShortQueue, IsADeque) {
  ShortQueue<int, 3> queue;
  std::deque<int> expected;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    // At first it never has more elements than lie in the object.
    const std::size_t most = i < 5000 ? 3 : 20;
    if (expected.size() < most && random() % 2 == 0) {
      queue.push_back(i);
      expected.push_back(i);
    } else {
      const std::size_t gone = random() % (expected.size() + 1);
      queue.pop_front(gone);
      expected.erase(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    if (i % 1000 == 999) queue.clear(), expected.clear();
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.empty(), expected.empty());
    for (std::size_t at = 0; at < expected.size(); ++at) ASSERT_EQ(queue[at], expected[at]);
    if (expected.empty()) continue;
    ASSERT_EQ(queue.front(), expected.front());
    ASSERT_EQ(queue.back(), expected.back());
  }
}

}  // namespace
}  // namespace davsim::sim
