// LoadDataWithSparse and MmadWithSparse against a plain product with the matrix that has the zeros.
#include <array>

#include "tests/isa/exec/move/move_fixture.hpp"

namespace davsim::test {
namespace {

using AscendC::LoadData2DParams;
using AscendC::LoadDataWithSparse;
using AscendC::MmadParams;
using AscendC::MmadWithSparse;
using AscendC::TPosition;
using isa::Space;

constexpr std::uint32_t kIndexByte = 200 * 1024;  // of L1

/// What the documentation makes of four rows of a column: two numbers and two indices.
struct Dense {
  std::array<int, 2> values, indices;
};

Dense densify(const std::array<int, 4>& rows) {
  std::vector<int> at;
  for (int i = 0; i < 4; ++i) {
    if (rows[i] != 0) at.push_back(i);
  }
  if (at.empty()) return {{0, 0}, {0, 0}};
  if (at.size() == 1) {
    if (at[0] == 3) return {{0, rows[3]}, {0, 2}};
    return {{rows[at[0]], 0}, {at[0], 0}};
  }
  return {{rows[at[0]], rows[at[1]]}, {at[0], at[1] - 1}};
}

class SparseProduct : public MoveTest {
 protected:
  static int a_value(int row, int col) { return noise(row * 5003 + col, 127); }
  /// Zero but for at most two of every four rows; every pattern occurs.
  static int b_value(int row, int col) {
    const int pattern = (row / 4 * 7 + col) % 11;
    constexpr int kKept[11] = {0b0000, 0b0001, 0b0010, 0b0100, 0b1000, 0b0011,
                               0b0101, 0b1001, 0b0110, 0b1010, 0b1100};
    const int value = noise(row * 911 + col, 126);
    return (kKept[pattern] >> (row % 4) & 1) != 0 ? (value == 0 ? 5 : value) : 0;
  }

  void put_index(int row, int col, int n, int index) {
    const int fractal = row / 32 * ((n + 15) / 16) + col / 16;
    std::uint8_t& byte = core.buffer<std::uint8_t>(
        Space::kL1, kIndexByte)[fractal * 128 + col % 16 * 8 + row % 32 / 4];
    byte = static_cast<std::uint8_t>(byte | index << (row % 4 * 2));
  }
  void put_dense(int row, int col, int n, int value) {
    const int fractal = row / 32 * ((n + 15) / 16) + col / 16;
    core.buffer<std::int8_t>(Space::kL1)[fractal * 512 + col % 16 * 32 + row % 32] =
        static_cast<std::int8_t>(value);
  }

  void lay_out(int m, int n, int k) {
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < k; ++col) {
        const int at = ((row / 16 * ((k + 31) / 32) + col / 32) * 16 + row % 16) * 32 + col % 32;
        core.buffer<std::int8_t>(Space::kL0A)[at] = static_cast<std::int8_t>(a_value(row, col));
      }
    }
    for (int col = 0; col < n; ++col) {
      for (int row = 0; row < k; row += 4) {
        std::array<int, 4> rows{};
        for (int i = 0; i < 4 && row + i < k; ++i) rows[i] = b_value(row + i, col);
        const Dense dense = densify(rows);
        for (int i = 0; i < 2; ++i) {
          put_dense(row / 2 + i, col, n, dense.values[i]);
          put_index(row / 2 + i, col, n, dense.indices[i]);
        }
      }
    }
  }

  void load(int n, int k) {
    const int fractals = (k + 63) / 64 * ((n + 15) / 16);
    LoadData2DParams params;
    params.repeatTimes = static_cast<std::uint8_t>(fractals);
    LoadDataWithSparse(local<std::int8_t>(TPosition::B2, 1024), local<std::int8_t>(TPosition::B1),
                       local<std::uint8_t>(TPosition::B1, kIndexByte), params);
  }

  void multiply(int m, int n, int k, bool from_zero = true) {
    MmadParams params(static_cast<std::uint16_t>(m), static_cast<std::uint16_t>(n),
                      static_cast<std::uint16_t>(k), 0, false, from_zero);
    MmadWithSparse(local<std::int32_t>(TPosition::CO1), local<std::int8_t>(TPosition::A2),
                   local<std::int8_t>(TPosition::B2, 1024), params);
  }

  std::int32_t& c(int row, int col, int m) {
    const int fractal = col / 16 * ((m + 15) / 16) + row / 16;
    return core.buffer<std::int32_t>(Space::kL0C)[fractal * 256 + row % 16 * 16 + col % 16];
  }
};

