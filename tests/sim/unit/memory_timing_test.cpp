// What moves cost: latency, ports, shared bandwidth, hits and misses.
#include "sim/unit/dma_requests.hpp"
#include "tests/sim/timing_test.hpp"

namespace davsim::test {
namespace {

using namespace AscendC;

class MemoryTiming : public TimingTest {
 protected:
  /// Copies `tiles` tiles of `bytes` from global memory into UB on every vector core, `rounds`
  /// times.
  observe::LaunchReport copy_in(std::uint32_t cores, std::uint32_t tiles, std::uint32_t bytes,
                                int rounds = 1) {
    const std::size_t total = std::size_t{cores} * tiles * bytes;
    if (data_ == nullptr) data_ = device().memory().allocate(total, "data");
    auto* data = reinterpret_cast<std::int8_t*>(data_);
    return on_vector(cores, [=] {
      const auto x = ub<std::int8_t>(0, bytes);
      for (int round = 0; round < rounds; ++round) {
        for (std::uint32_t t = 0; t < tiles; ++t) {
          DataCopy(x, gm(data, total)[(GetBlockIdx() * tiles + t) * std::size_t{bytes}], bytes);
        }
      }
    });
  }
  /// By how much a move of whole chunks and the two parts of chunks at its ends may take longer
  /// than its bytes do: the instruction and each chunk begin with a whole cycle.
  static double rounding(std::uint32_t whole_chunks) { return whole_chunks + 2 + 3; }
  double terabytes_per_second(const observe::LaunchReport& report, double bytes) {
    return bytes / report.time_us() / 1e6;
  }

 private:
  std::byte* data_ = nullptr;

