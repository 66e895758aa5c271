// Exact cycles of loads and fills beyond the plain ones, and of the products that follow them.
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CubeLoadTiming : public CubeTest {
 protected:
  template <class T>
  static LocalTensor<T> at(TPosition position, std::uint32_t byte = 0) {
    return LocalTensor<T>(position, byte, 16);
  }
};

TEST_F(CubeLoadTiming, Int4ProductsTakeAFourthOfHalfs) {
  on_cube(1, [] {
    MmadParams params(64, 64, 128, 0, false, true);
    Mmad(at<std::int32_t>(TPosition::CO1), at<int4b_t>(TPosition::A2), at<int4b_t>(TPosition::B2),
         params);
    params.k = 65;  // counts as two fractals of 64
    Mmad(at<std::int32_t>(TPosition::CO1), at<int4b_t>(TPosition::A2), at<int4b_t>(TPosition::B2),
         params);
  });
  for (const auto& mmad : recorder.of(isa::Opcode::kMmad)) {
    EXPECT_EQ(length(mmad), mmad_cycles(64 * 64 * 128, timing().cube.i4));
  }
}

TEST_F(CubeLoadTiming, SparseProductsMultiplyTwoOfFourRows) {
  const auto report = on_cube(1, [] {
    LoadData2DParams load;
    load.repeatTimes = 8;
    LoadDataWithSparse(at<std::int8_t>(TPosition::B2), at<std::int8_t>(TPosition::B1),
                       at<std::uint8_t>(TPosition::B1, 65536), load);
    PipeBarrier<PIPE_ALL>();
    MmadWithSparse(at<std::int32_t>(TPosition::CO1), at<std::int8_t>(TPosition::A2),
                   at<std::int8_t>(TPosition::B2), MmadParams(64, 64, 128, 0, false, true));
  });
  // A fractal and its 128 bytes of indices, at L0B's rate.
  EXPECT_EQ(length(recorder.of(isa::Opcode::kLoadDataSparse).at(0)),
            load_2d_cycles(8 * 640, timing().mte1.l0b_bandwidth));
  EXPECT_EQ(length(recorder.of(isa::Opcode::kMmad).at(0)),
            mmad_cycles(64 * 64 * 64, timing().cube.i8));
  EXPECT_EQ(report.cores.at(0).cube_macs, 64u * 64 * 64);
}

TEST_F(CubeLoadTiming, TransposedSquaresCountAllTheirFractals) {
  on_cube(1, [] {
    const LoadData2dTransposeParams params(0, 4, 1, 3, 0);
    LoadDataWithTranspose(at<int4b_t>(TPosition::B2), at<int4b_t>(TPosition::B1), params);
    LoadDataWithTranspose(at<std::int8_t>(TPosition::B2), at<std::int8_t>(TPosition::B1), params);
    LoadDataWithTranspose(at<half>(TPosition::B2), at<half>(TPosition::B1), params);
    LoadDataWithTranspose(at<float>(TPosition::A2), at<float>(TPosition::A1), params);
  });
  const auto loads = recorder.of(isa::Opcode::kLoadDataTranspose);
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_EQ(length(loads[0]), load_2d_cycles(4 * 2048, timing().mte1.l0b_bandwidth));
  EXPECT_EQ(length(loads[1]), load_2d_cycles(4 * 1024, timing().mte1.l0b_bandwidth));
  EXPECT_EQ(length(loads[2]), load_2d_cycles(4 * 512, timing().mte1.l0b_bandwidth));
  EXPECT_EQ(length(loads[3]), load_2d_cycles(4 * 1024, timing().mte1.l0a_bandwidth));
}

TEST_F(CubeLoadTiming, RepeatsOfAFeatureMapAreOneInstruction) {
  on_cube(1, [] {
    LoadData3DParamsV2<half> p;
    p.l1H = 1, p.l1W = 256, p.channelSize = 64, p.mExtension = 64, p.kExtension = 32;
    SetLoadDataRepeat({4, 3, 0});
    LoadData(at<half>(TPosition::A2), at<half>(TPosition::A1), p);
  });
  EXPECT_EQ(
      length(recorder.of(isa::Opcode::kLoadData3d).at(0)),
      load_cycles(timing().mte1.load3d_overhead, 3 * 64 * 32 * 2, timing().mte1.l0a_bandwidth));
}

