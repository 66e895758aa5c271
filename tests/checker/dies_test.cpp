// Several dies that write to each other's memory: the checker takes loops that poll a flag for what
// they are, and finds what such a flag does not order.
#include <algorithm>
#include <memory>
#include <vector>

#include "checker/checker.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using checker::Class;

/// What die 0 leaves out on the way of its data to die 1.
enum class LeftOut { kNothing, kBarrier, kPoll };

class DiesUnderTheChecker : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCount = 4096;

  DiesUnderTheChecker() {
    sim::SystemConfig system = sim::SystemConfig::named("ascend_910c");
    sim::DeviceOptions options;
    options.max_cycles = 5'000'000;
    device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
    data_ = shared(kCount);
    flag_ = shared(8);
    device_->check(&checker_);
  }
  ~DiesUnderTheChecker() override { device_->check(nullptr); }

  std::int32_t* shared(std::size_t count) {
    std::byte* const start = device_->memory(1).allocate(count * 4, "shared");
    device_->memory(1).share(start);
    return reinterpret_cast<std::int32_t*>(start);
  }
  static void write(std::int32_t* data, std::int32_t* flag, LeftOut left) {
    const auto block = ub<std::int32_t>(0, kCount), word = ub<std::int32_t>(kCount * 4, 8);
    Duplicate(block, 7, kCount);
    Duplicate(word, 1, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(gm(data, kCount), block, kCount);
    if (left != LeftOut::kBarrier) PipeBarrier<PIPE_MTE3>();
    DataCopy(gm(flag, 8), word, 8);
  }
  static void read(std::int32_t* data, std::int32_t* flag, LeftOut left) {
    const auto block = ub<std::int32_t>(0, kCount), word = ub<std::int32_t>(kCount * 4, 8);
    std::int32_t seen = left == LeftOut::kPoll ? 1 : 0;
    while (seen != 1) {
      DataCopy(word, gm(flag, 8), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
      seen = word.GetValue(0);
      SetFlag<HardEvent::S_MTE2>(EVENT_ID1);
      WaitFlag<HardEvent::S_MTE2>(EVENT_ID1);
    }
    DataCopy(block, gm(data, kCount), kCount);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Duplicate(word, 0, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    if (left == LeftOut::kNothing) DataCopy(gm(flag, 8), word, 8);  // for the next time
  }
  /// The classes of what the checker finds.
  std::vector<Class> found(LeftOut left) {
    std::vector<sim::DieLaunch> launches;
    launches.push_back({0, &entry_, 1, 0, {}, [=, this] { write(data_, flag_, left); }});
    launches.push_back({1, &entry_, 1, 0, {}, [=, this] { read(data_, flag_, left); }});
    device_->launch(std::move(launches));
    std::vector<Class> classes;
    for (const checker::Finding& finding : checker_.findings().all()) {
      classes.push_back(finding.cls);
    }
    return classes;
  }
  const checker::Finding& finding() const { return checker_.findings().all().front(); }

  std::unique_ptr<sim::Device> device_;
  std::int32_t *data_ = nullptr, *flag_ = nullptr;
  isa::KernelEntry entry_{"dies", isa::KernelType::kAivOnly, nullptr, nullptr};
  checker::Checker checker_;
};

TEST_F(DiesUnderTheChecker, AFlagBehindTheDataOrdersThemForWhoPollsIt) {
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{});
  EXPECT_EQ(found(LeftOut::kNothing), std::vector<Class>{});  // it was cleared
}

TEST_F(DiesUnderTheChecker, AFlagThatNoBarrierHoldsBackOrdersNothing) {
  ASSERT_EQ(found(LeftOut::kBarrier), std::vector<Class>{Class::kRace});
  EXPECT_TRUE(finding().first.core.starts_with("die0.")) << finding().message;
  EXPECT_TRUE(finding().second.core.starts_with("die1.")) << finding().message;
  EXPECT_EQ(finding().bytes, kCount * 4);
}

TEST_F(DiesUnderTheChecker, DataThatNobodyWaitsForAreARace) {
  EXPECT_EQ(found(LeftOut::kPoll), std::vector<Class>{Class::kRace});
}

}  // namespace
}  // namespace davsim::test
