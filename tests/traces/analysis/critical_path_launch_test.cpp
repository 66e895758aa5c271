// The critical path of launches that ran, recorded and read back from their traces.
#include "traces/analysis/critical_path.hpp"

#include <boost/json.hpp>
#include <map>
#include <sstream>

#include "tests/sim/device_fixture.hpp"
#include "traces/analysis/explanation.hpp"
#include "traces/chrome/chrome_trace.hpp"
#include "traces/chrome/trace_file.hpp"
#include "traces/observers.hpp"
#include "traces/report/report.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::CycleClass;
using traces::PathStep;

constexpr std::uint32_t kPathCount = 2048;

class CriticalPathOfALaunch : public DeviceTest {
 protected:
  CriticalPathOfALaunch() {
    device("Ascend910B3", {.lines = true});
    observers_.add(&timeline_);
    observers_.add(&trace_);
    device().attach(&observers_);
  }
  ~CriticalPathOfALaunch() override { device().attach(nullptr); }

  /// Load, compute, store by flags, with `work` instructions to compute.
  static void pipeline(float* in, float* out, int rounds, int work) {
    const auto x = ub<float>(0, kPathCount), y = ub<float>(65536, kPathCount);
    for (int i = 0; i < rounds; ++i) {
      DataCopy(x, gm(in, kPathCount), kPathCount);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      for (int w = 0; w < work; ++w) Adds(y, x, 1.0f, kPathCount);
      SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(out, kPathCount), y, kPathCount);
      SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }
  }
  float* numbers(const std::string& name) {
    return global<float>(kPathCount, name, [](auto i) { return float(i); });
  }

  /// The path of what ran last, without gaps from one end of the launch to the other.
  static std::vector<PathStep> whole_path(const traces::Timeline& timeline) {
    std::vector<PathStep> steps = traces::critical_path(timeline);
    observe::Cycle at = timeline.start;
    for (const PathStep& step : steps) {
      EXPECT_EQ(step.begin, at);
      at = step.end;
    }
    EXPECT_EQ(at, timeline.end);
    return steps;
  }
  /// Equal, but for the last digits of numbers that were written and read back.
  static void expect_same(const boost::json::value& a, const boost::json::value& b) {
    ASSERT_EQ(a.is_object(), b.is_object());
    ASSERT_EQ(a.is_array(), b.is_array());
    if (a.is_object()) {
      ASSERT_EQ(a.get_object().size(), b.get_object().size());
      for (const auto& member : a.get_object()) {
        SCOPED_TRACE(std::string(member.key()));
        ASSERT_TRUE(b.get_object().contains(member.key()));
        expect_same(member.value(), b.get_object().at(member.key()));
      }
    } else if (a.is_array()) {
      ASSERT_EQ(a.get_array().size(), b.get_array().size());
      for (std::size_t i = 0; i < a.get_array().size(); ++i) {
        expect_same(a.get_array()[i], b.get_array()[i]);
      }
    } else if (a.is_number()) {
      EXPECT_DOUBLE_EQ(a.to_number<double>(), b.to_number<double>());
    } else {
      EXPECT_EQ(a, b);
    }
  }
  static observe::Cycle cycles_of(const std::vector<PathStep>& steps, isa::Pipe pipe,
                                  CycleClass cycle_class) {
    observe::Cycle sum = 0;
    for (const PathStep& step : steps) {
      if (step.pipe == pipe && step.cycle_class == cycle_class) sum += step.end - step.begin;
    }
    return sum;
  }

  traces::TimelineRecorder timeline_;
  std::ostringstream stream_;
  traces::ChromeTrace trace_{stream_};
  traces::Observers observers_;
};

TEST_F(CriticalPathOfALaunch, AKernelThatComputesIsBoundByTheVectorUnit) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report = on_vector(1, [=] { pipeline(in, out, 3, 40); });
  const auto path = whole_path(timeline_.timeline());
  const observe::Cycle computes = cycles_of(path, isa::Pipe::V, CycleClass::kBusy);
  const auto& vector = report.cores[0].pipes[static_cast<std::size_t>(isa::Pipe::V)];
  EXPECT_EQ(computes, vector.busy());  // each of its instructions is on the path
  EXPECT_GT(computes, report.cycles / 2);
}

