// The classes that waveforms and pages draw, of launches that ran: their sums are the report's.
#include "traces/timeline/pipe_states.hpp"

#include <algorithm>
#include <map>

#include "tests/sim/device_fixture.hpp"
#include "traces/analysis/critical_path.hpp"
#include "traces/html/html_data.hpp"
#include "traces/observers.hpp"
#include "traces/timeline/timeline.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::CycleClass;

class PageStates : public DeviceTest {
 protected:
  PageStates() {
    observers_.add(&page_);
    observers_.add(&timeline_);
    device().attach(&observers_);
  }
  ~PageStates() override { device().attach(nullptr); }

  void load_add_store(float* in, float* out, int rounds) {
    const auto x = ub<float>(0, kElements), y = ub<float>(65536, kElements);
    for (int i = 0; i < rounds; ++i) {
      for (int part = 0; part < 4; ++part) {
        DataCopy(x[part * 512], gm(in, kElements)[part * 512], 512);
      }
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      for (int n = 0; n < 60; ++n) Add(y, x, x, kElements);  // more than the queue holds
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(out, kElements), y, kElements);
      SetFlag<HardEvent::MTE3_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE3_S>(EVENT_ID0);
      x.GetValue(0);
      PipeBarrier<PIPE_ALL>();
    }
  }
  /// `slack`: of the cycles of the launch, for pipe S, whose issue of single instructions is not
  /// told.
  void expect_report(const observe::LaunchReport& report, double slack) {
    std::size_t pipes = 0;
    const auto& cores = timeline_.timeline().cores;
    for (const auto& core : report.cores) {
      const auto found = std::find_if(cores.begin(), cores.end(),
                                      [&](const auto& other) { return other.name == core.name; });
      ASSERT_NE(found, cores.end()) << core.name;
      const auto id = static_cast<std::size_t>(found - cores.begin());
      for (std::size_t p = 0; p < isa::kPipeCount; ++p) {
        const auto& states = page_.cores()[id].tracks[p].states();
        if (core.pipes[p].instructions == 0) continue;
        ++pipes;
        observe::CycleCounts sums{};
        for (const auto& state : states) {
          sums[static_cast<std::size_t>(state.cycle_class)] += state.cycles;
        }
        const bool scalar = static_cast<isa::Pipe>(p) == isa::Pipe::S;
        for (std::size_t c = 0; c < sums.size(); ++c) {
          EXPECT_NEAR(static_cast<double>(sums[c]), static_cast<double>(core.pipes[p].cycles[c]),
                      scalar ? slack * static_cast<double>(report.cycles) : 0)
              << core.name << " " << isa::pipe_name(static_cast<isa::Pipe>(p)) << " "
              << observe::cycle_class_name(static_cast<CycleClass>(c));
        }
      }
    }
    EXPECT_GT(pipes, 0u);
  }

  static constexpr std::uint32_t kElements = 2048;
  traces::HtmlRecorder page_;
  traces::TimelineRecorder timeline_;
  traces::Observers observers_;
};

TEST_F(PageStates, SumsAreTheReportsOnVectorCores) {
  float* in = global<float>(kElements, "in", [](auto i) { return float(i); });
  float* out = global<float>(kElements, "out", [](auto) { return 0.f; });
  const auto report = on_vector(
      60, [=, this] { load_add_store(in, out, 1 + static_cast<int>(GetBlockIdx()) % 3); });
  expect_report(report, 0.02);
}

TEST_F(PageStates, SumsAreTheReportsOnMixedCores) {
  float* in = global<float>(kElements, "in", [](auto i) { return float(i); });
  float* out = global<float>(kElements, "out", [](auto) { return 0.f; });
  const auto report = launch(
      isa::KernelType::kMix12, 3, [] { CrossCoreWaitFlag<2, PIPE_MTE2>(3); },
      [=, this] {
        load_add_store(in, out, 2);
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  expect_report(report, 0.02);
}

TEST_F(PageStates, BytesOfEachTensor) {
  float* in = global<float>(kElements, "in", [](auto i) { return float(i); });
  float* out = global<float>(kElements, "out", [](auto) { return 0.f; });
  on_vector(2, [=, this] { load_add_store(in, out, 3); });
  std::vector<traces::NamedMemory> memories;
  for (const auto& allocation : device().memory().allocations()) {
    memories.push_back(
        {allocation.name, device().memory().device_address(allocation.start), allocation.bytes});
  }
  const auto& timeline = timeline_.timeline();
  const auto data =
      traces::html_timeline(timeline, page_, memories, traces::critical_path(timeline), {});
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> moved;
  for (const auto& tensor : data.at("tensors").as_array()) {
    moved[std::string(tensor.at("name").as_string())] = {
        tensor.at("read").to_number<std::uint64_t>(),
        tensor.at("written").to_number<std::uint64_t>()};
  }
  const std::uint64_t bytes = 2 * 3 * kElements * sizeof(float);
  const std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> expected = {
      {"in", {bytes, 0}}, {"out", {0, bytes}}};
  EXPECT_EQ(moved, expected);
}

}  // namespace
}  // namespace davsim::test
