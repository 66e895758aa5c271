// Kernels without synchronisation of their own: what the vendor's compiler inserts makes them
// right, and what it leaves to the kernel stays out.
#include <algorithm>

#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class AutoSync : public DeviceTest {
 protected:
  static constexpr std::uint32_t kLength = 8192;  // floats; long enough to overtake

  AutoSync() { auto_sync = true; }

  std::size_t inserted(isa::Opcode op) const {
    const auto found = recorder.of(op);
    return static_cast<std::size_t>(std::count_if(found.begin(), found.end(), [](const auto& e) {
      const auto* flag = std::get_if<isa::FlagParams>(&e.instr.params);
      const auto* barrier = std::get_if<isa::BarrierParams>(&e.instr.params);
      return (flag != nullptr && flag->inserted) || (barrier != nullptr && barrier->inserted);
    }));
  }
  std::size_t inserted_flags(isa::Pipe set, isa::Pipe wait) const {
    const auto found = recorder.of(isa::Opcode::kWaitFlag);
    return static_cast<std::size_t>(std::count_if(found.begin(), found.end(), [&](const auto& e) {
      const auto& flag = std::get<isa::FlagParams>(e.instr.params);
      return flag.inserted && flag.set_pipe == set && flag.wait_pipe == wait;
    }));
  }
  LocalTensor<float> x = ub<float>(0, kLength), y = ub<float>(kLength * 4, kLength);
  // Tensors that scalars are read from and written to stand apart.
  LocalTensor<float> z = ub<float>(kLength * 8, 64);
};

TEST_F(AutoSync, VectorResultsReachTheNextVectorInstruction) {
  float sum = 0;
  const auto kernel = [&] {
    Duplicate(x, 1.0f, kLength);
    Adds(y, x, 2.0f, kLength);
    Add(x, x, y, kLength);
    sum = x.GetValue(kLength - 1);
  };
  on_vector(1, kernel);
  EXPECT_EQ(sum, 4.0f);
  EXPECT_EQ(inserted(isa::Opcode::kPipeBarrier), 2u);
  EXPECT_EQ(inserted_flags(isa::Pipe::V, isa::Pipe::S), 1u);
}

TEST_F(AutoSync, ABarrierOfTheKernelNeedsNoSecond) {
  on_vector(1, [&] {
    Duplicate(x, 1.0f, kLength);
    PipeBarrier<PIPE_V>();
    Adds(y, x, 2.0f, kLength);
    PipeBarrier<PIPE_ALL>();
    Add(x, x, y, kLength);
  });
  EXPECT_EQ(inserted(isa::Opcode::kPipeBarrier), 0u);
}

TEST_F(AutoSync, WhatOnePipeHasWaitedForItNeedNotAwaitAgain) {
  float sum = 0;
  on_vector(1, [&] {
    Duplicate(x, 1.0f, kLength);
    for (std::uint32_t i = 0; i < 4; ++i) sum += x.GetValue(i * kLength / 4);
  });
  EXPECT_EQ(sum, 4.0f);
  EXPECT_EQ(inserted_flags(isa::Pipe::V, isa::Pipe::S), 1u);
}

TEST_F(AutoSync, InstructionsThatDoNotDependRunAsBefore) {
  const auto kernel = [&] {
    Duplicate(x, 1.0f, kLength);
    Duplicate(y, 2.0f, kLength);
    Duplicate(z, 3.0f, 64);
  };
  const auto cycles = on_vector(1, kernel).cycles;
  EXPECT_EQ(inserted(isa::Opcode::kPipeBarrier), 0u);
  auto_sync = false;
  // Another launch on the same device: both are measured from their starts.
  EXPECT_EQ(on_vector(1, kernel).cycles, cycles);
}

TEST_F(AutoSync, ABarrierOrdersWritesBehindReads) {
  on_vector(1, [&] {
    Duplicate(x, 1.0f, kLength);
    PipeBarrier<PIPE_V>();
    Adds(y, x, 2.0f, kLength);
    Duplicate(x, 5.0f, kLength);  // behind the read of the line before
  });
  EXPECT_EQ(inserted(isa::Opcode::kPipeBarrier), 1u);
}

TEST_F(AutoSync, TheVectorUnitSeesWhatTheScalarUnitWrote) {
  float* out = global<float>(64, "out", [](auto) { return 0.0f; });
  on_vector(1, [&] {
    for (int i = 0; i < 64; ++i) z.SetValue(i, float(i));
    Adds(z, z, 1.0f, 64);
    PipeBarrier<PIPE_ALL>();
    DataCopy(gm(out, 64), z, 64);
  });
  for (int i = 0; i < 64; ++i) ASSERT_EQ(out[i], float(i + 1));
  EXPECT_EQ(inserted_flags(isa::Pipe::S, isa::Pipe::V), 1u);
}

