// Exact cycles of vector instructions: fixed cost, throughput, bank conflicts.
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kGroupBytes = 512;  // sixteen bank groups of 32 bytes
constexpr std::uint32_t kBank = 65536;

class VectorTiming : public TimingTest {
 protected:
  /// Cycles of one fp32 Add of `repeats` repeats with these addresses in UB.
  observe::Cycle add_cycles(std::uint32_t dst, std::uint32_t src0, std::uint32_t src1,
                            std::uint8_t repeats) {
    on_vector(1, [=] {
      Add(ub<float>(dst, 64 * repeats), ub<float>(src0, 64 * repeats),
          ub<float>(src1, 64 * repeats), 64, repeats, BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    });
    const auto adds = recorder.of(isa::Opcode::kAdd);
    EXPECT_EQ(adds.size(), 1u);
    return adds.at(0).end - adds.at(0).start;
  }
};

TEST_F(VectorTiming, AddWithoutConflictTakesFixedPlusOneCycleARepeat) {
  // src1 starts eight groups behind src0; dst lies in another bank.
  EXPECT_EQ(add_cycles(2 * kBank, 0, 32768 + kGroupBytes / 2, 64),
            vector_cycles(isa::Opcode::kAdd, 32, 64));
}

TEST_F(VectorTiming, SourcesInOneBankGroupDoubleTheRepeats) {
  EXPECT_EQ(add_cycles(2 * kBank, 0, 32768, 64), vector_cycles(isa::Opcode::kAdd, 32, 2 * 64));
}

TEST_F(VectorTiming, InPlaceIsFreeOfReadWriteConflicts) {
  EXPECT_EQ(add_cycles(0, 0, kBank + kGroupBytes / 2, 64),
            vector_cycles(isa::Opcode::kAdd, 32, 64));
}

TEST_F(VectorTiming, WritingTheBankOfTheNextRepeatsReadCostsPartOfACycle) {
  // The result of a repeat is written while the next repeat is read. The first of a window of 16
  // repeats has none before it.
  const double conflicts = 64 * 15 / 16 * timing().vector.read_write_conflict;
  EXPECT_EQ(add_cycles(32768 + kGroupBytes / 2, 0, kBank + kGroupBytes / 2, 64),
            whole(fixed(isa::Opcode::kAdd) + 64 * beat(isa::Opcode::kAdd, 32) + conflicts));
}

TEST_F(VectorTiming, OneRepeatIntoOneGroupTakesEightBeats) {
  on_vector(1, [] {
    // Block stride 16: all eight blocks of the source lie in one bank group.
    Adds(ub<float>(2 * kBank, 64), ub<float>(0, 2048), 1.0f, 64, 1, UnaryRepeatParams(1, 16, 8, 8));
  });
  const auto adds = recorder.of(isa::Opcode::kAdds);
  ASSERT_EQ(adds.size(), 1u);
  EXPECT_EQ(adds[0].end - adds[0].start, vector_cycles(isa::Opcode::kAdds, 32, 8));
}

TEST_F(VectorTiming, InstructionsOfAPipeFollowEachOtherWithoutOverlap) {
  on_vector(1, [] {
    for (int i = 0; i < 3; ++i) {
      Add(ub<float>(2 * kBank, 64), ub<float>(0, 64), ub<float>(kGroupBytes / 2, 64), 64, 1,
          BinaryRepeatParams());
    }
  });
  const auto adds = recorder.of(isa::Opcode::kAdd);
  ASSERT_EQ(adds.size(), 3u);
  for (int i = 1; i < 3; ++i) {
    EXPECT_EQ(adds[i].start, adds[i - 1].end);
    EXPECT_EQ(adds[i].end - adds[i].start, vector_cycles(isa::Opcode::kAdd, 32, 1));
  }
}

TEST_F(VectorTiming, ExpRunsAtTheRateOfItsRow) {
  on_vector(1, [] { Exp(ub<float>(kBank, 640), ub<float>(0, 640), 64, 10, UnaryRepeatParams()); });
  const auto exps = recorder.of(isa::Opcode::kExp);
  ASSERT_EQ(exps.size(), 1u);
  EXPECT_EQ(exps[0].end - exps[0].start, vector_cycles(isa::Opcode::kExp, 32, 10));
}

}  // namespace
}  // namespace davsim::test
