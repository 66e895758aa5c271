// Exact cycles of the cube's pipes, and the unit flag between Mmad and Fixpipe.
#include <algorithm>

#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CubeTiming : public CubeTest {
 protected:
  half* operand(std::size_t count, const std::string& name) {
    return global<half>(count, name, [](auto i) { return float(i % 5) - 2; });
  }
};

TEST_F(CubeTiming, MmadTakesItsFractalsPlusTheLatencyOfTheArray) {
  const TileProduct tile{128, 256, 64};
  on_cube(1, [&] {
    tile.product();
    tile.product();
  });
  const auto mmads = recorder.of(isa::Opcode::kMmad);
  ASSERT_EQ(mmads.size(), 2u);
  EXPECT_EQ(length(mmads[0]), mmad_cycles(128 * 256 * 64, timing().cube.f16));
  // The next one starts a little after the work of the first, long before its result is there.
  EXPECT_EQ(mmads[1].start - mmads[0].start,
            whole(128 * 256 * 64 / timing().cube.f16) + whole(timing().cube.issue_overhead));
}

TEST_F(CubeTiming, TailsCountAsWholeFractals) {
  MmadParams params;
  params.m = 17, params.n = 1, params.k = 33;
  const TileProduct tile{32, 16, 48};
  on_cube(1, [&] { Mmad(tile.c_l0(0), tile.a_l0(), tile.b_l0(), params); });
  EXPECT_EQ(length(recorder.of(isa::Opcode::kMmad).at(0)),
            mmad_cycles(32 * 16 * 48, timing().cube.f16));
}

TEST_F(CubeTiming, RatesFollowTheType) {
  on_cube(1, [] {
    MmadParams params;
    params.m = 64, params.n = 64, params.k = 64;
    const LocalTensor<std::int8_t> a8(TPosition::A2, 0, 4096), b8(TPosition::B2, 0, 4096);
    const LocalTensor<std::int32_t> c8(TPosition::CO1, 0, 4096);
    Mmad(c8, a8, b8, params);
    const LocalTensor<float> a32(TPosition::A2, 0, 4096), b32(TPosition::B2, 0, 4096);
    const LocalTensor<float> c32(TPosition::CO1, 0, 4096);
    Mmad(c32, a32, b32, params);
    SetHF32Mode(true);
    Mmad(c32, a32, b32, params);
  });
  const auto mmads = recorder.of(isa::Opcode::kMmad);
  ASSERT_EQ(mmads.size(), 3u);
  EXPECT_EQ(length(mmads[0]), mmad_cycles(64 * 64 * 64, timing().cube.i8));
  EXPECT_EQ(length(mmads[1]), mmad_cycles(64 * 64 * 64, timing().cube.f32));
  EXPECT_EQ(length(mmads[2]), mmad_cycles(64 * 64 * 64, timing().cube.hf32));
}

TEST_F(CubeTiming, LoadsRunAtTheRateOfTheirBuffer) {
  const TileProduct tile{128, 256, 64};
  on_cube(1, [&] { tile.to_l0(); });
  const auto loads = recorder.of(isa::Opcode::kLoadData3d);
  ASSERT_EQ(loads.size(), 2u);
  const sim::Mte1Timing& mte1 = timing().mte1;
  EXPECT_EQ(length(loads[0]), load_cycles(mte1.load3d_overhead, 16384, mte1.l0a_bandwidth));
  EXPECT_EQ(length(loads[1]), load_cycles(mte1.load3d_overhead, 32768, mte1.l0b_bandwidth));
  EXPECT_EQ(loads[1].start - loads[0].start,
            whole(mte1.load3d_overhead + 16384 / mte1.l0a_bandwidth));
}

TEST_F(CubeTiming, FixpipeTakesItsRows) {
  const TileProduct tile{128, 256, 64};
  float* c = global<float>(128 * 256, "c", [](auto) { return 0.f; });
  on_cube(1, [&] { tile.out(c); });
  const auto fixpipe = recorder.of(isa::Opcode::kFixpipeToGm).at(0);
  // fp32 rows of 1024 bytes leave L0C and the port one after another; the slower one counts.
  const sim::FixpipeTiming& t = timing().fixpipe;
  const double rows = t.fixed + 128 * std::max({t.row_min, 1024 / t.l0c_bandwidth,
                                                1024 / timing().dma.fix_write_port});
  EXPECT_GE(double(length(fixpipe)), rows);
  // The last write may still be on its way.
  EXPECT_LE(double(length(fixpipe)), rows + latency("Timing.L2", "write_latency") + 64);
}

TEST_F(CubeTiming, AProductByHandIsRight) {
  const TileProduct tile{64, 48, 80};
  const half* a = operand(64 * 80, "a");
  const half* b = operand(80 * 48, "b");
  float* c = global<float>(64 * 48, "c", [](auto) { return -1.f; });
  const auto report = on_cube(1, [&] { tile.run(a, b, c); });
  for (std::uint32_t i = 0; i < 64; ++i) {
    for (std::uint32_t j = 0; j < 48; ++j) ASSERT_EQ(c[i * 48 + j], tile.expected(a, b, i, j));
  }
  EXPECT_EQ(report.cores.at(0).cube_macs, 64u * 48 * 80);
}

class UnitFlagOverlap : public CubeTiming {
 protected:
  static constexpr int kTiles = 6;
  static constexpr TileProduct kTile{128, 256, 64};

