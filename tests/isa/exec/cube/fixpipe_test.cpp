// Fixpipe: conversions, quantisation and layouts against plain scalar code.
#include <algorithm>
#include <bit>
#include <cmath>

#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::CFG_NZ;
using AscendC::CFG_ROW_MAJOR;
using AscendC::Fixpipe;
using AscendC::FixpipeParamsV220;
using AscendC::TPosition;
using isa::Space;

/// A quantisation word: scale, offset and whether the result is int8.
std::uint64_t quant_word(float scale, int offset = 0, bool is_signed = true, int shift = 0) {
  std::uint64_t word = std::bit_cast<std::uint32_t>(scale);
  if (shift > 0) word |= std::uint64_t(shift - 1) << 32 | std::uint64_t{1} << 36;
  word |= (static_cast<std::uint64_t>(offset) & 0x1ff) << 37;
  word |= std::uint64_t{is_signed} << 46;
  return word;
}

/// The scale as the hardware sees it: 10 bits of mantissa.
double cut_scale(float scale) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scale) & ~0x1fffu);
}

double to_byte(double value, int offset, bool is_signed) {
  const double nine_bits = std::clamp(std::nearbyint(value), -256.0, 255.0) + offset;
  return is_signed ? std::clamp(nine_bits, -128.0, 127.0) : std::clamp(nine_bits, 0.0, 255.0);
}

class FixpipeTest : public MoveTest {
 protected:
  /// Fills L0C with numbers up to `limit`, and returns them.
  template <class U>
  void fill(int limit, float scale = 1.0f) {
    for (int i = 0; i < 32768; ++i) {
      core.buffer<U>(Space::kL0C)[i] = static_cast<U>(static_cast<float>(noise(i, limit)) * scale);
    }
  }
  /// Element (row, col) of the matrix whose columns of fractals are `stride` rows apart.
  template <class U>
  U c(int row, int col, int stride, int matrix_offset = 0) {
    return core.buffer<U>(Space::kL0C)[matrix_offset + (col / 16 * stride + row) * 16 + col % 16];
  }
  static FixpipeParamsV220 params(int n, int m, int src_stride, int dst_stride, QuantMode_t quant,
                                  bool relu = false) {
    FixpipeParamsV220 p(static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(m),
                        static_cast<std::uint16_t>(src_stride),
                        static_cast<std::uint32_t>(dst_stride), relu);
    p.quantPre = quant;
    return p;
  }
  template <class U>
  AscendC::LocalTensor<U> co1() {
    return local<U>(TPosition::CO1);
  }

  /// Row-major result: every element as `expected(row, col)`, everything else untouched.
  template <class T, class U, class Expected>
  void check_nd(int n, int m, QuantMode_t quant, bool relu, std::uint64_t word, Expected expected) {
    const int src_stride = (m + 15) / 16 * 16 + 16, pitch = n + 3;
    GmVector<T> out(static_cast<std::size_t>(m + 1) * pitch, static_cast<T>(99.0f));
    auto p = params(n, m, src_stride, pitch, quant, relu);
    p.deqScalar = word;
    Fixpipe<T, U, CFG_ROW_MAJOR>(gm(out), co1<U>(), p);
    for (int row = 0; row <= m; ++row) {
      for (int col = 0; col < pitch; ++col) {
        double want = 99.0;
        if (row < m && col < n) want = expected(c<U>(row, col, src_stride));
        ASSERT_EQ(static_cast<double>(out[row * pitch + col]), want) << row << ", " << col;
      }
    }
  }
};

TEST_F(FixpipeTest, RowMajorWithoutConversion) {
  fill<float>(1000, 0.25f);
  check_nd<float, float>(40, 33, NoQuant, false, 0, [](float x) { return x; });
  check_nd<float, float>(16, 1, NoQuant, true, 0, [](float x) { return std::max(x, 0.0f); });
  EXPECT_EQ(last().op, isa::Opcode::kFixpipeToGm);
  EXPECT_EQ(last().pipe, isa::Pipe::FIX);
  fill<std::int32_t>(100000);
  check_nd<std::int32_t, std::int32_t>(100, 17, NoQuant, false, 0, [](int x) { return x; });
  check_nd<std::int32_t, std::int32_t>(7, 17, NoQuant, true, 0,
                                       [](int x) { return std::max(x, 0); });
}