 protected:
  std::byte* rows_ = nullptr;
};

TEST_F(MemoryTiming, ASmallMoveTakesOverheadAndLatency) {
  copy_in(1, 1, 512);
  const auto cold = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  copy_in(1, 1, 512);
  const auto warm = recorder.of(isa::Opcode::kMoveGmToUb).at(0);
  const double overhead = timing().dma.instruction_overhead;
  EXPECT_NEAR(double(cold.end - cold.start), overhead + hbm_latency(), 3);
  EXPECT_NEAR(double(warm.end - warm.start), overhead + l2_latency(), 3);
}

TEST_F(MemoryTiming, MovesOfOnePipeOverlapTheirLatency) {
  copy_in(1, 8, 512);
  const auto moves = recorder.of(isa::Opcode::kMoveGmToUb);
  ASSERT_EQ(moves.size(), 8u);
  EXPECT_LT(moves[7].end, 2 * moves[0].end);
  for (int i = 1; i < 8; ++i) EXPECT_GT(moves[i].start, moves[i - 1].start);
}

TEST_F(MemoryTiming, MovesThatSetTheirFillValueWaitForTheMovesBefore) {
  constexpr std::uint32_t kRows = 4, kRow = 50;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(kRows * 64, "rows"));
  const auto begin_of_last = [&](bool is_pad) {
    on_vector(1, [=] {
      const DataCopyExtParams row(1, kRow, 0, 0, 0);
      const DataCopyPadExtParams<std::int8_t> fill(is_pad, 0, 14, 0);
      for (std::uint32_t i = 0; i < kRows; ++i) {
        DataCopyPad(ub<std::int8_t>(64 * i, 64), gm(data, kRows * 64)[64 * i], row, fill);
      }
    });
    const auto moves = recorder.of(isa::Opcode::kMoveGmToUbPad);
    EXPECT_EQ(moves.size(), kRows);
    if (is_pad) {
      for (std::uint32_t i = 1; i < kRows; ++i) EXPECT_GE(moves[i].start, moves[i - 1].end);
    }
    return moves.back().start - moves.front().start;
  };
  begin_of_last(false);  // the rows are in L2 from here on
  EXPECT_LT(begin_of_last(false), l2_latency());
  EXPECT_GT(begin_of_last(true), (kRows - 1) * l2_latency());
}

TEST_F(MemoryTiming, AllVectorCoresReadHbmAtItsBandwidth) {
  const auto report = copy_in(40, 60, 32768);
  const double rate = terabytes_per_second(report, 40. * 60 * 32768);
  const double best = constant("Timing.Hbm", "read_bandwidth", "bytes/s") * 1e-12;
  EXPECT_GE(rate, 0.9 * best);
  EXPECT_LE(rate, best);
  EXPECT_EQ(report.memory.hbm_read_bytes, 40u * 60 * 32768);
  EXPECT_EQ(report.memory.l2_read_misses, 40u * 60 * 64);
}

TEST_F(MemoryTiming, AllVectorCoresReadL2AtItsBandwidthOrTheirPorts) {
  copy_in(40, 60, 32768);
  const auto report = copy_in(40, 60, 32768);
  const double bytes_per_cycle = 40. * 60 * 32768 / double(report.cycles);
  const double best =
      std::min(constant("Timing.L2", "bandwidth", "bytes/cycle"), 40 * timing().dma.aiv_read_port);
  EXPECT_LE(bytes_per_cycle, best);
  EXPECT_GE(bytes_per_cycle, 0.85 * best);
  EXPECT_EQ(report.memory.hbm_read_bytes, 0u);
}

TEST_F(MemoryTiming, OneCoreIsLimitedByItsPort) {
  copy_in(1, 60, 32768);
  const auto report = copy_in(1, 60, 32768);
  const double bytes_per_cycle = 60. * 32768 / double(report.cycles);
  EXPECT_LE(bytes_per_cycle, timing().dma.aiv_read_port);
  EXPECT_GE(bytes_per_cycle, 0.67 * timing().dma.aiv_read_port);
}

TEST_F(MemoryTiming, RowsThatDoNotBeginOnALineReadHbmSlower) {
  constexpr std::uint32_t kRow = 2048, kRows = 64, kTiles = 24, kCores = 40;
  const auto rate = [&](std::uint32_t shift) {
    constexpr std::size_t kTotal = std::size_t{kCores} * kTiles * kRows * kRow + 512;
    if (rows_ == nullptr) rows_ = device().memory().allocate(kTotal, "rows");
    auto* data = reinterpret_cast<std::int8_t*>(rows_) + shift;
    device().flush_l2();
    const auto report = on_vector(kCores, [=] {
      for (std::uint32_t t = 0; t < kTiles; ++t) {
        const std::size_t tile = GetBlockIdx() * kTiles + t;
        DataCopyExtParams copy(kRows, kRow - 512, 512, 0, 0);
        DataCopyPad(ub<std::int8_t>(0, kRows * kRow), gm(data, kTotal - 512)[tile * kRows * kRow],
                    copy, DataCopyPadExtParams<std::int8_t>{});
      }
    });
    return terabytes_per_second(report, double(kCores) * kTiles * kRows * (kRow - 512));
  };
  const double aligned = rate(0), shifted = rate(32);
  EXPECT_GE(aligned, 0.9e-12 * constant("Timing.Hbm", "read_bandwidth", "bytes/s"));
  // Short bursts cost more a byte, and there is a sector more a row.
  const double short_burst = constant("Timing.Hbm", "short_burst", "ratio");
  EXPECT_NEAR(shifted / aligned, 12 / (13 * short_burst), 0.03);
}

TEST_F(MemoryTiming, WhatLeavesL2ForHbmCostsMoreThanAReadOfAsMuch) {
  // Three times what L2 holds is written once: two thirds have to leave at the cost of a write.
  device("Ascend910B4");
  constexpr std::uint32_t kTile = 65536, kCores = 40;
  const std::uint64_t l2 = device().soc().l2_bytes(), tiles = 3 * l2 / kTile / kCores;
  const std::uint64_t total = tiles * kTile * kCores;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(total, "written"));
  const auto report = on_vector(kCores, [=] {
    for (std::uint64_t t = 0; t < tiles; ++t) {
      DataCopy(gm(data, total)[(GetBlockIdx() * tiles + t) * kTile], ub<std::int8_t>(0, kTile),
               kTile);
    }
  });
  EXPECT_EQ(report.memory.hbm_read_bytes, 0u);
  EXPECT_NEAR(double(report.memory.hbm_write_bytes), double(total - l2), 0.02 * double(l2));
  const double bytes_per_cycle =
      constant("Timing.Hbm", "read_bandwidth", "bytes/s") / (device().soc().frequency_mhz() * 1e6);
  const double cycles = constant("Timing.Hbm", "write_back", "ratio") *
                        double(report.memory.hbm_write_bytes) / bytes_per_cycle;
  EXPECT_NEAR(double(report.cycles), cycles, 0.1 * cycles);
}