  /// kTiles products into the same L0C, each carried out before the next may overwrite it.
  observe::LaunchReport run(bool unit_flag, std::vector<float*>& results) {
    const half* a = operand(128 * 64, "a");
    const half* b = operand(64 * 256, "b");
    for (int i = 0; i < kTiles; ++i) {
      results.push_back(global<float>(128 * 256, "c", [](auto) { return 0.f; }));
    }
    return on_cube(1, [&, unit_flag] {
      kTile.to_l1(a, b);
      SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
      WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
      kTile.to_l0();
      SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
      WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
      for (float* c : results) {
        kTile.product(unit_flag ? 3 : 0);
        if (!unit_flag) {
          SetFlag<HardEvent::M_FIX>(EVENT_ID0);
          WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
        }
        kTile.out(c, unit_flag ? 3 : 0);
        if (!unit_flag) {
          SetFlag<HardEvent::FIX_M>(EVENT_ID0);
          WaitFlag<HardEvent::FIX_M>(EVENT_ID0);
        }
      }
      AscendC::PipeBarrier<PIPE_ALL>();
      for (std::size_t i = 1; i < results.size(); ++i) {
        EXPECT_EQ(std::memcmp(results[0], results[i], 128 * 256 * 4), 0) << i;
      }
      EXPECT_EQ(results[0][300], kTile.expected(a, b, 1, 44));
    });
  }
};

TEST_F(UnitFlagOverlap, FixpipeOfATileOverlapsItsMmad) {
  std::vector<float*> results;
  run(true, results);
  const auto mmads = recorder.of(isa::Opcode::kMmad), outs = recorder.of(isa::Opcode::kFixpipeToGm);
  ASSERT_EQ(mmads.size(), std::size_t{kTiles});
  for (int i = 0; i < kTiles; ++i) {
    // Begins with the first blocks, or when the Fixpipe before it has ended.
    EXPECT_LT(outs[i].start, std::max(mmads[i].end, i > 0 ? outs[i - 1].end + 1 : 0)) << i;
    EXPECT_GT(outs[i].end, mmads[i].end) << i;  // cannot end before the last ones
    if (i > 0) {
      EXPECT_LT(mmads[i].start, outs[i - 1].end) << i;
      EXPECT_GT(mmads[i].end, outs[i - 1].start) << i;
    }
  }
}

TEST_F(UnitFlagOverlap, TheTimeOfFixHoldsItsWaitsForUnitFlags) {
  std::vector<float*> results;
  const auto report = run(true, results);
  const auto& fix = report.cores.at(0).pipes[static_cast<std::size_t>(isa::Pipe::FIX)];
  const observe::Cycle waits = fix.of(observe::CycleClass::kUnitFlag);
  EXPECT_GT(waits, 0u);
  EXPECT_EQ(fix.in_flight, fix.busy() + fix.of(observe::CycleClass::kMemory) + waits);
}

TEST_F(UnitFlagOverlap, ItIsFasterThanFlagsAndAsRight) {
  std::vector<float*> flagged, plain;
  const auto with = run(true, flagged);
  const auto without = run(false, plain);
  EXPECT_LT(with.cycles, without.cycles);
}

TEST_F(UnitFlagOverlap, AFixpipeThatNoMmadFeedsDeadlocks) {
  float* c = global<float>(128 * 256, "c", [](auto) { return 0.f; });
  const auto fault = fault_of([&] { on_cube(1, [&] { kTile.out(c, 3); }); });
  EXPECT_EQ(fault.cls, isa::FaultClass::kDeadlock);
  EXPECT_NE(fault.message.find("FIX"), std::string::npos) << fault.message;
}

class MixedKernel : public CubeTiming {};

TEST_F(MixedKernel, VectorCoresWorkOnWhatTheCubeWrote) {
  constexpr TileProduct kTile{64, 64, 64};
  constexpr std::uint32_t kBlocks = 25, kElements = 64 * 64;  // more blocks than AI cores
  const half* a = operand(64 * 64, "a");
  const half* b = operand(64 * 64, "b");
  float* product = global<float>(kBlocks * kElements, "product", [](auto) { return 0.f; });
  float* result = global<float>(kBlocks * kElements, "result", [](auto) { return 0.f; });
  launch(
      isa::KernelType::kMix12, kBlocks,
      [&] {
        kTile.run(a, b, product + GetBlockIdx() * kElements);
        CrossCoreSetFlag<2, PIPE_FIX>(4);
      },
      [&] {
        constexpr std::uint32_t kHalf = kElements / 2;
        CrossCoreWaitFlag<2, PIPE_MTE2>(4);
        const auto x = ub<float>(0, kHalf);
        DataCopy(x, gm(product, kBlocks * kElements)[GetBlockIdx() * kHalf], kHalf);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Adds(x, x, float(GetBlockIdx() / 2), kHalf);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(gm(result, kBlocks * kElements)[GetBlockIdx() * kHalf], x, kHalf);
      });
  for (std::uint32_t block = 0; block < kBlocks; ++block) {
    for (std::uint32_t i = 0; i < kElements; i += 37) {
      ASSERT_EQ(result[block * kElements + i], kTile.expected(a, b, i / 64, i % 64) + float(block));
    }
  }
}

}  // namespace
}  // namespace davsim::test
