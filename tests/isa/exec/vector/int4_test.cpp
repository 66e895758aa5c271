// int4b_t: packed tensors, loads and products.
#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::int4b_t;
using AscendC::LoadData;
using AscendC::LoadData2DParams;
using AscendC::LoadData3DParamsV2;
using AscendC::Mmad;
using AscendC::MmadParams;
using AscendC::TPosition;
using isa::Space;

/// Number `index` of a packed buffer, by arithmetic of its own.
int get(const std::uint8_t* packed, int index) {
  const int nibble = index % 2 == 0 ? packed[index / 2] % 16 : packed[index / 2] / 16;
  return nibble < 8 ? nibble : nibble - 16;
}
void put(std::uint8_t* packed, int index, int value) {
  std::uint8_t& byte = packed[index / 2];
  const int nibble = (value + 16) % 16;
  byte =
      static_cast<std::uint8_t>(index % 2 == 0 ? byte / 16 * 16 + nibble : byte % 16 + nibble * 16);
}

class Int4 : public MoveTest {
 protected:
  std::uint8_t* bytes(Space space) { return core.buffer<std::uint8_t>(space); }
  void number_l1(int count) {
    for (int i = 0; i < count; ++i) put(bytes(Space::kL1), i, noise(i, 8) % 8);
  }
};

TEST_F(Int4, ConvertsAndPacks) {
  for (int value = -8; value < 8; ++value) {
    EXPECT_EQ(int4b_t(value), value);
    EXPECT_EQ(int4b_t(value + 16), value);
  }
  EXPECT_EQ(isa::with_int4(isa::with_int4(0, 0, int4b_t(6)), 1, int4b_t(7)), 118);
  EXPECT_EQ(isa::int4_of_pair(0xf8, 0), -8);
  EXPECT_EQ(isa::int4_of_pair(0xf8, 1), -1);
}

TEST_F(Int4, TensorsCountElementsAndReachEachOfAPair) {
  const AscendC::LocalTensor<int4b_t> tensor(TPosition::VECIN, 64, 32);
  EXPECT_EQ(tensor.GetLength(), 16u);
  EXPECT_EQ(tensor.GetSize(), 32u);
  EXPECT_EQ(tensor[8].GetPhyAddr(), 68u);
  tensor.SetValue(3, -5);
  tensor.SetValue(2, 4);
  EXPECT_EQ(core.buffer<std::uint8_t>(Space::kUb, 65)[0], 0xb4);
  EXPECT_EQ(tensor.GetValue(3), -5);
  EXPECT_EQ(tensor.GetValue(2), 4);
  GmVector<int4b_t> data(64);
  const auto global = gm(data);
  EXPECT_EQ(global[10].GetPhyAddr(), data.data() + 5);
  global.SetValue(7, 6);
  EXPECT_EQ(global.GetValue(7), 6);
  EXPECT_EQ(*reinterpret_cast<const std::uint8_t*>(&data[3]), 0x60);
}

TEST_F(Int4, DataCopyCountsAByteForEachElement) {
  // Documented: count x sizeof(T), and sizeof(int4b_t) is a byte. A group of 32 is a DataBlock.
  GmVector<int4b_t> data(256);
  std::memset(data.data(), 0x5a, 256);
  AscendC::DataCopy(local<int4b_t>(TPosition::A1), gm(data), 32);
  EXPECT_EQ(bytes(Space::kL1)[31], 0x5a);
  EXPECT_EQ(bytes(Space::kL1)[32], 0);
}

TEST_F(Int4, Load2dMovesFractals) {
  number_l1(4 * 1024);
  LoadData(local<int4b_t>(TPosition::B2), local<int4b_t>(TPosition::B1),
           LoadData2DParams{1, 2, 2, 0, 1, false, 0});
  EXPECT_EQ(std::memcmp(bytes(Space::kL0B), bytes(Space::kL1) + 512, 512), 0);
  EXPECT_EQ(std::memcmp(bytes(Space::kL0B) + 1024, bytes(Space::kL1) + 3 * 512, 512), 0);
}

TEST_F(Int4, TransposeTurnsSquaresOf64) {
  number_l1(3 * 64 * 64);
  AscendC::LoadDataWithTranspose(local<int4b_t>(TPosition::B2), local<int4b_t>(TPosition::B1),
                                 AscendC::LoadData2dTransposeParams{1, 2, 1, 0, 2});
  for (int square = 0; square < 2; ++square) {
    for (int row = 0; row < 64; ++row) {
      for (int col = 0; col < 64; ++col) {
        const int fractal = square + col / 16 * 3;  // quarters three fractals apart
        EXPECT_EQ(get(bytes(Space::kL0B), fractal * 1024 + col % 16 * 64 + row),
                  get(bytes(Space::kL1), (1 + square) * 4096 + row * 64 + col));
      }
    }
  }
  EXPECT_FAULT(
      kParameter, "int4 to L0B only",
      AscendC::LoadDataWithTranspose(local<int4b_t>(TPosition::A2), local<int4b_t>(TPosition::A1),
                                     AscendC::LoadData2dTransposeParams{0, 1, 1, 0, 0}));
}