TEST_F(SparseProduct, IsTheProductWithTheZeros) {
  for (auto [m, n, k] : {std::array{16, 16, 64}, {32, 48, 128}, {1, 16, 64}, {37, 21, 70}}) {
    std::memset(core.buffer<std::uint8_t>(Space::kL1, kIndexByte), 0, 64 * 1024);
    lay_out(m, n, k);
    load(n, k);
    multiply(m, n, k);
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        int sum = 0;
        for (int i = 0; i < k; ++i) sum += a_value(row, i) * b_value(i, col);
        ASSERT_EQ(c(row, col, m), sum) << m << "x" << n << "x" << k << " at " << row << "," << col;
      }
    }
  }
  EXPECT_EQ(last().op, isa::Opcode::kMmad);
}

TEST_F(SparseProduct, AddsToC) {
  lay_out(16, 16, 64);
  load(16, 64);
  multiply(16, 16, 64);
  const std::int32_t once = c(3, 5, 16);
  multiply(16, 16, 64, false);
  EXPECT_EQ(c(3, 5, 16), 2 * once);
}

/// The documented table: which two of four elements of A each pair of indices selects.
TEST_F(SparseProduct, EveryPairOfIndicesSelectsWhatTheTableSays) {
  struct Row {
    int first, second;
    std::array<int, 2> selected;
  };
  constexpr Row kTable[] = {{2, 2, {2, 3}}, {1, 2, {1, 3}}, {0, 2, {0, 3}}, {1, 1, {1, 2}},
                            {0, 1, {0, 2}}, {0, 0, {0, 1}}, {2, 0, {2, 2}}, {1, 0, {1, 1}}};
  for (int i = 0; i < 4; ++i) {
    core.buffer<std::int8_t>(Space::kL0A)[i] = static_cast<std::int8_t>(1 << i);  // row 0
  }
  for (int col = 0; col < 8; ++col) {
    put_dense(0, col, 16, 3);
    put_dense(1, col, 16, 100);
    put_index(0, col, 16, kTable[col].first);
    put_index(1, col, 16, kTable[col].second);
  }
  load(16, 64);
  multiply(16, 16, 64);
  for (int col = 0; col < 8; ++col) {
    const auto& selected = kTable[col].selected;
    EXPECT_EQ(c(0, col, 16), 3 * (1 << selected[0]) + 100 * (1 << selected[1])) << col;
  }
}

TEST_F(SparseProduct, TheLoadTakesConsecutiveFractalsFromItsFirst) {
  for (int i = 0; i < 4 * 512; ++i) core.buffer<std::int8_t>(Space::kL1)[i] = noise(i, 100);
  for (int i = 0; i < 4 * 128; ++i) {
    core.buffer<std::uint8_t>(Space::kL1, kIndexByte)[i] = static_cast<std::uint8_t>(i * 7);
  }
  LoadData2DParams params;
  params.startIndex = 1;
  params.repeatTimes = 2;
  params.srcStride = 5;  // without effect
  LoadDataWithSparse(local<std::int8_t>(TPosition::B2, 512), local<std::int8_t>(TPosition::B1),
                     local<std::uint8_t>(TPosition::B1, kIndexByte), params);
  EXPECT_EQ(std::memcmp(core.buffer<std::int8_t>(Space::kL0B, 512),
                        core.buffer<std::int8_t>(Space::kL1, 512), 1024),
            0);
  EXPECT_EQ(std::memcmp(core.buffer<std::int8_t>(Space::kSparseIndex, 128),
                        core.buffer<std::int8_t>(Space::kL1, kIndexByte + 128), 256),
            0);
  EXPECT_EQ(last().op, isa::Opcode::kLoadDataSparse);
  EXPECT_EQ(last().pipe, isa::Pipe::MTE1);
}

TEST_F(SparseProduct, Refused) {
  LoadData2DParams params;
  params.repeatTimes = 1;
  const auto b2 = local<std::int8_t>(TPosition::B2), b1 = local<std::int8_t>(TPosition::B1);
  const auto idx = local<std::uint8_t>(TPosition::B1, kIndexByte);
  params.ifTranspose = true;
  EXPECT_FAULT(kParameter, "ifTranspose is 1", LoadDataWithSparse(b2, b1, idx, params));
  params.ifTranspose = false;
  EXPECT_FAULT(kParameter, "dst lies in L0A",
               LoadDataWithSparse(local<std::int8_t>(TPosition::A2), b1, idx, params));
  EXPECT_FAULT(kAlignment, "idx address is 0x10",
               LoadDataWithSparse(b2, b1, local<std::uint8_t>(TPosition::B1, 16), params));
  core.buffer<std::uint8_t>(Space::kL1, kIndexByte)[8] = 0b1100;  // column 1, row 1
  load(16, 64);
  MmadParams all(16, 16, 64, 0, false, true);
  EXPECT_FAULT(
      kParameter, "the sparse index of row 1, column 1 is 3",
      MmadWithSparse(local<std::int32_t>(TPosition::CO1), local<std::int8_t>(TPosition::A2),
                     local<std::int8_t>(TPosition::B2, 1024), all));
}

}  // namespace
}  // namespace davsim::test
