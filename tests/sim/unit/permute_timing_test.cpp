// Exact cycles of transpositions and sorts.
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class PermuteTiming : public TimingTest {
 protected:
  observe::Cycle cycles(isa::Opcode op, const std::function<void()>& kernel) {
    on_vector(1, kernel);
    const auto events = recorder.of(op);
    EXPECT_EQ(events.size(), 1u);
    return events.empty() ? 0 : events[0].end - events[0].start;
  }
  /// A TransDataTo5HD whose sources and destinations lie `src` and `dst` DataBlocks apart.
  template <class T>
  static void transpose(std::uint8_t repeats, std::uint32_t dst, std::uint32_t src) {
    std::uint64_t to[16], from[16];
    for (std::uint32_t i = 0; i < 16; ++i) {
      to[i] = 65536 + i * dst * 32;
      from[i] = i * src * 32;
    }
    TransDataTo5HD<T>(to, from, {false, false, repeats, 16, 1});
  }
};

TEST_F(PermuteTiming, TransposesTakeTheirElementsAtTheRateOfTheType) {
  EXPECT_EQ(
      cycles(isa::Opcode::kTranspose, [] { Transpose(ub<half>(8192, 256), ub<half>(0, 256)); }),
      element_cycles(isa::Opcode::kTranspose, 16, 256));
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 17); }),
            element_cycles(isa::Opcode::kTransDataTo5hd, 16, 20 * 256));
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<float>(20, 1, 17); }),
            element_cycles(isa::Opcode::kTransDataTo5hd, 32, 20 * 128));
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<std::int8_t>(20, 1, 17); }),
            element_cycles(isa::Opcode::kTransDataTo5hd, 8, 20 * 512));
}

TEST_F(PermuteTiming, SourcesInOneBankGroupTakeACycleEachBeyondTheFirstTwo) {
  const double smooth =
      fixed(isa::Opcode::kTransDataTo5hd) + 20 * 256 / rate(isa::Opcode::kTransDataTo5hd, 16);
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 16); }),
            whole(smooth + 14 * 20));
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 4); }),
            whole(smooth + 2 * 20));
}

TEST_F(PermuteTiming, SortsAndMergesTakePairsAtTheirRates) {
  EXPECT_EQ(cycles(isa::Opcode::kSort32,
                   [] {
                     Sort32(ub<float>(65536, 4096), ub<float>(0, 1024),
                            ub<std::uint32_t>(8192, 1024), 10);
                   }),
            element_cycles(isa::Opcode::kSort32, 32, 10 * 32));
  EXPECT_EQ(cycles(isa::Opcode::kMergeSort,
                   [] {
                     const std::uint16_t lengths[4] = {100, 50, 30, 999};
                     MrgSort(ub<half>(65536, 4096),
                             {ub<half>(0, 1024), ub<half>(1024, 1024), ub<half>(2048, 1024),
                              ub<half>(4096, 1024)},
                             {lengths, true, 7, 1});
                   }),
            element_cycles(isa::Opcode::kMergeSort, 16, 100 + 50 + 30));
}

/// The result register is read when the merge has ended.
TEST_F(PermuteTiming, MergeResultsAreThereAfterAFlag) {
  std::uint32_t taken[4] = {};
  on_vector(1, [&] {
    TPipe pipe;
    Duplicate(ub<float>(0, 64), 2.0f, 64);
    Duplicate(ub<float>(1024, 64), 1.0f, 64);
    PipeBarrier<PIPE_V>();
    const std::uint16_t lengths[4] = {32, 32, 0, 0};
    MrgSort<float, true>(
        ub<float>(65536, 4096),
        {ub<float>(0, 64), ub<float>(1024, 64), ub<float>(0, 64), ub<float>(0, 64)}, lengths, taken,
        3, 1);
  });
  EXPECT_EQ(taken[0], 32u);
  EXPECT_EQ(taken[1], 0u);
}

}  // namespace
}  // namespace davsim::test
