// Waveforms of launches that ran, read by a parser of the value change dump format.
#include "traces/vcd/vcd_export.hpp"

#include <map>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "tests/sim/device_fixture.hpp"
#include "traces/observers.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::CycleClass;

constexpr std::uint32_t kVcdCount = 2048;

/// A dump: every signal by its full name, and its values from a time in picoseconds on.
struct Waves {
  struct Signal {
    std::size_t width = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> values;
  };
  std::map<std::string, Signal> signals;
  std::string timescale;
  std::uint64_t end = 0;
};

class Parser {
 public:
  explicit Parser(const std::string& text) : in_(text) {}

  Waves parse() {
    std::string word;
    while (in_ >> word && word != "$enddefinitions") definition(word);
    if (word != "$enddefinitions" || take() != "$end") fail("no end of definitions");
    if (!scopes_.empty()) fail("an open scope");
    while (in_ >> word) change(word);
    return std::move(waves_);
  }

 private:
  [[noreturn]] static void fail(const std::string& what) { throw std::runtime_error(what); }
  std::string take() {
    std::string word;
    if (!(in_ >> word)) fail("ends early");
    return word;
  }
  std::string rest() {
    std::string text, word;
    while ((word = take()) != "$end") text += (text.empty() ? "" : " ") + word;
    return text;
  }
  void definition(const std::string& word) {
    if (word == "$comment" || word == "$version") {
      rest();
    } else if (word == "$timescale") {
      waves_.timescale = rest();
    } else if (word == "$scope") {
      if (take() != "module") fail("a scope that is no module");
      scopes_.push_back(take());
      if (take() != "$end") fail("scope");
    } else if (word == "$upscope") {
      if (scopes_.empty() || take() != "$end") fail("upscope");
      scopes_.pop_back();
    } else if (word == "$var") {
      variable();
    } else {
      fail("unknown definition " + word);
    }
  }
  void variable() {
    if (take() != "wire") fail("no wire");
    const std::size_t width = std::stoul(take());
    const std::string id = take();
    std::string name;
    for (const std::string& scope : scopes_) name += scope + ".";
    name += take();
    const std::string range = take();
    if (range != "[" + std::to_string(width - 1) + ":0]" || take() != "$end") fail("range");
    if (!ids_.emplace(id, name).second) fail("two signals are called " + id);
    waves_.signals[name].width = width;
  }
  void change(const std::string& word) {
    if (word[0] == '#') {
      const std::uint64_t at = std::stoull(word.substr(1));
      if (at < waves_.end) fail("time goes back");
      waves_.end = at;
    } else if (word[0] == 'b') {
      Waves::Signal& signal = waves_.signals.at(ids_.at(take()));
      if (word.size() != signal.width + 1) fail("a value of another width");
      const auto value = static_cast<std::uint32_t>(std::stoul(word.substr(1), nullptr, 2));
      signal.values.emplace_back(waves_.end, value);
    } else {
      fail("unknown change " + word);
    }
  }

  std::istringstream in_;
  std::vector<std::string> scopes_;
  std::map<std::string, std::string> ids_;
  Waves waves_;
};

class Vcd : public DeviceTest {
 protected:
  Vcd() {
    observers_.add(&recorder);
    observers_.add(&vcd_);
    device().attach(&observers_);
  }
  ~Vcd() override { device().attach(nullptr); }

