// What the scalar unit executes around an instruction, from counts that are made by hand.
#include "sim/core/scalar_cost.hpp"

#include <gtest/gtest.h>

namespace davsim::sim {
namespace {

using isa::ScalarCall;
using isa::ScalarClass;
using isa::ScalarForm;

constexpr std::uint64_t kPlace = (std::uint64_t{77} << isa::kCodeBytesBits) | 40;  // 40 bytes
constexpr double kForm = 10;  // instructions of form 0; of form i they are kForm + i

class ScalarCostTest : public testing::Test {
 protected:
  ScalarCostTest() {
    timing.work = 1;
    timing.instruction = 1;
    timing.stack_line = 3;
    for (std::size_t i = 0; i < timing.own.size(); ++i)
      timing.own[i] = 100.0 + static_cast<double>(i);
    for (std::size_t i = 0; i < timing.calls.size(); ++i) {
      timing.calls[i].instructions = 20.0 + static_cast<double>(i);
      timing.calls[i].stack_lines = 1;
      timing.calls[i].code = 0.5;
    }
    for (std::size_t i = 0; i < timing.forms.size(); ++i) {
      timing.forms[i] = kForm + static_cast<double>(i);
    }
    costs.begin_block(true);
  }
  static void pass(std::uint64_t place, const std::vector<ScalarClass>& work = {}) {
    davsim_scalar_work[0] = place;
    for (const ScalarClass which : work) ++davsim_scalar_work[1 + static_cast<std::size_t>(which)];
  }
  static isa::Instr instr(isa::Opcode op, const isa::Params& params) {
    isa::Instr made;
    made.op = op;
    made.params = params;
    return made;
  }
  ScalarCost move(const isa::MoveParams& params, isa::Opcode op = isa::Opcode::kMoveGmToUb) {
    pass(kPlace);
    return costs.next(instr(op, params));
  }
  static Cycle cycles(ScalarForm form) {
    return static_cast<Cycle>(kForm) + static_cast<Cycle>(form);
  }

