// Exact cycles of the instructions that do several things at once, of shifts and of CastDequant:
// fixed + repeats x beat, where nothing conflicts.
#include "tests/sim/unit/vector_places.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class FusedTiming : public TimingTest {
 protected:
  /// Cycles of the one vector instruction that the kernel emits.
  observe::Cycle cycles(isa::Opcode op, const std::function<void()>& kernel) {
    on_vector(1, kernel);
    const auto events = recorder.of(op);
    EXPECT_EQ(events.size(), 1u);
    return events.empty() ? 0 : events[0].end - events[0].start;
  }
};

TEST_F(FusedTiming, SumsTakeABeatARepeat) {
  const BinaryRepeatParams dense;
  EXPECT_EQ(cycles(isa::Opcode::kAddRelu,
                   [=] {
                     AddRelu(ub<float>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64, kRepeats,
                             dense);
                   }),
            vector_cycles(isa::Opcode::kAddRelu, 32, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kSubRelu,
                   [=] {
                     SubRelu(ub<half>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128, kRepeats,
                             dense);
                   }),
            vector_cycles(isa::Opcode::kSubRelu, 16, kRepeats));
  const BinaryRepeatParams narrow(1, 1, 1, 4, 8, 8);
  EXPECT_EQ(cycles(isa::Opcode::kAddReluCast,
                   [=] {
                     AddReluCast(ub<half>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, narrow);
                   }),
            vector_cycles(isa::Opcode::kAddReluCast, 32, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kMulCast,
                   [=] {
                     MulCast(ub<std::int8_t>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128,
                             kRepeats, narrow);
                   }),
            vector_cycles(isa::Opcode::kMulCast, 16, kRepeats));
}

TEST_F(FusedTiming, AddDeqReluTakesABeatOfItsThreeStepsARepeat) {
  EXPECT_EQ(cycles(isa::Opcode::kAddDeqRelu,
                   [] {
                     SetDeqScale(half(1.0f));
                     AddDeqRelu(ub<half>(kC, 64), ub<std::int32_t>(kA, 64),
                                ub<std::int32_t>(kB, 64), 64, kRepeats,
                                BinaryRepeatParams(1, 1, 1, 4, 8, 8));
                   }),
            vector_cycles(isa::Opcode::kAddDeqRelu, 32, kRepeats));
}

TEST_F(FusedTiming, ThreeReadsAtThreeAddressesTakeTwoBeats) {
  const BinaryRepeatParams dense;
  EXPECT_EQ(cycles(isa::Opcode::kFusedMulAdd,
                   [=] {
                     FusedMulAdd(ub<float>(kA, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, dense);
                   }),
            vector_cycles(isa::Opcode::kFusedMulAdd, 32, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kFusedMulAdd,
                   [=] {
                     FusedMulAdd(ub<float>(kC, 64), ub<float>(kA, 64), ub<float>(kB, 64), 64,
                                 kRepeats, dense);
                   }),
            vector_cycles(isa::Opcode::kFusedMulAdd, 32, 2 * kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kMulAddRelu,
                   [=] {
                     MulAddRelu(ub<half>(kC, 64), ub<half>(kA, 64), ub<half>(kB, 64), 128, kRepeats,
                                dense);
                   }),
            vector_cycles(isa::Opcode::kMulAddRelu, 16, 2 * kRepeats));
}

TEST_F(FusedTiming, ScalarsAndShiftsTakeABeatARepeat) {
  const UnaryRepeatParams dense;
  EXPECT_EQ(
      cycles(isa::Opcode::kLeakyRelu,
             [=] { LeakyRelu(ub<float>(kC, 64), ub<float>(kA, 64), 0.1f, 64, kRepeats, dense); }),
      vector_cycles(isa::Opcode::kLeakyRelu, 32, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kShiftLeft,
                   [=] {
                     ShiftLeft(ub<std::uint32_t>(kC, 64), ub<std::uint32_t>(kA, 64), 3u, 64,
                               kRepeats, dense);
                   }),
            vector_cycles(isa::Opcode::kShiftLeft, 32, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kShiftRight,
                   [=] {
                     ShiftRight(ub<std::int16_t>(kC, 64), ub<std::int16_t>(kA, 64), std::int16_t{3},
                                128, kRepeats, dense, true);
                   }),
            vector_cycles(isa::Opcode::kShiftRight, 16, kRepeats));
  EXPECT_EQ(cycles(isa::Opcode::kCastDequant,
                   [=] {
                     SetDeqScale(1.0f, 0, true);
                     CastDequant<std::int8_t, std::int16_t, true, false>(
                         ub<std::int8_t>(kC, 64), ub<std::int16_t>(kA, 64), 128, kRepeats, dense);
                   }),
            vector_cycles(isa::Opcode::kCastDequant, 16, kRepeats));
}

}  // namespace
}  // namespace davsim::test
