// Exact cycles of vector instructions: fixed cost, throughput, bank conflicts.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

constexpr std::uint32_t kFixed = 24;        // VADD.fixed
constexpr std::uint32_t kGroupBytes = 512;  // sixteen bank groups of 32 bytes
constexpr std::uint32_t kBank = 65536;

class VectorTiming : public DeviceTest {
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
  EXPECT_EQ(add_cycles(2 * kBank, 0, 32768 + kGroupBytes / 2, 64), kFixed + 64);
}

TEST_F(VectorTiming, SourcesInOneBankGroupDoubleTheRepeats) {
  EXPECT_EQ(add_cycles(2 * kBank, 0, 32768, 64), kFixed + 2 * 64);
}

TEST_F(VectorTiming, InPlaceIsFreeOfReadWriteConflicts) {
  EXPECT_EQ(add_cycles(0, 0, kBank + kGroupBytes / 2, 64), kFixed + 64);
}

TEST_F(VectorTiming, WritingTheBankOfTheNextRepeatsReadCostsPartOfACycle) {
  // The result of a repeat is written while the next repeat is read: 0.8 cycles on 63 of 64
  // repeats, counted over a window of 16.
  const observe::Cycle cycles = add_cycles(32768 + kGroupBytes / 2, 0, kBank + kGroupBytes / 2, 64);
  EXPECT_GT(cycles, kFixed + 64 + 40);
  EXPECT_LE(cycles, kFixed + 64 + 52);
}

TEST_F(VectorTiming, OneRepeatIntoOneGroupTakesEightBeats) {
  on_vector(1, [] {
    // Block stride 16: all eight blocks of the source lie in one bank group.
    Adds(ub<float>(2 * kBank, 64), ub<float>(0, 2048), 1.0f, 64, 1, UnaryRepeatParams(1, 16, 8, 8));
  });
  const auto adds = recorder.of(isa::Opcode::kAdds);
  ASSERT_EQ(adds.size(), 1u);
  EXPECT_EQ(adds[0].end - adds[0].start, 25u + 8u);
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
    EXPECT_EQ(adds[i].end - adds[i].start, kFixed + 1);
  }
}

TEST_F(VectorTiming, ExpRunsAt32ElementsACycle) {
  on_vector(1, [] { Exp(ub<float>(kBank, 640), ub<float>(0, 640), 64, 10, UnaryRepeatParams()); });
  const auto exps = recorder.of(isa::Opcode::kExp);
  ASSERT_EQ(exps.size(), 1u);
  EXPECT_EQ(exps[0].end - exps[0].start, 31u + 2u * 10u);
}

}  // namespace
}  // namespace davsim::test
