// Exact cycles of comparisons, choices and gathers.
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class SelectTiming : public TimingTest {
 protected:
  // Tensors in different banks, eight bank groups apart.
  LocalTensor<float> a = ub<float>(0, 16384), b = ub<float>(65536 + 256, 8192);
  LocalTensor<half> h = ub<half>(0, 16384), g = ub<half>(65536 + 256, 8192);
  LocalTensor<std::uint8_t> bits = ub<std::uint8_t>(131072, 8192);
};

TEST_F(SelectTiming, AComparisonTakesFixedPlusABeatARepeat) {
  EXPECT_EQ(
      cycles_of(isa::Opcode::kCompare, [=, this] { Compare(bits, a, b, CMPMODE::LT, 100 * 64); }),
      vector_cycles(isa::Opcode::kCompare, 32, 100));
  EXPECT_EQ(cycles_of(isa::Opcode::kCompareScalar,
                      [=, this] { CompareScalar(bits, h, half(1.0f), CMPMODE::LT, 50 * 128); }),
            vector_cycles(isa::Opcode::kCompareScalar, 16, 50));
  EXPECT_EQ(cycles_of(isa::Opcode::kCompareToMask,
                      [=, this] { Compare(a, b, CMPMODE::LT, 64, BinaryRepeatParams()); }),
            vector_cycles(isa::Opcode::kCompareToMask, 32, 1));
}

TEST_F(SelectTiming, ASelectTakesFixedPlusABeatARepeat) {
  on_vector(1, [=, this] {
    Select(a, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 64, 80, BinaryRepeatParams());
  });
  const auto fills = recorder.of(isa::Opcode::kDuplicate);
  const auto moves = recorder.of(isa::Opcode::kSetCmpMask);
  const auto selects = recorder.of(isa::Opcode::kSelect);
  ASSERT_EQ(fills.size(), 1u);
  ASSERT_EQ(moves.size(), 1u);
  ASSERT_EQ(selects.size(), 1u);
  EXPECT_EQ(
      fills[0].end - fills[0].start,
      vector_cycles(isa::Opcode::kDuplicate, 8 * isa::dtype_bytes(fills[0].instr.dst.type), 1));
  EXPECT_EQ(moves[0].start, fills[0].end);
  EXPECT_EQ(moves[0].end - moves[0].start, vector_cycles(isa::Opcode::kSetCmpMask, 32, 1));
  EXPECT_EQ(selects[0].start, moves[0].end);
  EXPECT_EQ(selects[0].end - selects[0].start, vector_cycles(isa::Opcode::kSelect, 32, 80));
}

TEST_F(SelectTiming, SourcesOfAComparisonInOneBankGroupDoubleTheRepeats) {
  const auto same = ub<float>(65536, 6400);
  EXPECT_EQ(cycles_of(isa::Opcode::kCompare,
                      [=, this] { Compare(bits, a, same, CMPMODE::LT, 100 * 64); }),
            vector_cycles(isa::Opcode::kCompare, 32, 2 * 100));
}

TEST_F(SelectTiming, AGatherFetchesElementsAtItsRate) {
  const auto offsets = ub<std::uint32_t>(131072, 8192);
  EXPECT_EQ(cycles_of(isa::Opcode::kGather, [=, this] { Gather(b, a, offsets, 0, 64, 10, 8); }),
            vector_cycles(isa::Opcode::kGather, 32, 10));
  EXPECT_EQ(cycles_of(isa::Opcode::kGather, [=, this] { Gather(g, h, offsets, 0, 128, 7, 8); }),
            vector_cycles(isa::Opcode::kGather, 16, 7));
}

TEST_F(SelectTiming, AGatherOfBlocksAndAGatherByMask) {
  const auto offsets = ub<std::uint32_t>(131072, 8192);
  const auto from = ub<std::uint32_t>(0, 8192), to = ub<std::uint32_t>(65536 + 256, 8192);
  EXPECT_EQ(cycles_of(isa::Opcode::kGatherb,
                      [=] { Gatherb(to, from, offsets, 21, GatherRepeatParams(1, 8)); }),
            vector_cycles(isa::Opcode::kGatherb, 32, 21));
  std::uint64_t kept = 0;
  EXPECT_EQ(cycles_of(isa::Opcode::kGatherMask,
                      [&] {
                        GatherMask(b, a, 1, false, 0, {1, 30, 8, 0}, kept);
                      }),
            vector_cycles(isa::Opcode::kGatherMask, 32, 30));
  EXPECT_EQ(cycles_of(isa::Opcode::kGatherMask,
                      [&] {
                        GatherMask(g, h, 7, true, 300, {1, 10, 24, 0}, kept);
                      }),
            vector_cycles(isa::Opcode::kGatherMask, 16, 3 * 10));
  EXPECT_EQ(kept, 3000u);
}

TEST_F(SelectTiming, APatternInUbLengthensTheRepeatsOfAGatherByMask) {
  const auto pattern = ub<std::uint32_t>(131072 + 256, 8);  // in a bank group that `a` leaves
  std::uint64_t kept = 0;
  const auto gathered = [&](std::uint16_t repeats) {
    return cycles_of(isa::Opcode::kGatherMask, [&] {
      GatherMask(b, a, pattern, true, 64, {1, repeats, 16, 0}, kept);
    });
  };
  const auto beat = static_cast<std::uint64_t>(timing().vector.pattern_tensor_beat);
  EXPECT_EQ(gathered(40), gathered(10) + 30 * beat);
  EXPECT_GT(gathered(40), vector_cycles(isa::Opcode::kGatherMask, 32, 40));
}

}  // namespace
}  // namespace davsim::test