TEST_F(FixpipeTest, FloatsToHalfAndBfloat16) {
  fill<float>(100000, 0.37f);
  check_nd<half, float>(65, 20, F322F16, false, 0, [](float x) { return float(half(x)); });
  check_nd<half, float>(16, 5, F322F16, true, 0,
                        [](float x) { return float(half(std::max(x, 0.0f))); });
  check_nd<bfloat16_t, float>(48, 18, F322BF16, false, 0,
                              [](float x) { return float(bfloat16_t(x)); });
  // Ties go to even and too large numbers become infinite.
  auto* l0c = core.buffer<float>(Space::kL0C);
  const float in[] = {2049.0f, 2051.0f, 65519.0f, 65520.0f, -1e30f, 5.9604645e-8f, 2.9802322e-8f};
  const float out[] = {2048.0f, 2052.0f, 65504.0f, INFINITY, -INFINITY, 5.9604645e-8f, 0.0f};
  std::copy(std::begin(in), std::end(in), l0c);
  GmVector<half> result(16);
  Fixpipe<half, float>(gm(result), co1<float>(), params(16, 1, 16, 16, F322F16));
  for (int i = 0; i < 7; ++i) EXPECT_EQ(float(result[i]), out[i]) << i;
}

TEST_F(FixpipeTest, IntegersToHalf) {
  fill<std::int32_t>(30000);
  const float scale = 0.0123456f;
  for (bool relu : {false, true}) {
    check_nd<half, std::int32_t>(50, 19, DEQF16, relu, quant_word(scale), [&](std::int32_t x) {
      if (relu && x < 0) return 0.0;
      const auto product =
          static_cast<float>(static_cast<float>(x) * static_cast<float>(cut_scale(scale)));
      return double{float(half(product))};
    });
  }
  // Bit 36: shifted right first, which must fit 16 bits.
  fill<std::int32_t>(50000000);
  check_nd<half, std::int32_t>(32, 16, DEQF16, false, quant_word(0.5f, 0, true, 8),
                               [](std::int32_t x) {
                                 const int shifted = std::clamp(x >> 8, -32768, 32767);
                                 return double{float(half(static_cast<float>(shifted) * 0.5f))};
                               });
}

TEST_F(FixpipeTest, IntegersToBytes) {
  fill<std::int32_t>(20000);
  for (bool relu : {false, true}) {
    check_nd<std::int8_t, std::int32_t>(48, 20, REQ8, relu, quant_word(0.01f, -7), [&](int x) {
      const float product = static_cast<float>(x) * static_cast<float>(cut_scale(0.01f));
      return to_byte(relu && x < 0 ? 0.0 : product, -7, true);
    });
    check_nd<std::uint8_t, std::int32_t>(
        33, 9, REQ8, relu, quant_word(0.02f, 100, false), [&](int x) {
          const float product = static_cast<float>(x) * static_cast<float>(cut_scale(0.02f));
          return to_byte(relu && x < 0 ? 0.0 : product, 100, false);
        });
  }
}

TEST_F(FixpipeTest, FloatsToBytesRoundToEven) {
  fill<float>(1000, 0.5f);  // halves: every second one is a tie
  check_nd<std::int8_t, float>(64, 32, QF322B8_PRE, false, quant_word(1.0f, 3),
                               [](float x) { return to_byte(x, 3, true); });
  // Nine bits first, then the offset: -500 becomes -256 and that -56.
  check_nd<std::int8_t, float>(64, 32, QF322B8_PRE, false, quant_word(1.0f, 200),
                               [](float x) { return to_byte(x, 200, true); });
  check_nd<std::int8_t, float>(64, 32, QF322B8_PRE, false, quant_word(1.0f, -200),
                               [](float x) { return to_byte(x, -200, true); });
  check_nd<std::uint8_t, float>(
      64, 32, QF322B8_PRE, true, quant_word(0.25f, 0, false),
      [](float x) { return to_byte(std::max(x, 0.0f) * 0.25, 0, false); });
}