TEST_F(MemoryTiming, RowsThatBecomeFractalsFillL1AtTheirOwnRate) {
  sim::SocConfig soc = without_code("Ascend910B3");
  soc.set("Timing.Dma", "read_requests", "1048576");  // only the port holds chunks up
  device(soc);
  constexpr std::uint16_t kRows = 128, kMostColumns = 256;
  auto* data = global<half>(kRows * kMostColumns, "a", [](auto) { return 0.f; });
  // How much later the second of two copies starts: as soon as the first has left the port.
  const auto port_time = [&](std::uint16_t columns) {
    const auto copy = [&] {
      on_cube(1, [=] {
        for (int i = 0; i < 2; ++i) {
          DataCopy(LocalTensor<half>(TPosition::A1, 0, kRows * columns), gm(data, kRows * columns),
                   Nd2NzParams(1, kRows, columns, 0, columns, kRows, 1, 0));
        }
      });
    };
    copy();
    copy();
    const auto moves = recorder.of(isa::Opcode::kMoveGmToL1Nd2Nz);
    return double(moves.at(1).start - moves.at(0).start);
  };
  const sim::DmaTiming& dma = timing().dma;
  // The rows lie behind one another, as one long row.
  const double whole_pieces = dma.instruction_overhead + kRows * 512 / dma.nd2nz_port;
  EXPECT_NEAR(port_time(256), whole_pieces, rounding(kRows * 512 / dma.chunk));
  // Rows that are no whole pieces of 32 bytes.
  const double straddling = dma.instruction_overhead + kRows * 510 / dma.nd2nz_straddling_port;
  EXPECT_NEAR(port_time(255), straddling, rounding(kRows * 510 / dma.chunk));
}

TEST_F(MemoryTiming, RowsThatAreNoWholeDataBlocksTakeTheirTimeEach) {
  constexpr std::uint16_t kRows = 60;
  constexpr std::uint32_t kPitch = 256;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(kRows * kPitch, "data"));
  // How much later the second of two copies starts: as soon as the first has left the port.
  const auto port_time = [&](std::uint32_t bytes, std::uint32_t blocks_between, bool single = false,
                             std::uint32_t gap = 0) {
    const std::uint16_t rows = single ? 1 : kRows;
    const auto copy = [&] {
      on_vector(1, [=] {
        for (int i = 0; i < 2; ++i) {
          DataCopyPad(ub<std::int8_t>(0, kRows * (kPitch + 32)), gm(data, kRows * bytes),
                      DataCopyExtParams(rows, bytes, gap, blocks_between, 0),
                      DataCopyPadExtParams<std::int8_t>{});
        }
      });
    };
    copy();
    copy();
    const auto moves = recorder.of(isa::Opcode::kMoveGmToUbPad);
    return double(moves.at(1).start - moves.at(0).start);
  };
  const sim::DmaTiming& dma = timing().dma;
  const double partial = dma.instruction_overhead + kRows * dma.partial_row_min;
  EXPECT_NEAR(port_time(16, 0), partial, rounding(kRows * 16 / dma.chunk));
  EXPECT_NEAR(port_time(200, 0), partial, rounding(kRows * 200 / dma.chunk));
  // Whole DataBlocks that follow each other are one long row, wherever they go.
  const double long_row = dma.instruction_overhead + kRows * 128 / dma.aiv_read_port;
  EXPECT_NEAR(port_time(128, 0), long_row, rounding(kRows * 128 / dma.chunk));
  EXPECT_NEAR(port_time(128, 1), long_row, rounding(kRows * 128 / dma.chunk));
  // What would lie behind a single row does not matter.
  EXPECT_EQ(port_time(4096, 0, true, 4), port_time(4096, 0, true));
}

