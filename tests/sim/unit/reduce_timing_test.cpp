// Exact cycles of reductions, and the order between them and the scalar unit.
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class ReduceTiming : public TimingTest {};

TEST_F(ReduceTiming, AWholeReductionTakesABeatARepeat) {
  for (std::int32_t r : {1, 13, 255}) {
    const auto f = ub<float>(65536, 16384), to = ub<float>(0, 1024);
    const auto h = ub<half>(65536, 32768), half_to = ub<half>(0, 1024);
    EXPECT_EQ(cycles_of(isa::Opcode::kReduceSum, [=] { WholeReduceSum(to, f, 64, r, 1, 1, 8); }),
              vector_cycles(isa::Opcode::kReduceSum, 32, r));
    EXPECT_EQ(
        cycles_of(isa::Opcode::kReduceSum, [=] { WholeReduceSum(half_to, h, 128, r, 1, 1, 8); }),
        vector_cycles(isa::Opcode::kReduceSum, 16, r));
    EXPECT_EQ(cycles_of(isa::Opcode::kReduceMax, [=] { WholeReduceMax(to, f, 64, r, 1, 1, 8); }),
              vector_cycles(isa::Opcode::kReduceMax, 32, r));
    EXPECT_EQ(
        cycles_of(isa::Opcode::kReduceMin, [=] { WholeReduceMin(half_to, h, 9, r, 1, 1, 8); }),
        vector_cycles(isa::Opcode::kReduceMin, 16, r));
  }
}

TEST_F(ReduceTiming, ABlockReductionTakesABeatARepeat) {
  const auto f = ub<float>(65536, 16384), to = ub<float>(0, 1024);
  const auto h = ub<half>(65536, 32768), half_to = ub<half>(0, 2048);
  EXPECT_EQ(
      cycles_of(isa::Opcode::kBlockReduceSum, [=] { BlockReduceSum(to, f, 40, 64, 1, 1, 8); }),
      vector_cycles(isa::Opcode::kBlockReduceSum, 32, 40));
  EXPECT_EQ(
      cycles_of(isa::Opcode::kBlockReduceMax, [=] { BlockReduceMax(to, f, 40, 64, 1, 1, 8); }),
      vector_cycles(isa::Opcode::kBlockReduceMax, 32, 40));
  EXPECT_EQ(cycles_of(isa::Opcode::kBlockReduceMin,
                      [=] { BlockReduceMin(half_to, h, 40, 128, 1, 1, 8); }),
            vector_cycles(isa::Opcode::kBlockReduceMin, 16, 40));
  EXPECT_EQ(
      cycles_of(isa::Opcode::kPairReduceSum, [=] { PairReduceSum(half_to, h, 10, 128, 1, 1, 8); }),
      vector_cycles(isa::Opcode::kPairReduceSum, 16, 10));
}

TEST_F(ReduceTiming, BrcbFillsEightBlocksABeat) {
  const auto src = ub<float>(65536, 2048), dst = ub<float>(0, 16384);
  EXPECT_EQ(cycles_of(isa::Opcode::kBrcb,
                      [=] {
                        Brcb(dst, src, 200, {1, 8});
                      }),
            vector_cycles(isa::Opcode::kBrcb, 32, 200));
}

TEST_F(ReduceTiming, ACountIsOneInstructionAndWaitsForItsSum) {
  const auto src = ub<float>(65536, 6400), dst = ub<float>(0, 64), work = ub<float>(512, 64);
  float sum = 0;
  on_vector(1, [&] {
    Duplicate(src, 2.0f, 6400);
    ReduceSum(dst, src, work, 6400);
    sum = dst.GetValue(0);
  });
  EXPECT_EQ(sum, 12800.0f);
  const auto adds = recorder.of(isa::Opcode::kReduceSum);
  const auto reads = recorder.of(isa::Opcode::kReadRegister);
  ASSERT_EQ(adds.size(), 1u);
  ASSERT_EQ(reads.size(), 1u);
  EXPECT_EQ(adds[0].end - adds[0].start, vector_cycles(isa::Opcode::kReduceSum, 32, 100));
  EXPECT_GE(reads[0].start, adds[0].end);
  EXPECT_EQ(reads[0].end - reads[0].start, timing().scalar.issue);
}

/// The register is written when the instruction ends, not when the kernel calls it.
TEST_F(ReduceTiming, AReadWithoutAFlagSeesTheRegisterBefore) {
  const auto src = ub<float>(65536, 64), dst = ub<float>(0, 64);
  float early = -1, late = -1, index = 0;
  on_vector(1, [&] {
    Duplicate(src, 3.0f, 64);
    WholeReduceMax(dst, src, 64, 1, 1, 1, 8);
    GetReduceRepeatMaxMinSpr(early, index);
    PipeBarrier<PIPE_ALL>();
    GetReduceRepeatMaxMinSpr(late, index);
  });
  EXPECT_EQ(early, 0.0f);
  EXPECT_EQ(late, 3.0f);
}

}  // namespace
}  // namespace davsim::test