TEST_F(FixpipeTest, AWordPerColumnFromL1) {
  // More columns than the Fixpipe buffer holds words for: the call splits.
  fill<std::int32_t>(3000);
  const int n = 300, m = 20, stride = 32;
  auto* words = core.buffer<std::uint64_t>(Space::kL1, 1024);
  for (int i = 0; i < n; ++i) words[i] = quant_word(0.5f + static_cast<float>(i) / 64);
  auto expected = [&](int row, int col) {
    const float scale = static_cast<float>(cut_scale(0.5f + static_cast<float>(col) / 64));
    return float(half(static_cast<float>(c<std::int32_t>(row, col, stride)) * scale));
  };
  GmVector<half> nd(n * m);
  auto workspace = local<std::uint64_t>(TPosition::C1, 1024);
  Fixpipe<half, std::int32_t, CFG_ROW_MAJOR>(gm(nd), co1<std::int32_t>(), workspace,
                                             params(n, m, stride, n, VDEQF16));
  GmVector<half> nz(304 * m);
  Fixpipe<half, std::int32_t, CFG_NZ>(gm(nz), co1<std::int32_t>(), workspace,
                                      params(288, m, stride, m, VDEQF16));
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      ASSERT_EQ(float(nd[row * n + col]), expected(row, col)) << row << ", " << col;
      if (col < 288) {
        ASSERT_EQ(float(nz[(col / 16 * m + row) * 16 + col % 16]), expected(row, col));
      }
    }
  }
}

TEST_F(FixpipeTest, AWordPerColumnFromTheFixpipeBuffer) {
  fill<std::int32_t>(3000);
  auto* words = core.buffer<std::uint64_t>(Space::kFb, 256);
  for (int i = 0; i < 32; ++i) words[i] = quant_word(0.03125f, i - 16, i % 2 == 0);
  GmVector<std::int8_t> out(32 * 16);
  AscendC::SetFixPipeConfig(local<std::uint64_t>(TPosition::C2PIPE2GM, 256));
  AscendC::SetFixpipeNz2ndFlag(1, 0, 0);
  AscendC::DataCopyCO12DstParams copy(32, 16, 32, 16, VREQ8, 0, false, true);
  DataCopy(gm(out), co1<std::int32_t>(), copy);
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 32; ++col) {
      const double want = to_byte(c<std::int32_t>(row, col, 16) * 0.03125, col - 16, col % 2 == 0);
      EXPECT_EQ(out[row * 32 + col], static_cast<std::int8_t>(static_cast<int>(want)));
    }
  }
}

TEST_F(FixpipeTest, DataCopyTakesItsScalarFromTheRegister) {
  fill<std::int32_t>(3000);
  GmVector<half> out(16 * 16);
  AscendC::SetFixpipePreQuantFlag(quant_word(2.0f));
  AscendC::DataCopyCO12DstParams copy(16, 16, 16, 16, DEQF16, 1, false, true);
  DataCopy(gm(out), co1<std::int32_t>(), copy);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(
        float(out[i]),
        float(half(2.0f * static_cast<float>(std::max(c<std::int32_t>(i / 16, i % 16, 16), 0)))));
  }
}

