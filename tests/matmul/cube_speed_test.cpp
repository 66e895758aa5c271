// What Matmul objects on cube cores alone cost: traffic past L2, the order of loads, and shares of
// the peak.
#include <cstdio>

#include "tests/matmul/matmul_fixture.hpp"

namespace davsim::test {
namespace {

class MatmulHints : public DeviceTest {
 protected:
  observe::MemoryCounters second_launch(MatmulUse use) {
    matmul_tiling::MultiCoreMatmulTiling api;
    api.SetDim(1);
    api.SetShape(kSide, kSide, kSide);
    MatmulTestCall call;
    call.variant = 1;
    call.use = use;
    EXPECT_EQ(api.GetTiling(call.tiling), 0);
    const auto room = [&](const char* name) {
      return reinterpret_cast<std::uint8_t*>(device().memory().allocate(kSide * kSide * 4, name));
    };
    std::uint8_t *a = room("a"), *b = room("b"), *c = room("c");
    device().launch("cube_only", 1u, a, b, a, c, a, call);
    return device().launch("cube_only", 1u, a, b, a, c, a, call).memory;
  }

  static constexpr int kSide = 128;
};

TEST_F(MatmulHints, L2KeepsNothingOfTensorsThatAreHintedPastIt) {
  constexpr std::uint64_t kMatrix = kSide * kSide;
  const auto kept = second_launch(MatmulUse::kAll), past = second_launch(MatmulUse::kPastL2);
  EXPECT_LT(kept.hbm_read_bytes, kMatrix) << "A and B of half are in L2";
  EXPECT_GE(past.hbm_read_bytes, 2 * 2 * kMatrix) << "A and B come from HBM again";
  EXPECT_EQ(kept.hbm_write_bytes, 0u);
  EXPECT_EQ(past.hbm_write_bytes, 4 * kMatrix) << "C of float leaves at once";
}

using MatmulLoads = DeviceTest;

TEST_F(MatmulLoads, ChunksOfAAndBTakeTurns) {
  constexpr int kRows = 128, kDepth = 2048, kChunk = 2;  // base blocks of k
  matmul_tiling::MultiCoreMatmulTiling api;
  api.SetDim(1);
  api.SetShape(kRows, kRows, kDepth);
  MatmulTestCall call;
  call.variant = 1;
  ASSERT_EQ(api.GetTiling(call.tiling), 0);
  Tiling& t = call.tiling;
  t.stepM = t.stepN = 1;
  t.stepKa = t.stepKb = kChunk;
  t.depthA1 = t.depthB1 = 2 * kChunk;
  const auto room = [&](std::size_t bytes, const char* name) {
    return reinterpret_cast<std::uint8_t*>(device().memory().allocate(bytes, name));
  };
  std::uint8_t *a = room(kRows * kDepth * 2, "a"), *b = room(kRows * kDepth * 2, "b"),
               *c = room(kRows * kRows * 4, "c");
  device().launch("cube_only", 1u, a, b, a, c, a, call);
  const auto loads = recorder.of(isa::Opcode::kMoveGmToL1Nd2Nz);
  ASSERT_EQ(loads.size(), 2u * kDepth / (kChunk * static_cast<unsigned>(t.baseK)));
  const auto of_b = [&](std::uint64_t addr) { return addr >= reinterpret_cast<std::uint64_t>(b); };
  for (std::size_t i = 0; i < loads.size(); ++i) {
    EXPECT_EQ(of_b(loads[i].instr.src0.addr), i % 2 == 1) << "load " << i;
  }
}

/// Nothing is computed, so that the run is short.
class MatmulSpeed : public DeviceTest {
 protected:
  double share_of_peak(int variant, std::uint32_t size) {
    sim::DeviceOptions options;
    options.values = false;
    device("Ascend910B3", options).attach(nullptr);
    matmul_tiling::MultiCoreMatmulTiling api;
    api.SetDim(20);
    const int side = static_cast<int>(size);
    api.SetShape(side, side, side);
    MatmulTestCall call;
    call.variant = variant;
    EXPECT_EQ(api.GetTiling(call.tiling), 0);
    const std::size_t bytes = std::size_t{size} * size * 4;
    std::byte *a = device().memory().allocate(bytes, "a"),
              *b = device().memory().allocate(bytes, "b");
    std::byte* c = device().memory().allocate(bytes, "c");
    const auto gm = [](std::byte* at) { return reinterpret_cast<std::uint8_t*>(at); };
    const auto report = device().launch("cube_only", 20u, gm(a), gm(b), gm(a), gm(c), gm(a), call);
    const double products = static_cast<double>(size) * size * size;
    const double peak = products / (20 * 16 * 16 * 16);
    std::printf("%u: %.0f cycles, %.1f %% of the peak; base %d x %d x %d, step %d, depth %d %d\n",
                size, static_cast<double>(report.cycles),
                100 * peak / static_cast<double>(report.cycles), call.tiling.baseM,
                call.tiling.baseN, call.tiling.baseK, call.tiling.stepKa, call.tiling.depthA1,
                call.tiling.depthB1);
    return peak / static_cast<double>(report.cycles);
  }
};

TEST_F(MatmulSpeed, ATilingReachesThreeQuartersOfThePeak) {
  EXPECT_GE(share_of_peak(1, 4096), 0.75);
}
TEST_F(MatmulSpeed, ATilingReachesThreeQuartersOfThePeakOfALargerProductToo) {
  EXPECT_GE(share_of_peak(1, 8192), 0.75);
}

}  // namespace
}  // namespace davsim::test