TEST_F(CriticalPathOfALaunch, AKernelThatMovesIsBoundByMemory) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report = on_vector(1, [=] { pipeline(in, out, 3, 1); });
  const auto path = whole_path(timeline_.timeline());
  EXPECT_GT(cycles_of(path, isa::Pipe::MTE2, CycleClass::kMemory) +
                cycles_of(path, isa::Pipe::MTE3, CycleClass::kMemory),
            report.cycles / 3);
}

TEST_F(CriticalPathOfALaunch, AMoveBehindAnotherWaitsForMemoryToo) {
  float* in = numbers("in");
  const auto report = on_vector(1, [=] {
    for (int i = 0; i < 2; ++i) DataCopy(ub<float>(i * 64, 64), gm(in, kPathCount)[i * 64], 64);
  });
  const auto path = whole_path(timeline_.timeline());
  // Each of them has the latency; the pipe as a whole has it once.
  EXPECT_GT(cycles_of(path, isa::Pipe::MTE2, CycleClass::kMemory), report.cycles / 2);
  const auto& mte2 = report.cores[0].pipes[static_cast<std::size_t>(isa::Pipe::MTE2)];
  EXPECT_LT(mte2.of(CycleClass::kMemory), report.cycles);
}

TEST_F(CriticalPathOfALaunch, WorkBesideThePathIsNotOnIt) {
  float* in = numbers("in");
  on_vector(1, [=] {
    for (int i = 0; i < 200; ++i) Adds(ub<float>(0, 6400), ub<float>(65536, 6400), 1.0f, 6400);
    DataCopy(ub<float>(131072, kPathCount), gm(in, kPathCount), kPathCount);
  });
  const auto path = whole_path(timeline_.timeline());
  EXPECT_EQ(cycles_of(path, isa::Pipe::MTE2, CycleClass::kBusy), 0u);
}

