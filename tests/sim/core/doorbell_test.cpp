#include "sim/core/doorbell.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace davsim::test {
namespace {

using namespace std::chrono_literals;

/// Long enough that whoever waits sleeps by then.
constexpr auto kUntilAsleep = 20ms;

TEST(Doorbell, WhoeverComesAfterItRangDoesNotWait) {
  sim::Doorbell bell;
  const std::uint64_t before = bell.rings();
  bell.ring();
  bell.wait(before);
  EXPECT_EQ(bell.rings(), before + 1);
}

TEST(Doorbell, RingingWakesAllWhoSleep) {
  sim::Doorbell bell;
  const std::uint64_t before = bell.rings();
  std::thread one([&] { bell.wait(before); }), other([&] { bell.wait(before); });
  std::this_thread::sleep_for(kUntilAsleep);
  bell.ring();
  one.join();
  other.join();
}

/// Two threads that answer each other: a ring that is lost would leave both asleep.
TEST(Doorbell, NoRingIsLost) {
  constexpr std::uint64_t kRounds = 20000;
  sim::Doorbell there, back;
  std::thread other([&] {
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      there.wait(i);
      back.ring();
    }
  });
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    there.ring();
    back.wait(i);
  }
  other.join();
  EXPECT_EQ(back.rings(), kRounds);
}

}  // namespace
}  // namespace davsim::test