TEST_F(AutoSync, TheScalarUnitAwaitsALoad) {
  float* in = global<float>(kLength, "in", [](auto i) { return float(i); });
  float last = 0;
  on_vector(1, [&] {
    DataCopy(x, gm(in, kLength), kLength);
    last = x.GetValue(kLength - 1);
  });
  EXPECT_EQ(last, float(kLength - 1));
  EXPECT_EQ(inserted_flags(isa::Pipe::MTE2, isa::Pipe::S), 1u);
}

TEST_F(AutoSync, AStoreTakesWhatTheScalarUnitWroteAndNothingLater) {
  float* out = global<float>(kLength, "out", [](auto) { return 0.0f; });
  on_vector(1, [&] {
    Duplicate(x, 1.0f, kLength);
    PipeBarrier<PIPE_ALL>();
    x.SetValue(kLength - 1, 7.0f);
    DataCopy(gm(out, kLength), x, kLength);
    x.SetValue(kLength - 1, 9.0f);
  });
  EXPECT_EQ(out[kLength - 1], 7.0f);
  EXPECT_EQ(inserted_flags(isa::Pipe::S, isa::Pipe::MTE3), 1u);
  EXPECT_EQ(inserted_flags(isa::Pipe::MTE3, isa::Pipe::S), 1u);
}

TEST_F(AutoSync, QueuesStayTheKernelsOwnToOrder) {
  float* in = global<float>(kLength, "in", [](auto i) { return float(i); });
  on_vector(1, [&] {
    DataCopy(x, gm(in, kLength), kLength);
    Adds(y, x, 1.0f, kLength);  // MTE2 and V: nothing is inserted
    PipeBarrier<PIPE_ALL>();
  });
  EXPECT_EQ(inserted(isa::Opcode::kWaitFlag), 0u);
}

TEST_F(AutoSync, AFlagOfTheKernelIsEnough) {
  float* in = global<float>(kLength, "in", [](auto i) { return float(i); });
  on_vector(1, [&] {
    DataCopy(x, gm(in, kLength), kLength);
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    static_cast<void>(x.GetValue(5));
  });
  EXPECT_EQ(inserted(isa::Opcode::kWaitFlag), 0u);
}

TEST_F(AutoSync, TheWaitsTakeTime) {
  const auto kernel = [&] {
    for (int i = 0; i < 4; ++i) {
      Duplicate(x, 1.0f, kLength);
      static_cast<void>(x.GetValue(0));
    }
  };
  const auto with = on_vector(1, kernel).cycles;
  auto_sync = false;
  EXPECT_GT(with, on_vector(1, kernel).cycles);
}

TEST_F(AutoSync, WithItOffNothingIsInserted) {
  auto_sync = false;
  on_vector(1, [&] {
    Duplicate(x, 1.0f, kLength);
    Adds(y, x, 2.0f, kLength);
  });
  EXPECT_EQ(inserted(isa::Opcode::kPipeBarrier), 0u);
}

TEST_F(AutoSync, WhatNothingOrdersIsSeenOnce) {
  const auto in = gm(global<float>(kLength, "x", [](std::size_t) { return 3.0f; }), kLength);
  on_vector(1, [&] {
    DataCopy(x, in, kLength);
    Adds(y, x, 2.0f, kLength);  // no flag from MTE2 to V, which the compiler does not insert
  });
  EXPECT_NE(device().suspicion().find("UB byte 0 by V"), std::string::npos) << device().suspicion();
  EXPECT_NE(device().suspicion().find("behind MTE2"), std::string::npos);
  on_vector(1, [&] {
    DataCopy(x, in, kLength);
    SetFlag<HardEvent::MTE2_V>(0);
    WaitFlag<HardEvent::MTE2_V>(0);
    Adds(y, x, 2.0f, kLength);
    Adds(y, y, 2.0f, kLength);
    y.SetValue(0, y.GetValue(1));
  });
  EXPECT_EQ(device().suspicion(), "");
}

TEST_F(AutoSync, AccessesToPartsOfADataBlockAreNotTakenForUnordered) {
  const auto in = gm(global<float>(kLength, "x", [](std::size_t) { return 3.0f; }), kLength);
  on_vector(1, [&] {
    // The move writes the first 4 bytes of a DataBlock, the vector unit the others.
    DataCopyPad(x, in, {1, 4, 0, 0, 0}, {false, 0, 0, 0.0f});
    const std::uint64_t mask[2] = {0xfe, 0};
    Duplicate(x, 1.0f, mask, 1, 1, 8);
  });
  EXPECT_EQ(device().suspicion(), "");
}

}  // namespace
}  // namespace davsim::test