TEST_F(FixpipeTest, SeveralMatrices) {
  // The documentation's example: two matrices of 48 x 32.
  fill<float>(100);
  GmVector<float> out(4096 + 64 * 48, 7.0f);
  auto p = params(32, 48, 64, 64, NoQuant);
  p.ndNum = 2;
  p.srcNdStride = 16;
  p.dstNdStride = 4096;
  Fixpipe<float, float>(gm(out), co1<float>(), p);
  for (int matrix = 0; matrix < 2; ++matrix) {
    for (int row = 0; row < 48; ++row) {
      for (int col = 0; col < 64; ++col) {
        const float want = col < 32 ? c<float>(row, col, 64, matrix * 16 * 256) : 7.0f;
        EXPECT_EQ(out[matrix * 4096 + row * 64 + col], want);
      }
    }
  }
}

TEST_F(FixpipeTest, FractalsToGm) {
  fill<float>(100);
  // The documentation's example: 24 x 48, columns 64 rows apart in L0C.
  GmVector<half> halves(40 * 16 * 3, half(7));
  Fixpipe<half, float, CFG_NZ>(gm(halves), co1<float>(), params(48, 24, 64, 40, F322F16));
  GmVector<float> floats(3 * 24 * 16, 7.0f);
  Fixpipe<float, float, CFG_NZ>(gm(floats), co1<float>(), params(48, 24, 64, 48, NoQuant));
  for (int row = 0; row < 40; ++row) {
    for (int col = 0; col < 48; ++col) {
      const float want = row < 24 ? c<float>(row, col, 64) : 7.0f;
      EXPECT_EQ(float(halves[(col / 16 * 40 + row) * 16 + col % 16]), want);
      if (row < 24) {
        EXPECT_EQ(floats[(col / 16 * 24 + row) * 16 + col % 16], want);
      }
    }
  }
}

TEST_F(FixpipeTest, BytesMergeTwoColumns) {
  fill<std::int32_t>(100);
  GmVector<std::int8_t> out(2 * 20 * 32, 55);
  auto p = params(48, 20, 32, 20, REQ8);
  p.deqScalar = quant_word(1.0f);
  Fixpipe<std::int8_t, std::int32_t, CFG_NZ>(gm(out), co1<std::int32_t>(), p);
  for (int row = 0; row < 20; ++row) {
    for (int col = 0; col < 64; ++col) {
      const int want = col < 48 ? c<std::int32_t>(row, col, 32) : 55;
      EXPECT_EQ(out[(col / 32 * 20 + row) * 32 + col % 32], want);
    }
  }
}

TEST_F(FixpipeTest, ChannelSplitMakesFractalsOf8) {
  fill<float>(100);
  GmVector<float> out(3 * 64 * 8);
  auto p = params(24, 64, 64, 64, NoQuant);
  p.isChannelSplit = true;
  Fixpipe<float, float, CFG_NZ>(gm(out), co1<float>(), p);
  for (int row = 0; row < 64; ++row) {
    for (int col = 0; col < 24; ++col) {
      EXPECT_EQ(out[(col / 8 * 64 + row) * 8 + col % 8], c<float>(row, col, 64));
    }
  }
}

TEST_F(FixpipeTest, ToL1AlwaysInFractals) {
  fill<float>(100);
  Fixpipe<half, float>(local<half>(TPosition::A1, 512), co1<float>(),
                       params(32, 20, 32, 32, F322F16));
  const half* l1 = core.buffer<half>(Space::kL1, 512);
  for (int row = 0; row < 20; ++row) {
    for (int col = 0; col < 32; ++col) {
      EXPECT_EQ(float(l1[(col / 16 * 32 + row) * 16 + col % 16]), c<float>(row, col, 32));
    }
  }
  EXPECT_EQ(last().op, isa::Opcode::kFixpipeToL1);
}

