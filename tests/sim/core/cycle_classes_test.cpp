// What becomes of the pipes' time: every cycle of a launch in one class, and at its source line.
#include <numeric>

#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using observe::CycleClass;
using observe::LineCycles;

constexpr std::uint32_t kCount = 1024;

class CycleClasses : public TimingTest {
 protected:
  CycleClasses() { device("Ascend910B3", {.lines = true}); }

  static const observe::PipeCounters& pipe(const observe::LaunchReport& report, isa::Pipe id,
                                           std::size_t core = 0) {
    return report.cores.at(core).pipes[static_cast<std::size_t>(id)];
  }
  static std::vector<LineCycles> lines(const observe::PipeCounters& pipe, CycleClass c) {
    std::vector<LineCycles> found;
    for (const LineCycles& line : pipe.lines) {
      if (line.cycle_class == c) found.push_back(line);
    }
    return found;
  }
  /// Every pipe of every core, by class and by line.
  static void expect_sums(const observe::LaunchReport& report) {
    for (const auto& core : report.cores) {
      for (std::size_t i = 0; i < isa::kPipeCount; ++i) {
        const auto id = static_cast<isa::Pipe>(i);
        if (!core.present.has(id)) continue;
        SCOPED_TRACE(core.name + " " + std::string(isa::pipe_name(id)));
        const observe::PipeCounters& p = core.pipes[i];
        EXPECT_EQ(std::accumulate(p.cycles.begin(), p.cycles.end(), observe::Cycle{0}),
                  report.cycles);
        expect_line_sums(p);
      }
    }
  }
  static void expect_line_sums(const observe::PipeCounters& pipe) {
    observe::CycleCounts sums{};
    for (const LineCycles& line : pipe.lines) {
      EXPECT_NE(line.where.line(), 0u) << observe::cycle_class_name(line.cycle_class);
      sums[static_cast<std::size_t>(line.cycle_class)] += line.cycles;
    }
    for (std::size_t i = 0; i < observe::kCycleClassCount; ++i) {
      const auto c = static_cast<CycleClass>(i);
      const bool nobody = c == CycleClass::kDone || c == CycleClass::kLaunch;
      EXPECT_EQ(sums[i], nobody ? 0 : pipe.cycles[i]) << observe::cycle_class_name(c);
    }
  }

  /// Load, compute, store, `rounds` times over.
  static void pipeline(float* in, float* out, int rounds) {
    const auto x = ub<float>(0, kCount), y = ub<float>(65536, kCount);
    for (int i = 0; i < rounds; ++i) {
      DataCopy(x, gm(in, kCount), kCount);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      Adds(y, x, 1.0f, kCount);
      SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
      DataCopy(gm(out, kCount), y, kCount);
      WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
      PipeBarrier<PIPE_ALL>();
    }
  }
  float* numbers(const std::string& name) {
    return global<float>(kCount, name, [](auto i) { return float(i); });
  }
};

TEST_F(CycleClasses, AddUpOverWavesOfBlocks) {
  float *in = numbers("in"), *out = numbers("out");
  expect_sums(on_vector(100, [=] { pipeline(in, out, 1 + static_cast<int>(GetBlockIdx()) % 3); }));
}

TEST_F(CycleClasses, AddUpInTheLaunchAfterAnother) {
  float *in = numbers("in"), *out = numbers("out");
  on_vector(3, [=] { pipeline(in, out, 2); });
  expect_sums(on_vector(2, [=] { pipeline(in, out, 1); }));
}

TEST_F(CycleClasses, AddUpOnMixedCores) {
  float *in = numbers("in"), *out = numbers("out");
  const auto report = launch(
      isa::KernelType::kMix12, 25, [] { CrossCoreWaitFlag(3); },
      [=] {
        pipeline(in, out, 2);
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  expect_sums(report);
}

TEST_F(CycleClasses, AWaitForAFlagNamesWhoSetsItAndWhere) {
  float* in = numbers("in");
  std::uint32_t set_line = 0;
  const auto report = on_vector(1, [&] {
    const auto x = ub<float>(0, kCount);
    DataCopy(x, gm(in, kCount), kCount);
    set_line = __LINE__ + 1;
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(x, x, 1.0f, kCount);
  });
  const auto waits = lines(pipe(report, isa::Pipe::V), CycleClass::kWaitFlag);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].from, isa::Pipe::MTE2);
  EXPECT_EQ(waits[0].set_at.line(), set_line);
  EXPECT_EQ(waits[0].where.line(), set_line + 1);
  EXPECT_EQ(waits[0].times, 1u);
  const auto wait = recorder.of(isa::Opcode::kWaitFlag).at(0);
  EXPECT_EQ(waits[0].cycles, wait.end - wait.start);
  EXPECT_EQ(observe::short_line(waits[0].where),
            "cycle_classes_test.cpp:" + std::to_string(set_line + 1));
}

TEST_F(CycleClasses, AMoveIsBusyWhileItsPortWorksAndWaitsForMemoryTheRest) {
  float* in = numbers("in");
  const auto cold = on_vector(1, [=] { DataCopy(ub<float>(0, kCount), gm(in, kCount), kCount); });
  const auto warm = on_vector(1, [=] { DataCopy(ub<float>(0, kCount), gm(in, kCount), kCount); });
  const auto &from_hbm = pipe(cold, isa::Pipe::MTE2), &from_l2 = pipe(warm, isa::Pipe::MTE2);
  // The port does the same work whether the data come from L2 or from HBM.
  EXPECT_EQ(from_hbm.busy(), from_l2.busy());
  EXPECT_GT(from_hbm.of(CycleClass::kMemory), from_l2.of(CycleClass::kMemory));
  EXPECT_EQ(from_hbm.in_flight, from_hbm.busy() + from_hbm.of(CycleClass::kMemory));
  // What is lost is the latency of HBM, L2 included, less what the port does meanwhile.
  const auto lost = static_cast<double>(from_hbm.of(CycleClass::kMemory));
  EXPECT_GT(lost, 0.8 * hbm_latency());
  EXPECT_LE(lost, hbm_latency() + 50);
}

