// Rows on their way into caches: NZ in UB, runs of rows, plain and NZ pages in global memory.
#include <gtest/gtest.h>

#include <vector>

#include "kernels/common/cache_rows.h"
#include "tests/isa/test_core.hpp"
#include "tests/operators/tensor_at.hpp"

namespace davsim::test {
namespace {

using namespace kernel_common;
using AscendC::GlobalTensor;

TEST(CommonNzRows, OffsetsFollowTheLayout) {
  // [W/C0][rows][C0], written out.
  for (uint32_t column = 0; column < 64; ++column) {
    EXPECT_EQ(NzOffset<half>(48, 5, column), (column / 16 * 48 + 5) * 16 + column % 16);
    EXPECT_EQ(NzOffset<int8_t>(32, 31, column), (column / 32 * 32 + 31) * 32 + column % 32);
  }
}

/// Casts rows * width numbers and compares every element of the block, those beside it too.
template <typename To, typename From>
void expect_nz(uint32_t rows, uint32_t pitch, uint32_t width, uint32_t src_pitch) {
  TestCore core;
  const uint32_t dst_at = 128 * 1024;
  From* src = core.buffer<From>(isa::Space::kUb);
  To* dst = core.buffer<To>(isa::Space::kUb, dst_at);
  for (uint32_t i = 0; i < rows * src_pitch; ++i) src[i] = From(static_cast<float>(i % 101) - 50);
  for (uint32_t i = 0; i < pitch * width; ++i) dst[i] = To(111);
  CastToNz<To, From>(at<To>(dst_at, pitch * width), pitch,
                     {at<From>(0, rows * src_pitch), src_pitch}, rows, width,
                     AscendC::RoundMode::CAST_RINT);
  constexpr uint32_t kC0 = 32 / sizeof(To);
  for (uint32_t column = 0; column < width; ++column) {
    for (uint32_t row = 0; row < pitch; ++row) {
      const float want = row < rows ? static_cast<float>(src[row * src_pitch + column]) : 111.0f;
      const To got = dst[(column / kC0 * pitch + row) * kC0 + column % kC0];
      ASSERT_EQ(static_cast<float>(got), want) << "row " << row << " column " << column;
    }
  }
}

TEST(CommonNzRows, CastsLandInTheirPieces) {
  expect_nz<half, float>(16, 16, 576, 576);
  expect_nz<bfloat16_t, float>(7, 12, 512, 576);
  expect_nz<half, float>(1, 1, 16, 24);
  expect_nz<int8_t, half>(5, 5, 512, 576);
  expect_nz<int8_t, half>(5, 9, 64, 64);
  expect_nz<int8_t, half>(300, 301, 32, 32);  // more rows than an instruction has repeats
}

/// The runs of rows that go to `rows_of`.
std::vector<RowRun> runs(const std::vector<int64_t>& rows_of, uint32_t page_rows) {
  std::vector<RowRun> found;
  ForEachRun(
      static_cast<uint32_t>(rows_of.size()), page_rows, [&](uint32_t i) { return rows_of[i]; },
      [&](const RowRun& run) { found.push_back(run); });
  return found;
}

void expect_runs(const std::vector<RowRun>& found, const std::vector<RowRun>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first, wanted[i].first) << i;
    EXPECT_EQ(found[i].rows, wanted[i].rows) << i;
    EXPECT_EQ(found[i].row, wanted[i].row) << i;
  }
}

TEST(CommonCacheRows, NeighboursAreOneRun) {
  expect_runs(runs({5, 6, 7, 9, 10, 3}, 0), {{0, 3, 5}, {3, 2, 9}, {5, 1, 3}});
  expect_runs(runs({4}, 0), {{0, 1, 4}});
  expect_runs(runs({}, 0), {});
  expect_runs(runs({7, 6, 6}, 0), {{0, 1, 7}, {1, 1, 6}, {2, 1, 6}});
}

TEST(CommonCacheRows, RowsThatGoNowhereAreLeftOut) {
  expect_runs(runs({-1, -1}, 0), {});
  expect_runs(runs({-1, 0, 1, -1, 2}, 0), {{1, 2, 0}, {4, 1, 2}});
}

TEST(CommonCacheRows, ARunEndsWithItsPage) {
  expect_runs(runs({14, 15, 16, 17}, 16), {{0, 2, 14}, {2, 2, 16}});
  expect_runs(runs({0, 1, 2}, 1), {{0, 1, 0}, {1, 1, 1}, {2, 1, 2}});
}

class CommonCacheRowsStore : public testing::Test {
 protected:
  /// A cache of zeros.
  GlobalTensor<half> cache_of(std::size_t elements) {
    bytes_.assign(elements, half(0.0f));
    core_.global.add(bytes_.data(), bytes_.size() * sizeof(half));
    GlobalTensor<half> cache;
    cache.SetGlobalBuffer(bytes_.data(), elements);
    return cache;
  }
  float cell(std::size_t element) const { return static_cast<float>(bytes_[element]); }
  /// Elements that are not zero.
  std::size_t written() const {
    std::size_t count = 0;
    for (const half& value : bytes_) count += static_cast<float>(value) != 0 ? 1 : 0;
    return count;
  }

  TestCore core_;
  std::vector<half> bytes_;
};

TEST_F(CommonCacheRowsStore, PlainRowsFromAWiderBlock) {
  constexpr uint32_t kWidth = 64, kPitch = 96;
  half* block = core_.buffer<half>(isa::Space::kUb);
  for (uint32_t i = 0; i < 5 * kPitch; ++i) block[i] = half(static_cast<float>(i + 1));
  StoreRows(cache_of(10 * kWidth), at<half>(0, 5 * kPitch), {1, 3, 6}, kWidth, kPitch);
  for (uint32_t row = 0; row < 3; ++row) {
    for (uint32_t column = 0; column < kWidth; ++column) {
      EXPECT_EQ(cell((6 + row) * kWidth + column),
                static_cast<float>(block[(1 + row) * kPitch + column]));
    }
  }
  EXPECT_EQ(written(), 3u * kWidth);
}

TEST_F(CommonCacheRowsStore, NzRowsInTheirPage) {
  constexpr uint32_t kWidth = 64, kPage = 32, kPitch = 7;
  half* block = core_.buffer<half>(isa::Space::kUb);
  for (uint32_t i = 0; i < kPitch * kWidth; ++i) block[i] = half(static_cast<float>(i + 1));
  // Rows 2, 3, 4 of the block become rows 29, 30, 31 of page 2.
  StoreNzRows(cache_of(3 * kPage * kWidth), kPage, at<half>(0, kPitch * kWidth), kPitch,
              {2, 3, 2 * kPage + 29}, kWidth);
  for (uint32_t row = 0; row < 3; ++row) {
    for (uint32_t column = 0; column < kWidth; ++column) {
      const uint32_t from = (column / 16 * kPitch + 2 + row) * 16 + column % 16;
      const uint32_t to = 2 * kPage * kWidth + (column / 16 * kPage + 29 + row) * 16 + column % 16;
      EXPECT_EQ(cell(to), static_cast<float>(block[from])) << row << " " << column;
    }
  }
  EXPECT_EQ(written(), 3u * kWidth);
}

}  // namespace
}  // namespace davsim::test