TEST_F(FixpipeTest, AtomicAddIntoGm) {
  fill<float>(100);
  GmVector<float> nd(16 * 16, 0.5f);
  GmVector<bfloat16_t> nz(16 * 16, bfloat16_t(2.0f));
  AscendC::SetAtomicAdd<float>();
  Fixpipe<float, float>(gm(nd), co1<float>(), params(16, 16, 16, 16, NoQuant));
  AscendC::SetAtomicMax<bfloat16_t>();
  Fixpipe<bfloat16_t, float, CFG_NZ>(gm(nz), co1<float>(), params(16, 16, 16, 16, F322BF16));
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(nd[i], c<float>(i / 16, i % 16, 16) + 0.5f);
    EXPECT_EQ(float(nz[i]), std::max(c<float>(i / 16, i % 16, 16), 2.0f));
  }
  auto to = gm(nd);
  EXPECT_FAULT(kParameter, "that of the destination, float32",
               (Fixpipe<float, float>(to, co1<float>(), params(16, 16, 16, 16, NoQuant))));
}

/// The older parameters against those of V220, whose meaning the other tests check.
TEST_F(FixpipeTest, BurstsSayTheSameOtherwise) {
  fill<float>(1000);
  constexpr std::uint16_t kRows = 24, kColumns = 48, kGap = 5;
  GmVector<half> fractals(4096, half(9.0f)), by_bursts(4096, half(9.0f));
  Fixpipe<half, float, CFG_NZ>(gm(fractals), co1<float>(),
                               params(kColumns, kRows, 32, kRows + kGap, QuantMode_t::F322F16));
  AscendC::FixpipeParams<float> p(kColumns / 16, kRows * 16 * sizeof(float) / 32, 0, kGap);
  p.quantParams = {QuantMode_t::F322F16};
  Fixpipe(gm(by_bursts), co1<float>(), p);
  EXPECT_EQ(std::memcmp(fractals.data(), by_bursts.data(), 4096 * sizeof(half)), 0);

  GmVector<float> rows(4096, 9.0f), rows_by_bursts(4096, 9.0f);
  Fixpipe<float, float, CFG_ROW_MAJOR>(gm(rows), co1<float>(),
                                       params(41, kRows, 32, 60, QuantMode_t::NoQuant, true));
  AscendC::FixpipeParams<float> nd(kColumns / 16, kRows * 16 * sizeof(float) / 32, 0, 60);
  nd.nz2ndParams = {true, 1, 0, 0, 41};
  nd.reluEn = true;
  Fixpipe(gm(rows_by_bursts), co1<float>(), nd);
  EXPECT_EQ(std::memcmp(rows.data(), rows_by_bursts.data(), 4096 * sizeof(float)), 0);
  EXPECT_NE(rows[0], 9.0f);

  p.srcStride = 4094;
  EXPECT_FAULT(kParameter, "srcStride is 4094, allowed are 0 to 4093",
               Fixpipe(gm(by_bursts), co1<float>(), p));
  p.srcStride = 0, p.burstLen = 3;
  EXPECT_FAULT(kParameter, "burstLen is 3", Fixpipe(gm(by_bursts), co1<float>(), p));
}

/// Columns of 24 rows take two fractals; srcStride skips three more.
TEST_F(FixpipeTest, BurstsWithFractalsBetweenThem) {
  fill<float>(1000);
  constexpr std::uint16_t kRows = 24, kColumns = 48, kSkipped = 3;
  GmVector<float> rows(kRows * kColumns);
  AscendC::FixpipeParams<float> p(kColumns / 16, kRows * 16 * sizeof(float) / 32, kSkipped,
                                  kColumns);
  p.nz2ndParams = {true, 1, 0, 0, kColumns};
  Fixpipe(gm(rows), co1<float>(), p);
  for (int row = 0; row < kRows; ++row) {
    for (int col = 0; col < kColumns; ++col) {
      ASSERT_EQ(rows[row * kColumns + col], c<float>(row, col, (2 + kSkipped) * 16));
    }
  }
}

TEST_F(FixpipeTest, NothingToMoveEmitsNoFixpipe) {
  GmVector<float> out(16);
  Fixpipe<float, float>(gm(out), co1<float>(), params(0, 16, 16, 16, NoQuant));
  Fixpipe<float, float, CFG_NZ>(gm(out), co1<float>(), params(16, 0, 16, 16, NoQuant));
  for (const auto& instr : core.emitted) EXPECT_EQ(instr.op, isa::Opcode::kSetRegister);
}

