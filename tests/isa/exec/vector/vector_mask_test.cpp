// The mask register, and what the calls make of it and leave in it.
#include "tests/isa/exec/vector/vector_reference.hpp"

namespace davsim::test {
namespace {

using AscendC::LocalTensor;
using Mask = std::array<std::uint64_t, 2>;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

class VectorMask : public VectorTest {
 protected:
  const isa::Registers& registers() { return core.registers(); }
  const isa::VectorParams& last() {
    return std::get<isa::VectorParams>(core.emitted.back().params);
  }
  LocalTensor<float> a = tensor<float>(0), b = tensor<float>(4096);
};

TEST_F(VectorMask, StartsFullInNormalMode) {
  EXPECT_EQ(registers().mask_mode, isa::MaskMode::kNormal);
  EXPECT_EQ(registers().mask, (Mask{kAll, kAll}));
}

TEST_F(VectorMask, SettersSetTheRegisterAtACostOfOneScalarInstruction) {
  AscendC::SetMaskCount();
  EXPECT_EQ(registers().mask_mode, isa::MaskMode::kCounter);
  AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(1000);
  EXPECT_EQ(registers().mask, (Mask{1000, 0}));
  AscendC::SetVectorMask<half, AscendC::MaskMode::COUNTER>(0, 77);
  EXPECT_EQ(registers().mask, (Mask{77, 0}));
  AscendC::SetMaskNorm();
  EXPECT_EQ(registers().mask_mode, isa::MaskMode::kNormal);
  AscendC::SetVectorMask<half>(0x12, 0x34);  // high, low
  EXPECT_EQ(registers().mask, (Mask{0x34, 0x12}));
  AscendC::SetVectorMask<half>(65);
  EXPECT_EQ(registers().mask, (Mask{kAll, 1}));
  AscendC::SetVectorMask<half>(64);
  EXPECT_EQ(registers().mask, (Mask{kAll, 0}));
  AscendC::SetVectorMask<half>(128);
  EXPECT_EQ(registers().mask, (Mask{kAll, kAll}));
  AscendC::SetVectorMask<float>(0);
  EXPECT_EQ(registers().mask, (Mask{0, 0}));
  AscendC::ResetMask();
  EXPECT_EQ(registers().mask, (Mask{kAll, kAll}));
  ASSERT_EQ(core.emitted.size(), 10u);
  for (const isa::Instr& instr : core.emitted) {
    EXPECT_EQ(instr.op, isa::Opcode::kSetRegister);
    EXPECT_EQ(instr.pipe, isa::Pipe::S);
    EXPECT_EQ(std::get<isa::ScalarParams>(instr.params).instructions, 1u);
  }
}

TEST_F(VectorMask, ACountIsOneInstructionInCounterMode) {
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<float, AscendC::MaskMode::COUNTER>(5);
  core.emitted.clear();
  const auto line = isa::SourceLocation::current().line() + 1;
  AscendC::Add(a, a, b, 1000);
  ASSERT_EQ(core.emitted.size(), 1u);
  EXPECT_EQ(core.emitted[0].op, isa::Opcode::kAdd);
  EXPECT_EQ(core.emitted[0].pipe, isa::Pipe::V);
  EXPECT_EQ(core.emitted[0].where.line(), line);
  EXPECT_EQ(last().mask_mode, isa::MaskMode::kCounter);
  EXPECT_EQ(last().mask[0], 1000u);
  EXPECT_EQ(registers().mask_mode, isa::MaskMode::kNormal);
  EXPECT_EQ(registers().mask, (Mask{kAll, kAll}));
}

TEST_F(VectorMask, ACallThatSetsTheMaskLeavesItInTheRegister) {
  AscendC::Exp(a, b, 7, 1, {1, 1, 8, 8});
  EXPECT_EQ(registers().mask, (Mask{0x7f, 0}));
  AscendC::Exp<float, false>(a, b, AscendC::MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  EXPECT_EQ(last().mask, (Mask{0x7f, 0}));
  const std::uint64_t bits[2] = {5, 6};
  AscendC::Exp(a, b, bits, 1, {1, 1, 8, 8});
  EXPECT_EQ(registers().mask, (Mask{5, 6}));
}

/// Documented: in counter mode a mask given to the call is the number of elements, too.
TEST_F(VectorMask, MasksOfCallsCountInCounterMode) {
  fill<float>();
  AscendC::SetMaskCount();
  const std::uint64_t mask[2] = {130, 0};
  AscendC::Adds<float, true>(a, b, 1.5f, mask, 1, {2, 2, 16, 16});
  expect_walk<float, float>(Lanes::count(130, 64), 0, {2, 16}, 4096, {2, 16}, 4096, {2, 16},
                            [](float x, float, float) { return to_float(double{x} + 1.5); });
  check();
  AscendC::Adds(a, b, 1.5f, 200, 1, {1, 1, 8, 8});
  EXPECT_EQ(last().mask, (Mask{200, 0}));
}

/// Documented: the calls of the first n elements mean n elements, whatever the mode is when they
/// are made, and leave normal mode.
TEST_F(VectorMask, CallsOfSeveralInstructionsCountInCounterModeToo) {
  const auto in_counter_mode = [&](auto call) {
    AscendC::SetMaskCount();
    call();
    EXPECT_EQ(registers().mask_mode, isa::MaskMode::kNormal);
    EXPECT_EQ(registers().mask, (Mask{kAll, kAll}));
    AscendC::SetMaskNorm();
  };
  constexpr std::uint32_t kCount = 200, kOffsets = 8192, kWork = 32768;
  for (std::uint32_t i = 0; i < 1024; ++i) {
    b.SetValue(i, static_cast<float>(i * 7 % 1009));
    tensor<std::uint32_t>(kOffsets).SetValue(i, (1023 - i) * 4);
  }
  in_counter_mode([&] { AscendC::Gather(a, b, tensor<std::uint32_t>(kOffsets), 0u, kCount); });
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(a.GetValue(i), b.GetValue(1023 - i)) << i;
  in_counter_mode([&] { AscendC::Copy(a, b, kCount); });
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(a.GetValue(i), b.GetValue(i)) << i;
  in_counter_mode([&] { AscendC::CreateVecIndex(a, 5.0f, kCount); });
  for (std::uint32_t i = 0; i < kCount; ++i) EXPECT_EQ(a.GetValue(i), 5.0f + static_cast<float>(i));
  in_counter_mode([&] { AscendC::ArithProgression(a, 5.0f, 2.0f, static_cast<int>(kCount)); });
  for (std::uint32_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(a.GetValue(i), 5.0f + 2.0f * static_cast<float>(i));
  }
  // 144 * 7 = 1008 is the largest, and lies in a repeat that is not the first.
  for (const bool index : {false, true}) {
    in_counter_mode(
        [&] { AscendC::ReduceMax(a, b, tensor<float>(kWork), static_cast<int>(kCount), index); });
    EXPECT_EQ(a.GetValue(0), 1008.0f);
    if (index) {
      EXPECT_EQ(a.ReinterpretCast<std::uint32_t>().GetValue(1), 144u);
    }
    in_counter_mode([&] {
      AscendC::ReduceMin(a, b[8], tensor<float>(kWork), static_cast<int>(kCount), index);
    });
    EXPECT_EQ(a.GetValue(0), 6.0f);  // 145 * 7 % 1009
    if (index) {
      EXPECT_EQ(a.ReinterpretCast<std::uint32_t>().GetValue(1), 137u);
    }
  }
  in_counter_mode(
      [&] { AscendC::ReduceSum(a, b, tensor<float>(kWork), static_cast<int>(kCount)); });
}

/// Documented: a mask beyond the lanes of a repeat is all of them.
TEST_F(VectorMask, AMaskHasNoMoreLanesThanARepeat) {
  fill<float>();
  expect_walk<float, float>(Lanes::first(64, 64, 2), 0, {}, 4096, {}, 4096, {},
                            [](float x, float, float) { return to_float(double{x} + 1.5); });
  AscendC::Adds(a, b, 1.5f, 128, 2, {1, 1, 8, 8});
  check();
  AscendC::SetVectorMask<float>(100);
  expect_walk<float, float>(Lanes::first(64, 64, 1), 0, {}, 4096, {}, 4096, {},
                            [](float x, float, float) { return to_float(double{x} + 2.5); });
  AscendC::Adds<float, false>(a, b, 2.5f, AscendC::MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  check();
}

/// Code that both halves of a mixed kernel run may hold vector calls.
TEST_F(VectorMask, TheCubeCoreSkipsVectorCalls) {
  core.become(isa::CoreType::AIC);
  AscendC::Add(a, a, b, 64);
  AscendC::SetMaskCount();
  AscendC::SetVectorMask<float>(3);
  AscendC::SetDeqScale(half(1.0f));
  EXPECT_TRUE(core.emitted.empty());
  EXPECT_EQ(registers().mask_mode, isa::MaskMode::kNormal);
}

}  // namespace
}  // namespace davsim::test
