// Same work, same cycles: from run to run and whatever the order in which cores are woken.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class Determinism : public DeviceTest, public ::testing::WithParamInterface<std::uint32_t> {
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

// The cycles of this kernel on every host. They change when the timing model changes, and only
// then.
constexpr observe::Cycle kExpected = 15447;

TEST_P(Determinism, WakeOrderDoesNotMatter) {
  device(soc(), {.wake_order_seed = GetParam()});
  EXPECT_EQ(run().cycles, kExpected);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Determinism, ::testing::Values(0u, 1u, 2u, 3u, 4u));

TEST_F(Determinism, OneThreadCountsTheSameCyclesAsTwo) {
  device(soc(), {.threads = 1});
  EXPECT_EQ(run().cycles, kExpected);
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