TEST_F(MemoryTiming, ALineThatIsUnderWayIsWaitedFor) {
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(512, "line"));
  const auto report = on_vector(2, [=] { DataCopy(ub<std::int8_t>(0, 512), gm(data, 512), 512); });
  EXPECT_EQ(report.memory.hbm_read_bytes, 512u);
  const auto moves = recorder.of(isa::Opcode::kMoveGmToUb);
  EXPECT_NEAR(double(moves.at(0).end - moves.at(0).start),
              double(moves.at(1).end - moves.at(1).start), 2);
}

TEST_F(MemoryTiming, CoresThatReadTheSameLinesFollowEachOther) {
  constexpr std::uint32_t kCores = 24, kLines = 64, kLine = 512;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(kLines * kLine, "lines"));
  const auto cycles = [&](std::uint32_t cores) {
    return double(on_vector(cores, [=] {
                    const auto from = gm(data, kLines * kLine);
                    for (std::uint32_t i = 0; i < 2; ++i) {
                      DataCopy(ub<std::int8_t>(0, kLines * kLine), from, kLines * kLine);
                    }
                  }).cycles);
  };
  cycles(1);  // L2 holds them from here on
  const double service = timing().memory.l2_line_service, alone = cycles(1), all = cycles(kCores);
  // The last core waits for all others at the first line, and then finds each line free. Each
  // starts its second copy behind its first, when the others are still there.
  EXPECT_GE(all - alone, 0.95 * (kCores - 1) * service);
  EXPECT_LE(all - alone, 2.05 * (kCores - 1) * service);
}

TEST_F(MemoryTiming, AFlushedL2IsCold) {
  copy_in(4, 4, 32768);
  device().flush_l2();
  const auto report = copy_in(4, 4, 32768);
  EXPECT_EQ(report.memory.hbm_read_bytes, 4u * 4 * 32768);
}

TEST_F(MemoryTiming, L2KeepsNothingOfATensorThatIsHintedPastIt) {
  constexpr std::uint32_t kBytes = 32768, kLines = kBytes / 512;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(2 * kBytes, "data"));
  const auto copy = [&](CacheMode mode) {
    return on_vector(1, [=] {
      auto from = gm(data, kBytes), to = gm(data + kBytes, kBytes);
      from.SetL2CacheHint(mode);
      to.SetL2CacheHint<CacheRwMode::WRITE>(mode);
      const auto x = ub<std::int8_t>(0, kBytes);
      DataCopy(x, from, kBytes);
      PipeBarrier<PIPE_ALL>();
      DataCopy(to[0], x, kBytes);  // a part has its tensor's hint
    });
  };
  for (int time = 0; time < 2; ++time) {
    const auto past = copy(CacheMode::CACHE_MODE_DISABLE).memory;
    EXPECT_EQ(past.l2_read_misses, kLines);
    EXPECT_EQ(past.hbm_read_bytes, kBytes);
    EXPECT_EQ(past.hbm_write_bytes, kBytes) << "at once";
  }
  copy(CacheMode::CACHE_MODE_NORMAL);
  const auto there = copy(CacheMode::CACHE_MODE_DISABLE).memory;
  EXPECT_EQ(there.l2_read_misses, 0u) << "what is there is used";
  EXPECT_EQ(there.hbm_read_bytes, 0u);
  EXPECT_EQ(there.hbm_write_bytes, kBytes);
}

TEST_F(MemoryTiming, WhatIsHintedPastL2HasFewRequestsOutstanding) {
  constexpr std::uint16_t kRows = 2048;
  constexpr std::uint32_t kPitch = 512, kBlocks = 4;  // rows of 128 bytes
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(kRows * kPitch, "rows"));
  const auto cycles = [&](CacheMode mode) {
    device().flush_l2();
    return double(on_vector(1, [=] {
                    auto from = gm(data, kRows * kPitch);
                    from.SetL2CacheHint(mode);
                    for (std::uint32_t i = 0; i < 2; ++i) {
                      DataCopy(ub<std::int8_t>(0, 131072), from[i * kRows / 2 * kPitch],
                               {kRows / 2, kBlocks, 12, 0});
                    }
                  }).cycles);
  };
  const double requests = timing().dma.uncached_requests,
               latency = timing().memory.hbm_read_latency, least = kRows / requests * latency;
  const double past = cycles(CacheMode::CACHE_MODE_DISABLE);
  EXPECT_GE(past, 0.95 * least);
  EXPECT_LE(past, 1.5 * least) << "a chunk has half of the requests";
  EXPECT_LE(cycles(CacheMode::CACHE_MODE_NORMAL), 0.7 * past);
}