TEST_F(CriticalPathOfALaunch, GoesThroughTheCoreThatIsWaitedFor) {
  float *in = numbers("in"), *out = numbers("out");
  launch(
      isa::KernelType::kMix11, 2, [] { CrossCoreWaitFlag<2, PIPE_MTE2>(3); },
      [=] {
        pipeline(in, out, 1 + 3 * static_cast<int>(GetBlockIdx()), 10);
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  const auto path = whole_path(timeline_.timeline());
  EXPECT_GT(cycles_of(path, isa::Pipe::MTE2, CycleClass::kWaitCrossCore), 0u);
  std::map<std::string, observe::Cycle> cores;
  for (const PathStep& step : path) {
    cores[timeline_.timeline().cores[step.core].name] += step.end - step.begin;
  }
  EXPECT_GT(cores["core1.veccore0"], cores["core1.cubecore0"]);
  EXPECT_EQ(cores["core0.veccore0"], 0u);
}

TEST_F(CriticalPathOfALaunch, GoesThroughWavesOfBlocksAndBarriers) {
  float *in = numbers("in"), *out = numbers("out");
  const auto dispatch = static_cast<observe::Cycle>(
      device().soc().constant("Timing.Launch", "block_dispatch", "cycles"));
  on_vector(90, [=] {
    pipeline(in, out, 1, 2);
    PipeBarrier<PIPE_ALL>();
    gm(out, kPathCount).GetValue(0);
  });
  const auto path = whole_path(timeline_.timeline());
  EXPECT_EQ(cycles_of(path, isa::Pipe::S, CycleClass::kLaunch), 2 * dispatch);
}

TEST_F(CriticalPathOfALaunch, IsTheSameFromATraceFile) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report = launch(
      isa::KernelType::kMix12, 25, [] { CrossCoreWaitFlag(3); },
      [=] {
        pipeline(in, out, 2, 3);
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  trace_.finish();
  std::istringstream file(stream_.str());
  const auto launches = traces::read_trace(file);
  ASSERT_EQ(launches.size(), 1u);
  expect_same(launches[0].report, traces::report_json(report));
  const auto recorded = traces::explanation_json(traces::report_json(report), timeline_.timeline());
  const auto read = traces::explanation_json(launches[0].report, launches[0].timeline);
  EXPECT_EQ(boost::json::serialize(read), boost::json::serialize(recorded));

  observe::Cycle sum = 0;
  for (const auto& cause : recorded.at("critical_path").at("causes").as_array()) {
    sum += cause.at("cycles").to_number<observe::Cycle>();
  }
  EXPECT_EQ(sum, report.cycles);
  const std::string text = traces::explanation_text(recorded, 50);
  for (const char* part : {"critical path", "MTE2 waits for L2 or HBM",
                           "critical_path_launch_test.cpp:", "V waits for a flag",
                           "of MTE2, set at", "AIV MTE2 -> AIV V"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " is not in\n" << text;
  }
}

TEST_F(CriticalPathOfALaunch, ATraceMayHoldSeveralLaunches) {
  float *in = numbers("in"), *out = numbers("out");
  on_vector(1, [=] { pipeline(in, out, 1, 1); });
  on_vector(2, [=] { pipeline(in, out, 2, 1); });
  trace_.finish();
  std::istringstream file(stream_.str());
  const auto launches = traces::read_trace(file);
  ASSERT_EQ(launches.size(), 2u);
  for (const auto& launch : launches) whole_path(launch.timeline);
  EXPECT_EQ(launches[1].timeline.end, timeline_.timeline().end);
}

TEST_F(CriticalPathOfALaunch, ADamagedTraceIsRefused) {
  float *in = numbers("in"), *out = numbers("out");
  on_vector(1, [=] { pipeline(in, out, 1, 1); });
  trace_.finish();
  const std::string whole = stream_.str();
  const auto refusal = [](const std::string& text) -> std::string {
    std::istringstream file(text);
    try {
      traces::read_trace(file);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(whole), "");
  EXPECT_NE(refusal(""), "");
  std::istringstream without("{\"traceEvents\":[]}\n");
  EXPECT_TRUE(traces::read_trace(without).empty());
  EXPECT_NE(refusal(whole.substr(0, whole.size() - 3)), "");
  EXPECT_NE(refusal(whole.substr(0, whole.size() / 2)), "");
  EXPECT_NE(refusal(whole + "{}\n").find("follows the end"), std::string::npos);
  std::string old = whole;
  old.replace(old.find("\"ai_core\""), 9, "\"other\"");
  EXPECT_NE(refusal(old).find("an older davsim wrote this"), std::string::npos) << refusal(old);
  std::string wrong = whole;
  wrong.replace(wrong.find("\"cycle_start\""), 13, "\"cycle_begin\"");
  EXPECT_NE(refusal(wrong), "");
}

/// A core that polls a word of global memory does so until another core has written it.
TEST_F(CriticalPathOfALaunch, APollLeadsToTheCoreThatWroteTheWord) {
  auto* const flag = global<std::int32_t>(8, "flag", [](auto) { return 0; });
  const auto report = on_vector(2, [=] {
    const auto word = ub<std::int32_t>(0, 8);
    if (GetBlockIdx() == 0) {
      for (int i = 0; i < 100; ++i) Adds(ub<float>(4096, 6400), ub<float>(65536, 6400), 1.0f, 6400);
      Duplicate(word, 1, 8);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(flag, 8), word, 8);
      return;
    }
    for (std::int32_t seen = 0; seen != 1; seen = word.GetValue(0)) {
      DataCopy(word, gm(flag, 8), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    }
    for (int i = 0; i < 3; ++i) Adds(ub<float>(4096, 6400), ub<float>(65536, 6400), 1.0f, 6400);
  });
  trace_.finish();
  std::istringstream file(stream_.str());
  const std::vector<traces::TracedLaunch> read = traces::read_trace(file);
  for (const traces::Timeline* timeline : {&timeline_.timeline(), &read.at(0).timeline}) {
    observe::Cycle writer = 0;
    for (const PathStep& step : whole_path(*timeline)) {
      const bool computes = step.pipe == isa::Pipe::V && step.cycle_class == CycleClass::kBusy;
      if (computes && timeline->cores[step.core].blocks.at(0).block == 0) {
        writer += step.end - step.begin;
      }
    }
    EXPECT_GT(writer, report.cycles / 2);
  }
}

}  // namespace
}  // namespace davsim::test