  static void pipeline(float* in, float* out, int rounds) {
    const auto x = ub<float>(0, kVcdCount), y = ub<float>(65536, kVcdCount);
    for (int i = 0; i < rounds; ++i) {
      DataCopy(x, gm(in, kVcdCount), kVcdCount);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      Adds(y, x, 1.0f, kVcdCount);
      Add(y, y, x, kVcdCount);  // bank conflicts
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(out, kVcdCount), y, kVcdCount);
      PipeBarrier<PIPE_ALL>();
    }
  }
  float* numbers(const std::string& name) {
    return global<float>(kVcdCount, name, [](auto i) { return float(i); });
  }
  Waves waves() {
    vcd_.finish();
    return Parser(stream_.str()).parse();
  }
  static std::string signal(std::string core, isa::Pipe pipe, const char* name) {
    std::replace(core.begin(), core.end(), '.', '_');
    return core + "." + std::string(isa::pipe_name(pipe)) + "." + name;
  }
  static observe::Cycle cycle(std::uint64_t ps, double mhz) {
    return static_cast<observe::Cycle>(static_cast<double>(ps) * mhz * 1e-6 + 0.5);
  }
  /// The states of every pipe last as long as the report says.
  static void expect_classes(const Waves& waves, const observe::LaunchReport& report) {
    std::size_t pipes = 0;
    for (const auto& core : report.cores) {
      for (const isa::Pipe id : {isa::Pipe::V, isa::Pipe::M, isa::Pipe::MTE1, isa::Pipe::MTE2,
                                 isa::Pipe::MTE3, isa::Pipe::FIX}) {
        const auto found = waves.signals.find(signal(core.name, id, "state"));
        if (found == waves.signals.end()) continue;
        ++pipes;
        observe::CycleCounts sums{};
        const auto& values = found->second.values;
        ASSERT_FALSE(values.empty());
        EXPECT_EQ(values[0].first, 0u);
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::uint64_t end = i + 1 < values.size() ? values[i + 1].first : waves.end;
          ASSERT_LT(values[i].second, sums.size());
          sums[values[i].second] +=
              cycle(end, report.frequency_mhz) - cycle(values[i].first, report.frequency_mhz);
        }
        EXPECT_EQ(sums, core.pipes[static_cast<std::size_t>(id)].cycles)
            << core.name << " " << isa::pipe_name(id);
      }
    }
    EXPECT_GT(pipes, 0u);
  }

  std::ostringstream stream_;
  traces::VcdExport vcd_{stream_};
  traces::Observers observers_;
};

TEST_F(Vcd, StatesLastAsLongAsTheReportSays) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report =
      on_vector(100, [=] { pipeline(in, out, 1 + static_cast<int>(GetBlockIdx()) % 3); });
  const Waves w = waves();
  EXPECT_EQ(w.timescale, "1ps");
  EXPECT_EQ(cycle(w.end, report.frequency_mhz), report.cycles);
  expect_classes(w, report);
  EXPECT_EQ(w.signals.count(signal(report.cores[0].name, isa::Pipe::M, "state")), 0u);
}

TEST_F(Vcd, StatesOfMixedCores) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report = launch(
      isa::KernelType::kMix12, 25, [] { CrossCoreWaitFlag<2, PIPE_MTE2>(3); },
      [=] {
        pipeline(in, out, 2);
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  expect_classes(waves(), report);
}

TEST_F(Vcd, QueuesFillAndEmpty) {
  const auto report = on_vector(1, [] {
    for (int i = 0; i < 100; ++i) Adds(ub<float>(0, 6400), ub<float>(65536, 6400), 1.0f, 6400);
  });
  const Waves w = waves();
  const auto& queue = w.signals.at(signal(report.cores[0].name, isa::Pipe::V, "queue")).values;
  std::uint32_t most = 0;
  for (const auto& [at, value] : queue) most = std::max(most, value);
  EXPECT_EQ(most, 32u);
  EXPECT_EQ(queue.back().second, 0u);
  const auto& flight = w.signals.at(signal(report.cores[0].name, isa::Pipe::V, "in_flight")).values;
  for (const auto& [at, value] : flight) EXPECT_LE(value, 1u);
  EXPECT_EQ(flight.back().second, 0u);
}

TEST_F(Vcd, MovesInFlightSideBySide) {
  float* in = numbers("in");
  const auto report = on_vector(1, [=] {
    for (int i = 0; i < 4; ++i) DataCopy(ub<float>(i * 64, 64), gm(in, 64), 64);
  });
  const Waves w = waves();
  std::uint32_t most = 0;
  for (const auto& [at, value] :
       w.signals.at(signal(report.cores[0].name, isa::Pipe::MTE2, "in_flight")).values) {
    most = std::max(most, value);
  }
  EXPECT_EQ(most, 4u);
}

}  // namespace
}  // namespace davsim::test