  ScalarTiming timing{};
  ScalarCosts costs{timing};
};

TEST_F(ScalarCostTest, KernelsThatCountNothingTakeNoTime) {
  ScalarCost cost = costs.next(ScalarForm::kSync);
  EXPECT_EQ(cost.before + cost.call, 0u);
  EXPECT_EQ(cost.place, 0u);
  EXPECT_FALSE(costs.counted());
  pass(kPlace);
  cost = costs.next(ScalarForm::kSync);
  EXPECT_TRUE(costs.counted());
  EXPECT_EQ(cost.call, cycles(ScalarForm::kSync));
  costs.begin_block(false);
  pass(kPlace);
  EXPECT_EQ(costs.next(ScalarForm::kSync).call, 0u);
  EXPECT_FALSE(costs.counted());
}

TEST_F(ScalarCostTest, APlaceStaysUntilTheNext) {
  pass(kPlace);
  EXPECT_EQ(costs.next(ScalarForm::kSync).place, kPlace);
  EXPECT_EQ(costs.next(ScalarForm::kSync).place, kPlace);
  pass(kPlace + (1u << isa::kCodeBytesBits));
  EXPECT_EQ(costs.next(ScalarForm::kSync).place, kPlace + (1u << isa::kCodeBytesBits));
}

TEST_F(ScalarCostTest, ClassesOfWorkHaveTheirCyclesAndNeedWhatTheyNeed) {
  const std::vector<ScalarClass> need_loads = {ScalarClass::kMultiply, ScalarClass::kDivide,
                                               ScalarClass::kFloat,    ScalarClass::kFloatDivide,
                                               ScalarClass::kStore,    ScalarClass::kBranch};
  const std::vector<ScalarClass> jump = {ScalarClass::kBranch, ScalarClass::kCall};
  const auto has = [](const std::vector<ScalarClass>& classes, ScalarClass which) {
    return std::find(classes.begin(), classes.end(), which) != classes.end();
  };
  for (std::size_t i = 0; i < isa::kScalarClasses; ++i) {
    const auto which = static_cast<ScalarClass>(i);
    pass(kPlace, {which, which});
    const ScalarCost cost = costs.next(ScalarForm::kSync);
    EXPECT_EQ(cost.before, 2 * (100 + i)) << i;
    EXPECT_EQ(cost.uses_loads, has(need_loads, which)) << i;
    EXPECT_EQ(cost.jumps, has(jump, which)) << i;
    EXPECT_FALSE(cost.is_region);
  }
}

TEST_F(ScalarCostTest, CallsAreBookkeepingAndTheEntryIsOneOfThem) {
  timing.entry.instructions = 5;
  timing.entry.stack_lines = 2;
  pass(kPlace);
  EXPECT_EQ(costs.next(ScalarForm::kSync).before, 5u + 2 * 3) << "the entry";
  pass(kPlace);
  EXPECT_EQ(costs.next(ScalarForm::kSync).before, 0u) << "once a block";
  pass(kPlace);
  isa::note_scalar_call(ScalarCall::kEnQue, 2);
  const ScalarCost cost = costs.next(ScalarForm::kSync);
  const std::uint64_t instructions = 2 * (20 + static_cast<std::uint64_t>(ScalarCall::kEnQue));
  EXPECT_EQ(cost.before, instructions + 2 * 3);
  EXPECT_EQ(cost.code_bytes, 40 + 4 * (1 + cycles(ScalarForm::kSync) + instructions / 2));
  EXPECT_EQ(costs.next(ScalarForm::kSync).code_bytes, 4 * (1 + cycles(ScalarForm::kSync)))
      << "no code of its own was passed";
  timing.calls[static_cast<std::size_t>(ScalarCall::kMatmulStep)].code = 1;
  pass(kPlace);
  isa::note_scalar_call(ScalarCall::kMatmulStep);
  EXPECT_EQ(costs.next(ScalarForm::kSync).code_bytes,
            40 + 4 * (1 + cycles(ScalarForm::kSync) + 20 +
                      static_cast<std::uint64_t>(ScalarCall::kMatmulStep)))
      << "code of its own factor";
}

TEST_F(ScalarCostTest, OwnWorkBeforeACallLeavesThePlaceAndTheCalls) {
  pass(kPlace, {ScalarClass::kMultiply});
  isa::note_scalar_call(ScalarCall::kEnQue);
  EXPECT_TRUE(costs.takes_time());
  EXPECT_EQ(costs.own_work(), 101u);
  EXPECT_TRUE(costs.counted()) << "a pointer shows it";
  EXPECT_EQ(costs.own_work(), 0u);
  const ScalarCost cost = costs.next(ScalarForm::kSync);
  EXPECT_EQ(cost.place, kPlace);
  EXPECT_EQ(cost.before, 20u + static_cast<std::uint64_t>(ScalarCall::kEnQue) + 3);
  costs.begin_block(true);
  EXPECT_FALSE(costs.counted());
  costs.begin_block(false);
  EXPECT_FALSE(costs.takes_time());
}

/// Constants of the data cache may be below those of loads of the stack. The call itself is in what
/// is left, too.
TEST_F(ScalarCostTest, WhatGlobalMemoryTakesLessIsTakenFromWhatFollows) {
  timing.own[static_cast<std::size_t>(ScalarClass::kGlobalLoad)] = -40;
  pass(kPlace, {ScalarClass::kGlobalLoad});
  EXPECT_EQ(costs.next(ScalarForm::kSync).before, 0u);
  pass(kPlace, {ScalarClass::kArithmetic});
  EXPECT_EQ(costs.next(ScalarForm::kSync).before, 60u + cycles(ScalarForm::kSync));
}

TEST_F(ScalarCostTest, PartsOfCyclesAddUp) {
  timing.work = 0.25;
  timing.forms[static_cast<std::size_t>(ScalarForm::kSync)] = 1;
  Cycle spent = 0;
  for (int i = 0; i < 8; ++i) {
    pass(kPlace);
    spent += costs.next(ScalarForm::kSync).call;
  }
  EXPECT_EQ(spent, 2u);
}

TEST_F(ScalarCostTest, AMoveIsPaddedWhereDataCopyPadIsNeeded) {
  const isa::MoveParams whole{.bursts = 2, .burst_bytes = 64};
  EXPECT_EQ(move(whole).call, cycles(ScalarForm::kMove));
  isa::MoveParams padded = whole;
  padded.pad = true;
  EXPECT_EQ(move(padded).call, cycles(ScalarForm::kMovePad));
  padded = whole, padded.left_pad = 1;
  EXPECT_EQ(move(padded).call, cycles(ScalarForm::kMovePad));
  padded = whole, padded.right_pad = 1;
  EXPECT_EQ(move(padded).call, cycles(ScalarForm::kMovePad));
  for (const std::uint32_t bytes : {1u, 31u, 33u, 65u}) {
    padded = whole, padded.burst_bytes = bytes;
    EXPECT_EQ(move(padded).call, cycles(ScalarForm::kMovePad)) << bytes;
  }
}

TEST_F(ScalarCostTest, InstructionsHaveTheFormOfTheirUnit) {
  isa::VectorParams vector;
  const auto form = [&](isa::Opcode op, const isa::Params& params) {
    pass(kPlace);
    return costs.next(instr(op, params)).call;
  };
  EXPECT_EQ(form(isa::Opcode::kAdd, vector), cycles(ScalarForm::kVector));
  vector.mask_mode = isa::MaskMode::kCounter;
  EXPECT_EQ(form(isa::Opcode::kAdd, vector), cycles(ScalarForm::kVectorCount));
  EXPECT_EQ(form(isa::Opcode::kMmad, isa::MmadInstrParams{}), cycles(ScalarForm::kMmad));
  EXPECT_EQ(form(isa::Opcode::kLoadData2d, isa::Load2dParams{}), cycles(ScalarForm::kLoad));
  EXPECT_EQ(form(isa::Opcode::kSetFlag, isa::FlagParams{}), cycles(ScalarForm::kSync));
}

TEST_F(ScalarCostTest, ALoopOfTheKernelIsARegion) {
  pass(kPlace, {ScalarClass::kMultiply});
  const ScalarCost cost = costs.next_region();
  EXPECT_TRUE(cost.is_region);
  EXPECT_EQ(cost.before, 101u);
  EXPECT_EQ(cost.call, cycles(ScalarForm::kRegion));
}

}  // namespace
}  // namespace davsim::sim
