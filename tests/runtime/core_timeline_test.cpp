// Where launches of several streams lie in time.
#include "runtime/core/core_timeline.hpp"

#include <gtest/gtest.h>

namespace davsim::runtime {
namespace {

/// A launch on `cores` cores of a type, which all take `cycles` of a nanosecond.
observe::LaunchReport launch(isa::CoreType type, std::uint32_t cores, observe::Cycle cycles) {
  observe::LaunchReport report;
  report.frequency_mhz = 1000;
  report.cycles = cycles;
  report.launch_overhead_us = 2;
  for (std::uint32_t i = 0; i < cores; ++i) {
    observe::CoreCounters& core = report.cores.emplace_back();
    core.type = type;
    core.ai_core = type == isa::CoreType::AIV ? i / 2 : i;
    core.sub_block = type == isa::CoreType::AIV ? i % 2 : 0;
    core.end = cycles;
  }
  return report;
}

observe::LaunchReport mix(std::uint32_t ai_cores, observe::Cycle cycles) {
  observe::LaunchReport report = launch(isa::CoreType::AIC, ai_cores, cycles);
  const observe::LaunchReport vectors = launch(isa::CoreType::AIV, 2 * ai_cores, cycles);
  report.cores.insert(report.cores.end(), vectors.cores.begin(), vectors.cores.end());
  return report;
}

/// Two AI cores of one cube and two vector cores each.
class CoreTimelineTest : public ::testing::Test {
 protected:
  void expect(Microseconds ready, const observe::LaunchReport& report, Microseconds start,
              Microseconds end) {
    const CoreTimeline::Span span = timeline_.place(ready, report);
    EXPECT_DOUBLE_EQ(span.start, start);
    EXPECT_DOUBLE_EQ(span.end, end);
  }
  CoreTimeline timeline_{2, 2};
};

constexpr auto kAic = isa::CoreType::AIC, kAiv = isa::CoreType::AIV;

TEST_F(CoreTimelineTest, ALaunchTakesItsOverheadAndItsTime) {
  expect(0, launch(kAiv, 4, 10'000), 0, 12);
  expect(12, launch(kAiv, 4, 10'000), 12, 24);
}

TEST_F(CoreTimelineTest, LaunchesLieSideBySideOnFreeCores) {
  expect(0, launch(kAiv, 2, 10'000), 0, 12);
  expect(0, launch(kAiv, 2, 10'000), 0, 12);
  expect(0, launch(kAiv, 1, 10'000), 12, 24);
}

TEST_F(CoreTimelineTest, CubesAndVectorsAreDifferentCores) {
  expect(0, launch(kAic, 2, 10'000), 0, 12);
  expect(0, launch(kAiv, 4, 5'000), 0, 7);
}

TEST_F(CoreTimelineTest, AMixNeedsBothTypesOfAnAiCore) {
  expect(0, launch(kAiv, 1, 10'000), 0, 12);
  expect(0, mix(1, 3'000), 0, 5);
  expect(0, mix(2, 3'000), 12, 17);
}

TEST_F(CoreTimelineTest, CoresThatEndEarlyAreFreeEarly) {
  observe::LaunchReport uneven = launch(kAiv, 4, 10'000);
  uneven.cores[3].end = 1'000;
  expect(0, uneven, 0, 12);
  expect(0, launch(kAiv, 1, 1'000), 3, 6);
}

TEST_F(CoreTimelineTest, AFunctionalLaunchTakesNoTime) {
  observe::LaunchReport report = launch(kAiv, 4, 0);
  report.timed = false;
  expect(5, report, 5, 5);
}

}  // namespace
}  // namespace davsim::runtime