TEST_F(FixpipeTest, Refuses) {
  GmVector<float> out(16 * 16);
  GmVector<half> halves(16 * 16);
  auto to = gm(out);
  auto to_half = gm(halves);
  auto from = co1<float>();
  EXPECT_FAULT(kParameter, "nSize is 4096",
               (Fixpipe<float, float>(to, from, params(4096, 16, 16, 16, NoQuant))));
  EXPECT_FAULT(kParameter, "mSize is 8193",
               (Fixpipe<float, float>(to, from, params(16, 8193, 16, 16, NoQuant))));
  Fixpipe<float, float>(to, from, params(16, 16, 16, 16, NoQuant));
  isa::Instr record = last();
  for (const std::uint16_t rows : {0, 1, 16, 8192, 8193}) {
    std::get<isa::FixpipeInstrParams>(record.params).m = rows;
    std::string message;
    try {
      isa::decode(record, core.memory);
    } catch (const isa::Fault& fault) {
      message = fault.message;  // of 8192 rows: they do not fit
    }
    EXPECT_EQ(message.find("mSize is " + std::to_string(rows) + ", allowed are 1 to 8192") !=
                  std::string::npos,
              rows == 0 || rows == 8193)
        << message;
  }
  EXPECT_FAULT(kParameter, "dstStride is 0",
               (Fixpipe<float, float>(to, from, params(16, 16, 16, 0, NoQuant))));
  EXPECT_FAULT(kParameter, "nSize is 24, for fractals it must be a multiple of 16",
               (Fixpipe<float, float, CFG_NZ>(to, from, params(24, 16, 16, 16, NoQuant))));
  EXPECT_FAULT(kParameter, "quantPre is 1, which does not convert float32 to float32",
               (Fixpipe<float, float>(to, from, params(16, 16, 16, 16, F322F16))));
  EXPECT_FAULT(kParameter, "quantPre is 12",
               (Fixpipe<half, float>(to_half, from, params(16, 16, 16, 16, VSHIFTS322S16))));
  EXPECT_FAULT(kParameter, "quantPre is 1, allowed are VREQ8",
               (Fixpipe<half, float>(to_half, from, local<std::uint64_t>(TPosition::C1),
                                     params(16, 16, 16, 16, F322F16))));
  EXPECT_FAULT(kAlignment, "src address is 0x20, which is no multiple of 64 bytes",
               (Fixpipe<float, float>(to, local<float>(TPosition::CO1, 32),
                                      params(16, 16, 16, 16, NoQuant))));
  EXPECT_FAULT(kAddress, "of L0C",
               (Fixpipe<float, float>(to, local<float>(TPosition::CO1, 128 * 1024 - 512),
                                      params(16, 16, 16, 16, NoQuant))));
  EXPECT_FAULT(kAddress, "outside every allocation",
               (Fixpipe<float, float>(to, from, params(16, 17, 32, 16, NoQuant))));
  EXPECT_FAULT(
      kParameter, "results of 32 bits cannot go to L1",
      (Fixpipe<float, float>(local<float>(TPosition::A1), from, params(16, 16, 16, 16, NoQuant))));
  auto split = params(16, 16, 16, 16, NoQuant);
  split.isChannelSplit = true;
  EXPECT_FAULT(kParameter, "channel split is set", (Fixpipe<float, float>(to, from, split)));
  split.quantPre = F322F16;
  EXPECT_FAULT(kParameter, "channel split is set",
               (Fixpipe<half, float, CFG_NZ>(to_half, from, split)));
  auto infinite = params(16, 16, 16, 16, DEQF16);
  infinite.deqScalar = quant_word(INFINITY);
  EXPECT_FAULT(kParameter, "the scale of a quantisation word is inf",
               (Fixpipe<half, std::int32_t>(to_half, co1<std::int32_t>(), infinite)));
}

}  // namespace
}  // namespace davsim::test
