// Loops of kernels that poll memory which nobody writes any more.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "isa/instr/fault.hpp"
#include "kernel_operator.h"
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// Two dies with a word each, with and without a clock.
class PollLoopsTest : public ::testing::TestWithParam<sim::Mode> {
 protected:
  PollLoopsTest() {
    sim::SystemConfig system = sim::SystemConfig::named("ascend_910c");
    sim::DeviceOptions options;
    options.mode = GetParam();
    options.max_cycles = 200'000'000;
    device_ = std::make_unique<sim::Device>(without_code(system.soc()), system, options);
    for (std::uint32_t die = 0; die < 2; ++die) {
      std::byte* const start = device_->memory(die).allocate(64, "words");
      device_->memory(die).share(start);
      words_.push_back(reinterpret_cast<std::int32_t*>(start));
    }
  }
  void on_dies(const std::function<void(std::uint32_t)>& kernel) {
    std::vector<sim::DieLaunch> launches;
    for (std::uint32_t die = 0; die < 2; ++die) {
      launches.push_back({die, &entry_, 1, 0, {}, [&kernel, die] { kernel(die); }});
    }
    device_->launch(std::move(launches));
  }
  std::string deadlock_of(const std::function<void(std::uint32_t)>& kernel) {
    try {
      on_dies(kernel);
    } catch (const isa::Fault& fault) {
      EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock) << fault.message;
      EXPECT_NE(fault.where.line(), 0u);
      return fault.message;
    }
    return "no fault";
  }

  std::unique_ptr<sim::Device> device_;
  std::vector<std::int32_t*> words_;
  isa::KernelEntry entry_{"test_kernel", isa::KernelType::kAivOnly, nullptr, nullptr};
};

void poll_by_copies(std::int32_t* word) {
  const auto copy = ub<std::int32_t>(0, 8);
  std::int32_t seen = 0;
  while (seen == 0) {
    DataCopy(copy, gm(word, 8), 8);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    seen = copy.GetValue(0);
  }
}

void poll_by_loads(std::int32_t* word) {
  auto words = gm(word, 8);
  do {
    DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        words);
  } while (words.GetValue(0) == 0);
}

void poll_by_a_pointer(std::int32_t* word) {
  const volatile std::int32_t* const at = word;
  do {
    DataCacheCleanAndInvalid<std::int32_t, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(
        gm(word, 8));
  } while (*at == 0);
}

void write(std::int32_t* word) {
  const auto one = ub<std::int32_t>(64, 8);
  Duplicate(one, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gm(word, 8), one, 8);
  PipeBarrier<PIPE_ALL>();
}

TEST_P(PollLoopsTest, CoresThatAllPollInVainAreADeadlockWithTheirDiesAndLines) {
  // Each die waits for a word that the other one would write behind its own wait.
  const std::string message = deadlock_of([&](std::uint32_t die) {
    die == 0 ? poll_by_copies(words_[0]) : poll_by_loads(words_[1]);
    write(words_[1 - die]);
  });
  EXPECT_NE(message.find("die0.core0.veccore0 scalar unit: polls a word in global memory at "
                         "poll_loops_test.cpp:"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("die1.core0.veccore0 scalar unit: polls"), std::string::npos) << message;
  // The device goes on behind it.
  on_dies([&](std::uint32_t die) {
    write(words_[1 - die]);
    die == 0 ? poll_by_copies(words_[0]) : poll_by_loads(words_[1]);
  });
}

TEST_P(PollLoopsTest, ReadsThroughPointersAreLooksToo) {
  const std::string message = deadlock_of([&](std::uint32_t die) {
    poll_by_a_pointer(words_[die]);
    write(words_[1 - die]);
  });
  EXPECT_NE(message.find("die0.core0.veccore0 scalar unit: polls"), std::string::npos) << message;
  on_dies([&](std::uint32_t die) {
    write(words_[1 - die]);
    poll_by_a_pointer(words_[die]);
  });
}

// The last thing that happened lies before the reads ahead of the loop.
TEST_P(PollLoopsTest, WhatALoopReadBeforeItBeganDoesNotHideIt) {
  const std::string message = deadlock_of([&](std::uint32_t die) {
    DataCopy(ub<std::int32_t>(0, 8), gm(words_[die], 8), 8);
    PipeBarrier<PIPE_ALL>();
    poll_by_copies(words_[1 - die]);
  });
  EXPECT_NE(message.find("die1.core0.veccore0 scalar unit: polls"), std::string::npos) << message;
}

// More rounds than a wait of as many is believed for.
TEST_P(PollLoopsTest, ALoopThatReadsOnDoesNotWait) {
  constexpr int kRounds = 250'000;
  std::byte* const rows = device_->memory(0).allocate(std::uint64_t{kRounds} * 32, "rows");
  std::int32_t ones = 0;
  on_dies([&](std::uint32_t die) {
    if (die != 0) return;
    const auto table = ub<std::int32_t>(0, 8), row = ub<std::int32_t>(32, 8);
    for (int i = 0; i < kRounds; ++i) {
      DataCopy(table, gm(words_[0], 8), 8);
      DataCopy(row, gm(reinterpret_cast<std::int32_t*>(rows) + i * 8, 8), 8);
      SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
      ones += static_cast<int>(table.GetValue(0) == row.GetValue(0));
    }
  });
  EXPECT_EQ(ones, kRounds);
}

TEST_P(PollLoopsTest, APollThatWaitsForLongWorkGoesOn) {
  on_dies([&](std::uint32_t die) {
    if (die == 0) return poll_by_copies(words_[0]);
    const auto values = ub<float>(1024, 4096);
    // More than 20000 rounds of the loop.
    for (int i = 0; i < 100'000; ++i) Exp(values, values, 4096);
    PipeBarrier<PIPE_ALL>();
    write(words_[0]);
  });
  EXPECT_EQ(words_[0][0], 1);
}

INSTANTIATE_TEST_SUITE_P(Modes, PollLoopsTest,
                         ::testing::Values(sim::Mode::kTimed, sim::Mode::kFunctional),
                         [](const auto& of) {
                           return of.param == sim::Mode::kTimed ? "Timed" : "Functional";
                         });

}  // namespace
}  // namespace davsim::test
