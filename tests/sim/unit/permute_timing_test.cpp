// Exact cycles of transpositions and sorts.
#include "tests/sim/device_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class PermuteTiming : public DeviceTest {
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

TEST_F(PermuteTiming, TransposesTake256BytesACycle) {
  EXPECT_EQ(
      cycles(isa::Opcode::kTranspose, [] { Transpose(ub<half>(8192, 256), ub<half>(0, 256)); }),
      24u + 2u);
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 17); }),
            24u + 2 * 20u);
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<float>(20, 1, 17); }),
            24u + 2 * 20u);
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<std::int8_t>(20, 1, 17); }),
            24u + 2 * 20u);
}

TEST_F(PermuteTiming, SourcesInOneBankGroupTakeABeatEach) {
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 16); }),
            24u + 16 * 20u);
  EXPECT_EQ(cycles(isa::Opcode::kTransDataTo5hd, [] { transpose<half>(20, 1, 4); }), 24u + 4 * 20u);
}

TEST_F(PermuteTiming, SortsAndMergesTakePairsAtTheirRates) {
  EXPECT_EQ(cycles(isa::Opcode::kSort32,
                   [] {
                     Sort32(ub<float>(65536, 4096), ub<float>(0, 1024),
                            ub<std::uint32_t>(8192, 1024), 10);
                   }),
            20u + 10 * 16u);
  EXPECT_EQ(cycles(isa::Opcode::kMergeSort,
                   [] {
                     const std::uint16_t lengths[4] = {100, 50, 30, 999};
                     MrgSort(ub<half>(65536, 4096),
                             {ub<half>(0, 1024), ub<half>(1024, 1024), ub<half>(2048, 1024),
                              ub<half>(4096, 1024)},
                             {lengths, true, 7, 1});
                   }),
            20u + 220u);  // 180 pairs at 78 cycles for 64 of them
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
