// A kernel that goes wrong is stopped and explained; the device can be used again afterwards.
#include <exception>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;
using isa::FaultClass;

class Faults : public DeviceTest {};

TEST_F(Faults, AFlagThatIsSetTwiceLetsTwoWaitsPass) {
  on_vector(1, [] {
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
  });
  EXPECT_EQ(recorder.of(isa::Opcode::kWaitFlag).size(), 2u);
}

TEST_F(Faults, AFlagThatIsSetTwiceAndAwaitedOnce) {
  const auto fault = fault_of([&] {
    on_vector(1, [] {
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID1);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kFlag);
  EXPECT_NE(fault.message.find("MTE2_V event 1"), std::string::npos) << fault.message;
}

TEST_F(Faults, AFlagCountsToFifteen) {
  const auto fault = fault_of([&] {
    on_vector(1, [] {
      for (int i = 0; i < 16; ++i) SetFlag<HardEvent::MTE2_V>(EVENT_ID1);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kFlag);
  EXPECT_NE(fault.message.find("MTE2_V event 1"), std::string::npos) << fault.message;
  EXPECT_EQ(fault.core, "core0.veccore0");
  EXPECT_EQ(fault.pipe, "MTE2");
  EXPECT_NE(fault.where.line(), 0u);
}

TEST_F(Faults, AQueuesFlagMayBeSetAgainBeforeItsFirstWaitWasPassed) {
  float* in = global<float>(64, "in", [](auto i) { return float(i); });
  const auto report = on_vector(1, [=] {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> queue;
    pipe.InitBuffer(queue, 2, 256);
    // The vector unit is busy for long, while two loads arrive under the same event id.
    Adds(ub<float>(65536, 16320), ub<float>(131072, 16320), 1.0f, 16320);
    for (int i = 0; i < 2; ++i) {
      LocalTensor<float> x = queue.AllocTensor<float>();
      DataCopy(x, gm(in, 64), 64);
      queue.EnQue(x);
      x = queue.DeQue<float>();
      Adds(x, x, 1.0f, 64);
      queue.FreeTensor(x);
    }
  });
  EXPECT_GT(report.cycles, 200u);
  const auto sets = recorder.of(isa::Opcode::kSetFlag), waits = recorder.of(isa::Opcode::kWaitFlag);
  ASSERT_GE(waits.size(), 2u);
  EXPECT_LE(sets.at(1).end, waits.at(0).end);
}

TEST_F(Faults, AFlagNeverAwaited) {
  const auto fault = fault_of([&] { on_vector(1, [] { SetFlag<HardEvent::V_MTE3>(EVENT_ID2); }); });
  EXPECT_EQ(fault.cls, FaultClass::kFlag);
  EXPECT_NE(fault.message.find("never awaited"), std::string::npos) << fault.message;
}

TEST_F(Faults, AWaitThatNobodySetsIsADeadlockWithEveryWaiterNamed) {
  const auto fault = fault_of([&] {
    on_vector(2, [] {
      WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      PipeBarrier<PIPE_ALL>();
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kDeadlock);
  for (const char* part : {"core0.veccore0 V: WAIT_FLAG MTE2_V event 0",
                           "core0.veccore1 V:", "scalar unit", "fault_test.cpp:"}) {
    EXPECT_NE(fault.message.find(part), std::string::npos) << part << " in " << fault.message;
  }
}

/// The destructor of a TPipe waits for all pipes: that is no reason why a flag is not set.
TEST_F(Faults, AWaitForAnotherFlagThanWasSetIsTheCauseBeforeTheEndOfATPipe) {
  unsigned line = 0;
  const auto fault = fault_of([&] {
    on_vector(1, [&] {
      TPipe pipe;
      Duplicate(ub<float>(0, 64), 1.0f, 64);
      SetFlag<HardEvent::V_MTE3>(EVENT_ID1);
      line = __LINE__ + 1;
      WaitFlag<HardEvent::V_MTE3>(EVENT_ID2);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kDeadlock);
  EXPECT_EQ(fault.where.line(), line) << fault.message;
  for (const char* part :
       {"at the end of its TPipe", "nothing is left that could end this wait",
        "V_MTE3 event 1 was set at fault_test.cpp:", "nobody awaits it: another id"}) {
    EXPECT_NE(fault.message.find(part), std::string::npos) << part << " in " << fault.message;
  }
  EXPECT_EQ(fault.message.find("tpipe.h"), std::string::npos) << fault.message;
}

TEST_F(Faults, ACrossCoreWaitThatNobodyRaisesIsADeadlock) {
  const auto fault = fault_of([&] {
    launch(
        isa::KernelType::kMix12, 1, [] { CrossCoreWaitFlag(3); }, [] {});
  });
  EXPECT_EQ(fault.cls, FaultClass::kDeadlock);
  EXPECT_NE(fault.message.find("flag 3"), std::string::npos) << fault.message;
}

TEST_F(Faults, SyncAllWithMoreBlocksThanCoresDeadlocks) {
  const auto fault = fault_of([&] { on_vector(41, [] { SyncAll(); }); });
  EXPECT_EQ(fault.cls, FaultClass::kDeadlock);
  EXPECT_NE(fault.message.find("1 of 41 blocks never got a core"), std::string::npos)
      << fault.message;
}

TEST_F(Faults, AnAddressBehindTheBuffer) {
  const auto fault = fault_of(
      [&] { on_vector(1, [] { Adds(ub<float>(196608 - 128, 64), ub<float>(0, 64), 1.0f, 64); }); });
  EXPECT_EQ(fault.cls, FaultClass::kAddress);
  EXPECT_NE(fault.message.find("UB"), std::string::npos) << fault.message;
  EXPECT_EQ(fault.instruction, "VADDS");
}

TEST_F(Faults, AStrayGlobalPointerNamesTheAllocation) {
  float* in = global<float>(64, "weights", [](auto) { return 0.f; });
  const auto fault =
      fault_of([&] { on_vector(1, [=] { DataCopy(ub<float>(0, 128), gm(in, 128), 128); }); });
  EXPECT_EQ(fault.cls, FaultClass::kAddress);
  EXPECT_NE(fault.message.find("weights"), std::string::npos) << fault.message;
}

TEST_F(Faults, APipeTheCoreDoesNotHave) {
  const auto fault = fault_of([&] {
    on_cube(1, [] {
      isa::current_core().emit({isa::Opcode::kAdd, isa::Pipe::V, {}, {}, {}, {}, {}});
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kParameter);
  EXPECT_NE(fault.message.find("AIC"), std::string::npos) << fault.message;
}

TEST_F(Faults, AnExceptionOfTheKernelIsAFault) {
  const auto fault = fault_of([&] { on_vector(1, [] { throw std::runtime_error("host bug"); }); });
  EXPECT_NE(fault.message.find("host bug"), std::string::npos);
  const auto number = fault_of([&] { on_vector(1, [] { throw 5; }); });
  EXPECT_NE(number.message.find("the kernel threw an exception"), std::string::npos)
      << number.message;
}

/// Calls the kernel API from a destructor, which is noexcept like all that say nothing else.
template <typename Call>
struct AtEnd {
  Call call;
  ~AtEnd() { call(); }
};
template <typename Call>
AtEnd(Call) -> AtEnd<Call>;

TEST_F(Faults, ACallThatIsRefusedInADestructor) {
  const auto fault = fault_of([&] {
    on_vector(1, [this] {
      const AtEnd end{[this] { Adds(ub<float>(4, 64), ub<float>(0, 64), 1.0f, 64); }};
      Duplicate(ub<float>(0, 64), 1.0f, 64);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kAlignment);
  EXPECT_EQ(fault.core, "core0.veccore0");
  EXPECT_EQ(fault.instruction, "VADDS");
  EXPECT_NE(fault.where.line(), 0u);
  EXPECT_GT(on_vector(1, [this] { Duplicate(ub<float>(0, 64), 1.0f, 64); }).cycles, 0u);
}

TEST_F(Faults, ADestructorThatWaitsWhenAnotherCoreFaults) {
  const auto fault = fault_of([&] {
    on_vector(2, [this] {
      if (GetBlockIdx() == 0) {
        const AtEnd end{[] {
          WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
          PipeBarrier<PIPE_ALL>();
        }};
        return;
      }
      Adds(ub<float>(65536, 16320), ub<float>(131072, 16320), 1.0f, 16320);
      PipeBarrier<PIPE_ALL>();
      Adds(ub<float>(4, 64), ub<float>(0, 64), 1.0f, 64);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kAlignment);
  EXPECT_NE(fault.core, "core0.veccore0");
  EXPECT_GT(on_vector(2, [this] { Duplicate(ub<float>(0, 64), 1.0f, 64); }).cycles, 0u);
}

TEST_F(Faults, ADestructorThatMeetsAnotherFaultOnTheWay) {
#ifdef __SANITIZE_ADDRESS__
  // The kernel's frames are left as they are, and with them what the first fault threw.
  const __lsan::ScopedDisabler left_behind;
#endif
  const auto fault = fault_of([&] {
    on_vector(1, [this] {
      const AtEnd end{[this] { Duplicate(ub<float>(0, 64), 1.0f, -4); }};
      Adds(ub<float>(4, 64), ub<float>(0, 64), 1.0f, 64);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kAlignment) << fault.message;
  EXPECT_EQ(fault.core, "core0.veccore0");
}

TEST_F(Faults, ADestructorThatAsksForTheTimeOnTheWayLetsNoOtherCoreRun) {
  // All cores share one thread, and what it has thrown would be theirs as well.
  int thrown = -1;
  fault_of([&] {
    on_vector(2, [&, this] {
      if (GetBlockIdx() == 1) {
        thrown = std::uncaught_exceptions();
        return;
      }
      const AtEnd end{[] { GetSystemCycle(); }};
      Adds(ub<float>(65536, 16320), ub<float>(131072, 16320), 1.0f, 16320);
      Adds(ub<float>(4, 64), ub<float>(0, 64), 1.0f, 64);
    });
  });
  EXPECT_EQ(thrown, 0);
}

TEST_F(Faults, ATensorsElementThatAKernelLeftUnused) {
  const auto fault = fault_of([&] {
    on_vector(1, [this] {
      const LocalTensor<float> x = ub<float>(0, 64);
      const AtEnd end{[&] {
        auto unused = x(3);
        Duplicate(x, 1.0f, -4);
        static_cast<void>(unused);
      }};
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kParameter);
  EXPECT_GT(on_vector(1, [this] { Duplicate(ub<float>(0, 64), 1.0f, 64); }).cycles, 0u);
}

TEST_F(Faults, ALimitOnCycles) {
  device("Ascend910B3", {.max_cycles = 10000});
  const auto fault = fault_of([&] {
    on_vector(2, [] {
      for (;;) Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kLimit);
  EXPECT_EQ(fault.core, "core0.veccore0");
  EXPECT_NE(std::string(fault.where.file_name()).find("fault_test.cpp"), std::string::npos);
  EXPECT_NE(fault.message.find("2 cores still run"), std::string::npos) << fault.message;
}

// Loads from a core's buffers do not wait for simulated time while its pipes are idle and nobody
// looks.
TEST_F(Faults, ALimitOnCyclesEndsLoopsOverElements) {
  device("Ascend910B3", {.max_cycles = 10000}).attach(nullptr);
  const auto fault = fault_of([&] {
    on_vector(2, [] {
      const auto values = ub<float>(0, 64);
      values.SetValue(0, 1.0f);
      while (values.GetValue(0) == 1.0f) {
      }
    });
  });
  EXPECT_EQ(fault.cls, FaultClass::kLimit);
  EXPECT_NE(fault.message.find("2 cores still run"), std::string::npos) << fault.message;
}

TEST_F(Faults, TheDeviceWorksAgainAfterwards) {
  for (int round = 0; round < 3; ++round) {
    fault_of([&] {
      on_vector(40, [] {
        Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
      });
    });
    const auto report =
        on_vector(40, [] { Adds(ub<float>(0, 64), ub<float>(65536, 64), 1.0f, 64); });
    EXPECT_EQ(report.cores.size(), 40u);
    EXPECT_LT(report.cycles, 100u);
  }
}

TEST_F(Faults, BlockDimIsChecked) {
  EXPECT_THROW(on_vector(0, [] {}), std::invalid_argument);
  EXPECT_THROW(on_vector(65536, [] {}), std::invalid_argument);
}

TEST_F(Faults, OneDeviceAProcess) {
  device();
  EXPECT_THROW(sim::Device(sim::SocConfig::named("Ascend910B1")), std::logic_error);
}

}  // namespace
}  // namespace davsim::test
