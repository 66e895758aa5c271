// Same work, same cycles: from run to run and whatever the order in which cores are woken.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <stdexcept>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class Determinism : public DeviceTest {
 protected:
  static sim::SocConfig soc() { return sim::SocConfig::named("Ascend910B3"); }
  /// A kernel in which cores compete for memory and for code, and meet.
  observe::LaunchReport run() {
    constexpr std::uint32_t kPart = 8192;
    if (data_ == nullptr)
      data_ = global<float>(100 * kPart, "data", [](auto i) { return float(i); });
    float* data = data_;
    return on_vector(100, [=] {
      const auto x = ub<float>(0, kPart);
      const auto mine = gm(data, 100 * kPart)[GetBlockIdx() * kPart];
      for (int i = 0; i < 3; ++i) {
        DataCopy(x, mine, kPart - 64 * (GetBlockIdx() % 5));
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(x, x, 1.0f, kPart);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(mine, x, kPart);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
      }
    });
  }

 private:
  float* data_ = nullptr;
};

/// Cycles of the kernel on a device in a process of its own, because a process has one device.
observe::Cycle cycles_in_a_process(const std::function<observe::Cycle()>& run) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) {
    const observe::Cycle cycles = run();
    _exit(write(ends[1], &cycles, sizeof(cycles)) == sizeof(cycles) ? 0 : 1);
  }
  close(ends[1]);
  observe::Cycle cycles = 0;
  const bool whole = read(ends[0], &cycles, sizeof(cycles)) == sizeof(cycles);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(whole && status == 0) << "the child went wrong";
  return cycles;
}

TEST_F(Determinism, NeitherTheWakeOrderNorTheThreadsMatter) {
  const auto cycles = [&](const sim::DeviceOptions& options) {
    return cycles_in_a_process([&] {
      device(soc(), options);
      return run().cycles;
    });
  };
  const observe::Cycle expected = cycles({});
  EXPECT_GT(expected, 0u);
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    EXPECT_EQ(cycles({.wake_order_seed = seed}), expected) << "seed " << seed;
  }
  EXPECT_EQ(cycles({.threads = 1}), expected);
}

TEST_F(Determinism, NorWithAMemoryThatAnswersLateOrByBanks) {
  for (const char* model : {"banks", "test_far"}) {  // the latter is in unit/hbm_models_test.cpp
    const auto cycles = [&](std::uint32_t seed) {
      return cycles_in_a_process([&] {
        sim::SocConfig config = soc();
        config.set("Models", "hbm", model);
        device(config, {.wake_order_seed = seed});
        return run().cycles;
      });
    };
    const observe::Cycle expected = cycles(0);
    EXPECT_GT(expected, 0u);
    for (const std::uint32_t seed : {1u, 2u}) {
      EXPECT_EQ(cycles(seed), expected) << model << ", seed " << seed;
    }
  }
}

TEST_F(Determinism, AColdLaunchTakesTheSameTimeAgain) {
  device(soc());
  const auto first = run();
  device().flush_l2();
  const auto second = run();
  EXPECT_EQ(first.cycles, second.cycles);
}

}  // namespace
}  // namespace davsim::test
