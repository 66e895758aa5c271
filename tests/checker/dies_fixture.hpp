// A device whose launches of several dies, or of one, the checker watches: a core writes data and a
// flag behind them, and another one waits for the flag.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "checker/checker.hpp"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {

using checker::Class;

/// What the writer leaves out on the way of its data to the reader. kOrder: the flag goes first.
enum class LeftOut { kNothing, kBarrier, kPoll, kOrder };
/// Where the two are.
enum class On { kTwoDies, kOneOfTwoDies, kOneDie };

class DiesUnderTheChecker : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kCount = 4096;

  void make(On on) {
    if (device_ != nullptr) return;
    on_ = on;
    sim::SystemConfig system = sim::SystemConfig::named("ascend_910c");
    sim::DeviceOptions options;
    options.max_cycles = 5'000'000;
    const sim::SocConfig soc = without_code(system.soc());
    device_ = on == On::kOneDie ? std::make_unique<sim::Device>(soc, options)
                                : std::make_unique<sim::Device>(soc, system, options);
    data_ = shared(kCount);
    flag_ = shared(8);
    device_->check(&checker_);
  }
  ~DiesUnderTheChecker() override {
    if (device_ != nullptr) device_->check(nullptr);
  }

  std::int32_t* shared(std::size_t count) {
    memory::GlobalMemory& memory = device_->memory(on_ == On::kOneDie ? 0 : 1);
    std::byte* const start = memory.allocate(count * 4, "shared");
    if (on_ != On::kOneDie) memory.share(start);
    return reinterpret_cast<std::int32_t*>(start);
  }
  static void write(std::int32_t* data, std::int32_t* flag, LeftOut left) {
    using namespace AscendC;
    const auto block = ub<std::int32_t>(0, kCount), word = ub<std::int32_t>(kCount * 4, 8);
    Duplicate(block, 7, kCount);
    Duplicate(word, 1, 8);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    if (left == LeftOut::kOrder) {  // the flag is behind a first version of the data
      DataCopy(gm(data, kCount), block, kCount);
      PipeBarrier<PIPE_MTE3>();
      DataCopy(gm(flag, 8), word, 8);
      PipeBarrier<PIPE_MTE3>();
    }
    DataCopy(gm(data, kCount), block, kCount);
    if (left == LeftOut::kOrder) return;
    if (left != LeftOut::kBarrier) PipeBarrier<PIPE_MTE3>();
    DataCopy(gm(flag, 8), word, 8);
  }
  /// A line that loads whatever it is given.
  static void take(const AscendC::LocalTensor<std::int32_t>& to, std::int32_t* from,
                   std::uint32_t count) {
    AscendC::DataCopy(to, gm(from, count), count);
  }
  /// As read(), by one line for flag and data.
  static void read_by_one_line(std::int32_t* data, std::int32_t* flag) {
    using namespace AscendC;
    const auto block = ub<std::int32_t>(0, kCount), word = ub<std::int32_t>(kCount * 4, 8);
    do {
      take(word, flag, 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    } while (word.GetValue(0) != 1);
    take(block, data, kCount);
    PipeBarrier<PIPE_ALL>();
  }
  static void read(std::int32_t* data, std::int32_t* flag, LeftOut left) {
    using namespace AscendC;
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
  std::vector<Class> found(LeftOut left, On on = On::kTwoDies, bool one_line = false) {
    make(on);
    const auto reader = [=, this] {
      one_line ? read_by_one_line(data_, flag_) : read(data_, flag_, left);
    };
    return run(
        reader, [=, this] { write(data_, flag_, left); }, on);
  }
  template <class Reader, class Writer>
  std::vector<Class> run(const Reader& reader, const Writer& writer, On on) {
    std::vector<sim::DieLaunch> launches;
    if (on == On::kTwoDies) {
      launches.push_back({0, &entry_, 1, 0, {}, writer});
      launches.push_back({1, &entry_, 1, 0, {}, reader});
    } else {
      // The reader comes first, so that it looks in vain.
      const std::uint32_t die = on == On::kOneDie ? 0 : 1;
      launches.push_back(
          {die, &entry_, 2, 0, {}, [=] { AscendC::GetBlockIdx() == 1 ? writer() : reader(); }});
      if (on == On::kOneOfTwoDies) launches.push_back({0, &entry_, 1, 0, {}, [] {}});
    }
    device_->launch(std::move(launches));
    std::vector<Class> classes;
    for (const checker::Finding& finding : checker_.findings().all()) {
      classes.push_back(finding.cls);
    }
    return classes;
  }
  std::string text() const { return checker::text_of(checker_.findings()); }
  const checker::Finding& finding() const { return checker_.findings().all().front(); }

  On on_ = On::kTwoDies;
  std::unique_ptr<sim::Device> device_;
  std::int32_t *data_ = nullptr, *flag_ = nullptr;
  isa::KernelEntry entry_{"dies", isa::KernelType::kAivOnly, nullptr, nullptr};
  checker::Checker checker_;
};

}  // namespace davsim::test