TEST_F(CycleClasses, MovesThatKeepThePortBusyHideTheLatency) {
  float* in = global<float>(64 * kCount, "in", [](auto i) { return float(i); });
  const auto report = on_vector(1, [=] {
    for (int i = 0; i < 32; ++i) {
      DataCopy(ub<float>(0, kCount), gm(in, 64 * kCount)[i * kCount], kCount);
    }
  });
  const auto& mte2 = pipe(report, isa::Pipe::MTE2);
  EXPECT_EQ(lines(mte2, CycleClass::kBusy).at(0).times, 32u);
  EXPECT_LE(static_cast<double>(mte2.of(CycleClass::kMemory)),
            hbm_latency() + 50);  // the last one's
}

TEST_F(CycleClasses, BankConflictsCostWhatAnInstructionWithoutThemSaves) {
  const auto sum = [&](std::uint32_t second) {
    return on_vector(1, [=] {
      Add(ub<float>(131072, kCount), ub<float>(0, kCount), ub<float>(second, kCount), kCount);
    });
  };
  // Repeats of 256 bytes start in the same bank groups, or half a round of the groups apart.
  const auto with = sum(65536), without = sum(65536 + 256);
  const auto &slow = pipe(with, isa::Pipe::V), &fast = pipe(without, isa::Pipe::V);
  EXPECT_EQ(fast.of(CycleClass::kBankConflict), 0u);
  EXPECT_GT(slow.of(CycleClass::kBankConflict), 0u);
  EXPECT_EQ(slow.busy(), fast.busy());
  EXPECT_EQ(slow.in_flight, fast.in_flight + slow.of(CycleClass::kBankConflict));
}

TEST_F(CycleClasses, AnEmptyQueueNamesTheInstructionThatCameLate) {
  std::uint32_t late = 0;
  const auto report = on_vector(1, [&] {
    const auto x = ub<float>(0, 64);
    Adds(x, x, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    late = __LINE__ + 1;
    Adds(x, x, 1.0f, 64);
  });
  const auto adds = recorder.of(isa::Opcode::kAdds);
  const auto gaps = lines(pipe(report, isa::Pipe::V), CycleClass::kQueueEmpty);
  ASSERT_EQ(gaps.size(), 2u);
  EXPECT_EQ(gaps[0].cycles + gaps[1].cycles, adds[0].start + adds[1].start - adds[0].end);
  EXPECT_TRUE(gaps[0].where.line() == late || gaps[1].where.line() == late);
  EXPECT_GT(pipe(report, isa::Pipe::S).of(CycleClass::kBarrier), 0u);
}

TEST_F(CycleClasses, AFullQueueIsNamed) {
  const auto report = on_vector(1, [] {
    for (int i = 0; i < 100; ++i) Adds(ub<float>(0, 6400), ub<float>(65536, 6400), 1.0f, 6400);
  });
  const auto full = lines(pipe(report, isa::Pipe::S), CycleClass::kQueueFull);
  ASSERT_EQ(full.size(), 1u);
  EXPECT_EQ(full[0].from, isa::Pipe::V);
  // All but one in the unit and those in the queue.
  EXPECT_EQ(full[0].times, 100u - 1 - timing().scalar.queue_depth);
}

TEST_F(CycleClasses, WaitingForAnotherCoreIsAClassOfItsOwn) {
  float *in = numbers("in"), *out = numbers("out");
  std::uint32_t set_line = 0;
  const auto report = launch(
      isa::KernelType::kMix11, 1, [] { CrossCoreWaitFlag<2, PIPE_MTE2>(3); },
      [&] {
        pipeline(in, out, 1);
        set_line = __LINE__ + 1;
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
      });
  ASSERT_EQ(report.cores.at(0).type, isa::CoreType::AIC);
  const auto waits = lines(pipe(report, isa::Pipe::MTE2), CycleClass::kWaitCrossCore);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].set_at.line(), set_line);
  const auto wait = recorder.of(isa::Opcode::kCrossCoreWaitFlag).at(0);
  EXPECT_EQ(waits[0].cycles, wait.end - wait.start);
}

TEST_F(CycleClasses, LaterBlocksWaitForTheirDispatch) {
  const observe::Cycle dispatch = timing().launch.block_dispatch;
  const auto report = on_vector(120, [] { Adds(ub<float>(0, 64), ub<float>(0, 64), 1.0f, 64); });
  ASSERT_EQ(report.cores.size(), 40u);
  for (std::size_t core = 0; core < 40; ++core) {  // three blocks each, two of them later ones
    for (const isa::Pipe id : {isa::Pipe::S, isa::Pipe::V, isa::Pipe::MTE3}) {
      EXPECT_EQ(pipe(report, id, core).of(CycleClass::kLaunch), 2 * dispatch);
    }
  }
  // A pipe that nobody uses has nothing to do all the time.
  EXPECT_EQ(pipe(report, isa::Pipe::MTE3).of(CycleClass::kDone), report.cycles - 2 * dispatch);
}

class WithoutLines : public DeviceTest {};

TEST_F(WithoutLines, NothingIsKept) {
  const auto report = on_vector(2, [] { Adds(ub<float>(0, 64), ub<float>(0, 64), 1.0f, 64); });
  for (const auto& core : report.cores) {
    for (const auto& pipe : core.pipes) EXPECT_TRUE(pipe.lines.empty());
  }
}

}  // namespace
}  // namespace davsim::test