TEST_F(Int4, Load3dUnfoldsPaddedMaps) {
  constexpr int kH = 5, kW = 6, kChannels = 72, kFilter = 2;
  number_l1(kH * kW * 128);
  LoadData3DParamsV2<int4b_t> p;
  p.l1H = kH, p.l1W = kW, p.channelSize = kChannels;
  p.filterW = p.filterH = kFilter;
  p.padList[0] = 1;
  p.padValue = int4b_t(-3);
  p.mExtension = 24, p.kExtension = 288, p.kStartPt = 0, p.mStartPt = 0;
  LoadData(local<int4b_t>(TPosition::A2), local<int4b_t>(TPosition::A1), p);
  const int out_w = kW + 1 - kFilter + 1;
  for (int row = 0; row < 24; ++row) {
    for (int col = 0; col < 288; ++col) {
      // One block of 64 channels, then one of 8; each point by point.
      const bool tail = col >= 64 * 4;
      const int width = tail ? 8 : 64, inside = tail ? col - 256 : col;
      const int point = inside / width, h = row / out_w + point / kFilter;
      const int w = row % out_w + point % kFilter - 1;
      const int plane = tail ? kH * kW * 64 : 0;
      const int expected =
          w < 0 ? -3 : get(bytes(Space::kL1), plane + (h * kW + w) * width + inside % width);
      const int at = (row / 16 * 5 + col / 64) * 1024 + row % 16 * 64 + col % 64;
      ASSERT_EQ(get(bytes(Space::kL0A), at), expected) << row << "," << col;
    }
  }
  p.enTranspose = true;
  EXPECT_FAULT(kParameter, "types of 4 and 8 bits cannot be transposed",
               LoadData(local<int4b_t>(TPosition::A2), local<int4b_t>(TPosition::A1), p));
  p.enTranspose = false;
  p.channelSize = 68;
  EXPECT_FAULT(kParameter, "channelSize is 68",
               LoadData(local<int4b_t>(TPosition::A2), local<int4b_t>(TPosition::A1), p));
}

void multiply_and_compare(TestCore& core, int m, int n, int k) {
  const auto value = [](int row, int col, int salt) {
    return noise(row * 4099 + col + salt, 100) & 15;
  };
  const auto signed_value = [&](int row, int col, int salt) {
    const int v = value(row, col, salt);
    return v < 8 ? v : v - 16;
  };
  auto* a = core.buffer<std::uint8_t>(Space::kL0A);
  auto* b = core.buffer<std::uint8_t>(Space::kL0B);
  const int kf = (k + 63) / 64, nf = (n + 15) / 16, mf = (m + 15) / 16;
  std::memset(a, 0x77, 65536);
  std::memset(b, 0x77, 65536);
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < k; ++col) {
      const int at = m == 1 ? col : ((row / 16 * kf + col / 64) * 16 + row % 16) * 64 + col % 64;
      put(a, at, signed_value(row, col, 1));
    }
  }
  for (int row = 0; row < k; ++row) {
    for (int col = 0; col < n; ++col) {
      put(b, ((row / 64 * nf + col / 16) * 16 + col % 16) * 64 + row % 64,
          signed_value(row, col, 2));
    }
  }
  Mmad(AscendC::LocalTensor<std::int32_t>(TPosition::CO1, 0, 16),
       AscendC::LocalTensor<int4b_t>(TPosition::A2, 0, 16),
       AscendC::LocalTensor<int4b_t>(TPosition::B2, 0, 16),
       MmadParams(static_cast<std::uint16_t>(m), static_cast<std::uint16_t>(n),
                  static_cast<std::uint16_t>(k), 0, false, true));
  for (int row = 0; row < m; ++row) {
    for (int col = 0; col < n; ++col) {
      int sum = 0;
      for (int i = 0; i < k; ++i) sum += signed_value(row, i, 1) * signed_value(i, col, 2);
      ASSERT_EQ(core.buffer<std::int32_t>(Space::kL0C)[(col / 16 * mf * 16 + row) * 16 + col % 16],
                sum)
          << m << "x" << n << "x" << k << " at " << row << "," << col;
    }
  }
}

TEST_F(Int4, ProductsOfEveryShape) {
  multiply_and_compare(core, 32, 32, 128);
  multiply_and_compare(core, 30, 40, 70);
  multiply_and_compare(core, 17, 1, 1);
  multiply_and_compare(core, 16, 16, 2100);  // more than one slice of k
}

TEST_F(Int4, MatrixVector) {
  multiply_and_compare(core, 1, 40, 75);
  multiply_and_compare(core, 1, 16, 1500);
}

TEST_F(Int4, SumsSaturate) {
  put(bytes(Space::kL0A), 0, -8);
  put(bytes(Space::kL0B), 0, -8);
  core.buffer<std::int32_t>(Space::kL0C)[0] = INT32_MAX - 63;
  Mmad(local<std::int32_t>(TPosition::CO1), local<int4b_t>(TPosition::A2),
       local<int4b_t>(TPosition::B2), MmadParams(16, 16, 64, 0, false, false));
  EXPECT_EQ(core.buffer<std::int32_t>(Space::kL0C)[0], INT32_MAX);
}

}  // namespace
}  // namespace davsim::test