TEST_F(MemoryTiming, RequestsAreAsLongAsTheirAddressAllows) {
  constexpr sim::RequestBytes kRead{128, 512}, kWrite{128, 256};
  EXPECT_EQ(sim::request_count(0, 0, kRead), 0u);
  EXPECT_EQ(sim::request_count(64, 64, kRead), 1u);
  EXPECT_EQ(sim::request_count(1024, 512, kRead), 1u);
  EXPECT_EQ(sim::request_count(1024, 512, kWrite), 2u);
  EXPECT_EQ(sim::request_count(1024, 1000, kRead), 4u) << "512, 256, 128 and 104";
  EXPECT_EQ(sim::request_count(128, 512, kRead), 3u) << "128, 256 and 128";
  EXPECT_EQ(sim::request_count(510, 510, kRead), 4u) << "2, 256, 128 and 124";
  EXPECT_EQ(sim::request_count(510, 510, kWrite), 4u);
  EXPECT_EQ(sim::request_count(384, 10 * 512 + 200, kRead), 12u) << "128, ten of 512, and 72";
  EXPECT_EQ(sim::request_count(510, 510, 3, 1024, kRead), 12u) << "rows that lie alike";
  EXPECT_EQ(sim::request_count(0, 512, 3, 640, kRead), 6u) << "512; 128, 256, 128; 256, 256";
}

TEST_F(MemoryTiming, RowsAtOddAddressesTakeMoreOfTheRequestsThatMayBeOutstanding) {
  constexpr std::uint16_t kRows = 2048;
  constexpr std::uint32_t kPitch = 1024;
  auto* data = reinterpret_cast<std::int8_t*>(device().memory().allocate(kRows * kPitch, "rows"));
  const auto cycles = [&](std::uint32_t first) {
    device().flush_l2();
    return double(on_vector(1, [=] {
                    for (std::uint32_t i = 0; i < 8; ++i) {
                      DataCopy(ub<std::int8_t>(0, 131072),
                               gm(data, kRows * kPitch)[i * kRows / 8 * kPitch + first],
                               {kRows / 8, 16, 16, 0});
                    }
                  }).cycles);
  };
  // Rows of 512 bytes: a request each, or four.
  const double latency = timing().memory.hbm_read_latency,
               least = kRows * 4 / double(timing().dma.read_requests) * latency;
  EXPECT_LE(cycles(0), 0.5 * least);
  EXPECT_GE(cycles(32), 0.95 * least);
  EXPECT_LE(cycles(32), 1.3 * least) << "a chunk has a sixth of the requests";
}

TEST_F(MemoryTiming, AtomicOperationsHappenInL2WhateverTheHint) {
  auto* data = reinterpret_cast<float*>(device().memory().allocate(512, "data"));
  const auto add = [&] {
    return on_vector(1, [=] {
      auto to = gm(data, 128);
      to.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
      SetAtomicAdd<float>();
      DataCopy(to, ub<float>(0, 128), 128);
      SetAtomicNone();
    });
  };
  add();
  EXPECT_EQ(add().memory.l2_write_hits, 1u);
}

TEST_F(MemoryTiming, BytesAreCountedByPath) {
  const auto report = copy_in(2, 3, 4096);
  for (const auto& core : report.cores) {
    EXPECT_EQ(core.path_bytes[static_cast<std::size_t>(observe::Path::kGmToUb)], 3u * 4096);
  }
}

TEST_F(MemoryTiming, SamplesAddUpToTheCounters) {
  const auto report = copy_in(40, 10, 32768);
  std::uint64_t bytes = 0;
  for (const auto& sample : recorder.samples) bytes += sample.hbm_read_bytes;
  EXPECT_EQ(bytes, report.memory.hbm_read_bytes);
}

}  // namespace
}  // namespace davsim::test