/// Cycles of a load of 64 x 64 halves, 8 KiB, of a map of `width` columns without padding.
class FeatureMapRates : public CubeLoadTiming {
 protected:
  std::uint64_t cycles(TPosition to, std::uint16_t width, std::uint8_t stride) {
    on_cube(1, [=] {
      LoadData3DParamsV2<half> p;
      p.l1H = 64, p.l1W = width, p.channelSize = 64, p.mExtension = 64, p.kExtension = 64;
      p.strideW = stride;
      LoadData(at<half>(to), at<half>(TPosition::A1), p);
    });
    return length(recorder.of(isa::Opcode::kLoadData3d).at(0));
  }
};

TEST_F(FeatureMapRates, FollowTheDocumentedTable) {
  const sim::Mte1Timing& t = timing().mte1;
  // The table gives cycles for pieces of l1_read bytes: those of a dense map at the buffer's rate,
  // two more for each column that a stride skips, one for each row of the map where the 16 rows of
  // a fractal come from several. Strides without a fast path, and many rows, take the most.
  const auto load = [&](double cycles_a_piece) {
    return whole(t.load3d_overhead + 8192 / t.load3d_l1_read * cycles_a_piece) + whole(t.latency);
  };
  for (const TPosition to : {TPosition::A2, TPosition::B2}) {
    SCOPED_TRACE(to == TPosition::A2 ? "L0A" : "L0B");
    const double rate = to == TPosition::A2 ? t.l0a_bandwidth : t.l0b_bandwidth;
    const double dense = t.load3d_l1_read / rate, most = t.load3d_max_cycles + dense - 2;
    EXPECT_EQ(cycles(to, 16, 1), load(dense));                     // a fractal is a row of the map
    EXPECT_EQ(cycles(to, 8, 1), load(std::min(most, dense + 2)));  // two rows of the map
    EXPECT_EQ(cycles(to, 32, 2), load(std::min(most, dense + 2)));
    EXPECT_EQ(cycles(to, 16, 2), load(std::min(most, dense + 2 + 2)));
    EXPECT_EQ(cycles(to, 48, 3), load(most));  // a stride without a fast path
    EXPECT_EQ(cycles(to, 1, 1), load(std::min(most, dense + 16)));
  }
}

TEST_F(CubeLoadTiming, FillsRunAtTheRateOfTheirBuffer) {
  on_cube(1, [] {
    Fill(at<half>(TPosition::A2), {4, 8, 0, half(0)});
    Fill(at<half>(TPosition::B2), {4, 8, 0, half(0)});
    Fill(at<half>(TPosition::A1), {4, 256, 0, half(0)});
  });
  const auto l0 = recorder.of(isa::Opcode::kFillL0);
  EXPECT_EQ(length(l0.at(0)), load_2d_cycles(16384, timing().mte1.l0a_bandwidth));
  EXPECT_EQ(length(l0.at(1)), load_2d_cycles(16384, timing().mte1.l0b_bandwidth));
  // The DMA engine fills L1.
  EXPECT_EQ(length(recorder.of(isa::Opcode::kFillL1).at(0)),
            whole(timing().dma.instruction_overhead + 32768 / timing().dma.l1_fill_bandwidth));
}

TEST_F(CubeLoadTiming, LoadsFromGlobalMemoryGoThroughTheDmaPort) {
  half* a = global<half>(32 * 256, "a", [](auto i) { return float(i % 7); });
  const auto report = on_cube(1, [&] {
    LoadData2DParams params;
    params.repeatTimes = 32;
    params.srcStride = 1;
    LoadData(at<half>(TPosition::A2), gm(a, 32 * 256), params);
    PipeBarrier<PIPE_ALL>();
  });
  const auto load = recorder.of(isa::Opcode::kLoadGmToL0).at(0);
  // 16 KiB through the AIC's port behind the overhead, then HBM's latency for the last.
  const sim::DmaTiming& dma = timing().dma;
  EXPECT_NEAR(double(length(load)),
              dma.instruction_overhead + 16384 / dma.aic_read_port + hbm_latency(), 30);
  EXPECT_EQ(report.cores.at(0).path_bytes.at(static_cast<std::size_t>(observe::Path::kGmToL0A)),
            16384u);
}

}  // namespace
}  // namespace davsim::test
