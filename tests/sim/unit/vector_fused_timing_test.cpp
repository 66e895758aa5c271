// Exact cycles of the instructions that do several things at once, of shifts and of CastDequant:
// fixed + repeats x beat, where nothing conflicts.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint8_t kRepeats = 50;
// Three places in three banks, whose blocks of one repeat lie in different groups.
constexpr std::uint32_t kA = 0, kB = 65536 + 256, kC = 131072;

class FusedTiming : public DeviceTest {
 protected:
  /// Cycles of the one vector instruction that the kernel emits.
  observe::Cycle cycles(isa::Opcode op, const std::function<void()>& kernel) {
    on_vector(1, kernel);
    const auto events = recorder.of(op);
    EXPECT_EQ(events.size(), 1u);
    return events.empty() ? 0 : events[0].end - events[0].start;
  }
};

TEST_F(FusedTiming, SumsTakeACycleARepeat) {
  const BinaryRepeatParams dense;
  EXPECT_EQ(cycles(isa::Opcode::kAddRelu,
                   [=] {
                     AddRelu(ub<float>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64, kRepeats,
                             dense);
                   }),
            24u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kSubRelu,
                   [=] {
                     SubRelu(ub<half>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128, kRepeats,
                             dense);
                   }),
            24u + kRepeats);
  const BinaryRepeatParams narrow(1, 1, 1, 4, 8, 8);
  EXPECT_EQ(cycles(isa::Opcode::kAddReluCast,
                   [=] {
                     AddReluCast(ub<half>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, narrow);
                   }),
            32u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kMulCast,
                   [=] {
                     MulCast(ub<std::int8_t>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128,
                             kRepeats, narrow);
                   }),
            32u + kRepeats);
}

TEST_F(FusedTiming, AddDeqReluTakesItsThreeStepsOneAfterAnother) {
  EXPECT_EQ(cycles(isa::Opcode::kAddDeqRelu,
                   [] {
                     SetDeqScale(half(1.0f));
                     AddDeqRelu(ub<half>(kC, 64), ub<std::int32_t>(kA, 64),
                                ub<std::int32_t>(kB, 64), 64, kRepeats,
                                BinaryRepeatParams(1, 1, 1, 4, 8, 8));
                   }),
            24u + 32u + 23u + 3u * kRepeats);
}

TEST_F(FusedTiming, ThreeReadsAtThreeAddressesTakeTwoBeats) {
  const BinaryRepeatParams dense;
  EXPECT_EQ(cycles(isa::Opcode::kFusedMulAdd,
                   [=] {
                     FusedMulAdd(ub<float>(kA, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, dense);
                   }),
            25u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kFusedMulAdd,
                   [=] {
                     FusedMulAdd(ub<float>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, dense);
                   }),
            25u + 2u * kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kMulAddRelu,
                   [=] {
                     MulAddRelu(ub<half>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128, kRepeats,
                                dense);
                   }),
            25u + 2u * kRepeats);
}

TEST_F(FusedTiming, ScalarsAndShiftsTakeACycleARepeat) {
  const UnaryRepeatParams dense;
  EXPECT_EQ(
      cycles(isa::Opcode::kLeakyRelu,
             [=] { LeakyRelu(ub<float>(kC, 64), ub<float>(kA, 64), 0.1f, 64, kRepeats, dense); }),
      26u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kShiftLeft,
                   [=] {
                     ShiftLeft(ub<std::uint32_t>(kC, 64), ub<std::uint32_t>(kA, 64), 3u, 64,
                               kRepeats, dense);
                   }),
            20u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kShiftRight,
                   [=] {
                     ShiftRight(ub<std::int16_t>(kC, 64), ub<std::int16_t>(kA, 64), std::int16_t{3},
                                128, kRepeats, dense, true);
                   }),
            20u + kRepeats);
  EXPECT_EQ(cycles(isa::Opcode::kCastDequant,
                   [=] {
                     SetDeqScale(1.0f, 0, true);
                     CastDequant<std::int8_t, std::int16_t, true, false>(
                         ub<std::int8_t>(kC, 64), ub<std::int16_t>(kA, 64), 128, kRepeats, dense);
                   }),
            32u + kRepeats);
}

}  // namespace
}  // namespace davsim::test
