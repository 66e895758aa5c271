// Kernels built for automatic synchronisation: what it orders is no race, and what it leaves to the
// kernel still is one.
#include "tests/checker/checker_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CheckedAutoSync : public CheckerTest {
 protected:
  CheckedAutoSync() { auto_sync = true; }

  LocalTensor<float> x = ub<float>(0, kCount), y = ub<float>(kCount * 4, kCount);
};

TEST_F(CheckedAutoSync, WhatItOrdersIsNoRace) {
  run(isa::KernelType::kAivOnly, 1, [&] {
    DataCopy(x, in(), kCount);
    const float first = x.GetValue(1);  // MTE2, S
    order<HardEvent::MTE2_V>();
    Adds(y, x, first, kCount);
    Muls(y, y, 2.0f, kCount);             // V, V
    y.SetValue(0, y.GetValue(1) + 1.0f);  // V, S
    Adds(x, y, 1.0f, kCount);             // S, V
    order<HardEvent::V_MTE3>();
    x.SetValue(3, x.GetValue(2));
    DataCopy(out(), x, kCount);  // S, MTE3
    x.SetValue(0, 5.0f);         // MTE3, S
    y.SetValue(8, 1.0f);
    DataCopy(y, in(), kCount);  // S, MTE2
  });
  EXPECT_EQ(checker::text_of(checker_.findings()), "0 findings\n");
}

TEST_F(CheckedAutoSync, AMoveBeforeAVectorInstructionIsTheKernelsToOrder) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_V>(mended);
    Adds(y, x, 1.0f, kCount);  // BUG AMoveBeforeAVectorInstructionIsTheKernelsToOrder
  });
}

TEST_F(CheckedAutoSync, AVectorInstructionBeforeAMoveIsTheKernelsToOrder) {
  expect_vector(Class::kRace, [&](bool mended) {
    Duplicate(x, 1.0f, kCount);
    Adds(x, x, 1.0f, kCount);
    order<HardEvent::V_MTE3>(mended);
    DataCopy(out(), x, kCount);  // BUG AVectorInstructionBeforeAMoveIsTheKernelsToOrder
  });
}

TEST_F(CheckedAutoSync, AMoveBeforeAMoveIsTheKernelsToOrder) {
  expect_vector(Class::kRace, [&](bool mended) {
    DataCopy(x, in(), kCount);
    order<HardEvent::MTE2_MTE3>(mended);
    DataCopy(out(), x, kCount);  // BUG AMoveBeforeAMoveIsTheKernelsToOrder
  });
}

TEST_F(CheckedAutoSync, CoresAreTheKernelsToOrder) {
  expect_on(isa::KernelType::kAivOnly, 2, Class::kRace, [&](bool mended) {
    if (GetBlockIdx() == 0) {
      Duplicate(x, 1.0f, kCount);
      order<HardEvent::V_MTE3>();
      DataCopy(out(), x, kCount);
    }
    if (mended) {
      CrossCoreSetFlag<0, PIPE_MTE3>(0);
      CrossCoreWaitFlag(0);
    }
    if (GetBlockIdx() == 1) {
      DataCopy(y, out(), kCount);  // BUG CoresAreTheKernelsToOrder
      y.SetValue(0, y.GetValue(0) + 1.0f);
    }
  });
}

}  // namespace
}  // namespace davsim::test
