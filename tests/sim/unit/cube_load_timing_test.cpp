// Exact cycles of loads and fills beyond the plain ones, and of the products that follow them.
#include "tests/sim/unit/cube_fixture.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class CubeLoadTiming : public DeviceTest {
 protected:
  static std::uint64_t length(const Recorder::Event& event) { return event.end - event.start; }
  template <class T>
  static LocalTensor<T> at(TPosition position, std::uint32_t byte = 0) {
    return LocalTensor<T>(position, byte, 16);
  }
  /// Loads: overhead, bytes at the rate of the buffer, latency until they are there.
  static constexpr std::uint64_t kLoad = 16 + 27, kLoad3d = 30 + 27;
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
    EXPECT_EQ(length(mmad), 64u * 64 * 128 / 16384 + 60);
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
  EXPECT_EQ(length(recorder.of(isa::Opcode::kLoadDataSparse).at(0)), kLoad + 8 * 640 / 128);
  EXPECT_EQ(length(recorder.of(isa::Opcode::kMmad).at(0)), 64u * 64 * 64 / 8192 + 60);
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
  EXPECT_EQ(length(loads[0]), kLoad + 4 * 2048 / 128);
  EXPECT_EQ(length(loads[1]), kLoad + 4 * 1024 / 128);
  EXPECT_EQ(length(loads[2]), kLoad + 4 * 512 / 128);
  EXPECT_EQ(length(loads[3]), kLoad + 4 * 1024 / 256);
}

TEST_F(CubeLoadTiming, RepeatsOfAFeatureMapAreOneInstruction) {
  on_cube(1, [] {
    LoadData3DParamsV2<half> p;
    p.l1H = 1, p.l1W = 256, p.channelSize = 64, p.mExtension = 64, p.kExtension = 32;
    SetLoadDataRepeat({4, 3, 0});
    LoadData(at<half>(TPosition::A2), at<half>(TPosition::A1), p);
  });
  EXPECT_EQ(length(recorder.of(isa::Opcode::kLoadData3d).at(0)), kLoad3d + 3 * 64 * 32 * 2 / 256);
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
    return length(recorder.of(isa::Opcode::kLoadData3d).at(0)) - kLoad3d;
  }
};

TEST_F(FeatureMapRates, FollowTheDocumentedTable) {
  constexpr std::uint64_t kBlocks = 8192 / 512;          // cycles for 512 bytes each
  EXPECT_EQ(cycles(TPosition::A2, 16, 1), kBlocks * 2);  // a fractal is a row of the map
  EXPECT_EQ(cycles(TPosition::B2, 16, 1), kBlocks * 4);
  EXPECT_EQ(cycles(TPosition::A2, 8, 1), kBlocks * (2 + 2));  // two rows of the map
  EXPECT_EQ(cycles(TPosition::B2, 8, 1), kBlocks * (2 + 4));
  EXPECT_EQ(cycles(TPosition::A2, 32, 2), kBlocks * 4);
  EXPECT_EQ(cycles(TPosition::B2, 32, 2), kBlocks * 6);
  EXPECT_EQ(cycles(TPosition::A2, 16, 2), kBlocks * (4 + 2));
  EXPECT_EQ(cycles(TPosition::B2, 16, 2), kBlocks * (4 + 2 + 2));
  EXPECT_EQ(cycles(TPosition::A2, 48, 3), kBlocks * 16);  // a stride without a fast path
  EXPECT_EQ(cycles(TPosition::B2, 48, 3), kBlocks * 18);
  EXPECT_EQ(cycles(TPosition::A2, 1, 1), kBlocks * 16);  // 16 rows: never less than 32 bytes/cycle
  EXPECT_EQ(cycles(TPosition::B2, 1, 1), kBlocks * 18);
}

TEST_F(CubeLoadTiming, FillsRunAtTheRateOfTheirBuffer) {
  on_cube(1, [] {
    Fill(at<half>(TPosition::A2), {4, 8, 0, half(0)});
    Fill(at<half>(TPosition::B2), {4, 8, 0, half(0)});
    Fill(at<half>(TPosition::A1), {4, 256, 0, half(0)});
  });
  const auto l0 = recorder.of(isa::Opcode::kFillL0);
  EXPECT_EQ(length(l0.at(0)), kLoad + 16384 / 256);
  EXPECT_EQ(length(l0.at(1)), kLoad + 16384 / 128);
  // The DMA engine's overhead of 15.6 cycles, then 183.8 bytes a cycle.
  EXPECT_EQ(length(recorder.of(isa::Opcode::kFillL1).at(0)),
            static_cast<std::uint64_t>(15.6 + 32768 / 183.8) + 1);
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
  const double hbm_latency = 280 * device().soc().frequency_mhz() / 1000;
  // 16 KiB at the AIC's 143 bytes a cycle behind the overhead, then HBM's latency for the last.
  EXPECT_NEAR(double(length(load)), 15.6 + 16384 / 143.0 + hbm_latency, 30);
  EXPECT_EQ(report.cores.at(0).path_bytes.at(static_cast<std::size_t>(observe::Path::kGmToL0A)),
            16384u);
}

}  // namespace
}  // namespace davsim::test
