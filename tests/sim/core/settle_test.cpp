// Who waits for a core's effects waits for no others. Launches of so few effects have no thread of
// effects: what has not been waited for has not happened.
#include "sim/core/effect_thread.hpp"

#include <gtest/gtest.h>

#include "isa/exec/execute.hpp"
#include "kernel_operator.h"
#include "tests/isa/test_core.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

/// Hands its instructions to the thread of effects.
class HandingCore : public TestCore {
 public:
  HandingCore(sim::EffectThread& effects, std::uint32_t number)
      : effects_(effects), number_(number) {
    effects.add_core(number, memory, name_);
  }
  void emit(const isa::Instr& instr) override {
    effects_.give(isa::decode(instr, memory), number_);
  }

 private:
  sim::EffectThread& effects_;
  std::uint32_t number_;
  std::string name_ = "core";
};

class Settle : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kElements = 64;

  Settle() {
    for (HandingCore* core : {&first_, &second_}) {
      core->global.add(global_.data(), sizeof global_);
    }
    effects_.begin();
  }
  ~Settle() override { effects_.end(); }

  static LocalTensor<float> x() { return LocalTensor<float>(TPosition::VECCALC, 0, kElements); }
  void duplicate(HandingCore& core, float value) {
    isa::set_current_core(&core);
    Duplicate(x(), value, kElements);
  }
  void store(HandingCore& core) {
    isa::set_current_core(&core);
    DataCopy(tensor(), x(), kElements);
  }
  void load(HandingCore& core) {
    isa::set_current_core(&core);
    DataCopy(x(), tensor(), kElements);
  }
  GlobalTensor<float> tensor() {
    GlobalTensor<float> tensor;
    tensor.SetGlobalBuffer(global_.data(), kElements);
    return tensor;
  }
  static float value_of(HandingCore& core) { return *core.buffer<float>(isa::Space::kUb); }

  sim::EffectThread effects_;
  HandingCore first_{effects_, 0}, second_{effects_, 1};
  alignas(32) std::array<float, kElements> global_{};
};

TEST_F(Settle, ACoreIsWaitedForAlone) {
  duplicate(second_, 2);
  duplicate(first_, 1);
  effects_.settle_core(0);
  EXPECT_EQ(value_of(first_), 1);
  EXPECT_EQ(value_of(second_), 0);
  effects_.settle();
  EXPECT_EQ(value_of(second_), 2);
}

TEST_F(Settle, WhatACoreReadsOfGlobalMemoryIsWaitedForToo) {
  duplicate(second_, 2);
  store(second_);
  duplicate(second_, 3);
  load(first_);
  effects_.settle_core(0);
  EXPECT_EQ(value_of(first_), 2);
}

TEST_F(Settle, ACoreSeesItsOwnBuffersAndAllOfGlobalMemory) {
  duplicate(second_, 2);
  store(second_);
  duplicate(second_, 3);
  duplicate(first_, 1);
  effects_.settle_seen_by(0);
  EXPECT_EQ(value_of(first_), 1);
  EXPECT_EQ(global_[0], 2);
  EXPECT_EQ(value_of(second_), 2);
}

/// The core may now overwrite what another one read before.
TEST_F(Settle, ACoreWaitsForWhatOthersReadOfGlobalMemory) {
  global_[0] = 4;
  load(second_);
  effects_.settle_seen_by(0);
  EXPECT_EQ(value_of(second_), 4);
}

TEST_F(Settle, AFaultOfACoreIsThrown) {
  isa::set_current_core(&first_);
  const LocalTensor<std::uint32_t> offsets(TPosition::VECCALC, 1024, kElements);
  Duplicate(offsets, std::uint32_t{1} << 20, kElements);  // leads out of UB
  Gather(x(), LocalTensor<float>(TPosition::VECCALC, 2048, kElements), offsets, 0, kElements);
  EXPECT_THROW(effects_.settle_core(0), isa::Fault);
}

TEST_F(Settle, NobodyWaitsForACoreWithoutEffects) {
  duplicate(second_, 2);
  effects_.settle_core(0);
  EXPECT_EQ(value_of(second_), 0);
}

}  // namespace
}  // namespace davsim::test
