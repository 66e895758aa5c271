// The device building blocks that operators share, on a core without a clock.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/common/rope.h"
#include "kernels/common/static_quant.h"
#include "kernels/common/work_split.h"
#include "tests/isa/test_core.hpp"
#include "tests/operators/tensor_at.hpp"

namespace davsim::test {
namespace {

using namespace kernel_common;

// --- dealing out work
// ------------------------------------------------------------------------------

TEST(CommonWorkSplit, RangesAdjoinAndDifferByAtMostOne) {
  for (const uint64_t total : {0u, 1u, 39u, 40u, 41u, 1536u}) {
    uint64_t next = 0;
    for (uint64_t part = 0; part < 40; ++part) {
      const WorkRange range = ShareOfWork(total, 40, part);
      EXPECT_EQ(range.begin, next);
      EXPECT_GE(range.end - range.begin, total / 40);
      EXPECT_LE(range.end - range.begin, (total + 39) / 40);
      next = range.end;
    }
    EXPECT_EQ(next, total);
  }
}

TEST(CommonWorkSplit, PiecesComeOutEven) {
  EXPECT_EQ(EvenPiece(10, 16), 10u);
  EXPECT_EQ(EvenPiece(17, 16), 9u);
  EXPECT_EQ(EvenPiece(33, 16), 11u);
  for (uint64_t remaining = 1; remaining < 100; ++remaining) {
    const uint32_t piece = EvenPiece(remaining, 7);
    EXPECT_GE(piece, 1u);
    EXPECT_LE(piece, 7u);
  }
}

// --- rows
// ------------------------------------------------------------------------------------------

struct RowCase {
  uint32_t rows, width, dst_pitch, a_pitch, b_pitch;
};

/// Subtracts rows in UB and one by one, with a guard behind every row.
template <typename T>
void expect_difference(const RowCase& c) {
  TestCore core;
  const uint32_t a_at = 64 * 1024, b_at = 128 * 1024;
  const auto size = [&](uint32_t pitch) { return pitch == 0 ? c.width : c.rows * pitch; };
  T* dst = core.buffer<T>(isa::Space::kUb);
  T* a = core.buffer<T>(isa::Space::kUb, a_at);
  T* b = core.buffer<T>(isa::Space::kUb, b_at);
  for (uint32_t i = 0; i < size(c.dst_pitch); ++i) dst[i] = T(-7);
  for (uint32_t i = 0; i < size(c.a_pitch); ++i) a[i] = T(static_cast<float>(i % 97));
  for (uint32_t i = 0; i < size(c.b_pitch); ++i) b[i] = T(static_cast<float>(i % 53));
  RowWise<SubOp, T>({at<T>(0, size(c.dst_pitch)), c.dst_pitch},
                    {at<T>(a_at, size(c.a_pitch)), c.a_pitch},
                    {at<T>(b_at, size(c.b_pitch)), c.b_pitch}, c.rows, c.width);
  for (uint32_t row = 0; row < c.rows; ++row) {
    for (uint32_t column = 0; column < c.dst_pitch; ++column) {
      const float want =
          column < c.width ? float(a[row * c.a_pitch + column]) - float(b[row * c.b_pitch + column])
                           : -7.0f;
      ASSERT_EQ(float(dst[row * c.dst_pitch + column]), want) << "row " << row << " " << column;
    }
  }
}

TEST(CommonRowWise, EveryRowAndNothingBeside) {
  for (const RowCase& c : std::vector<RowCase>{
           {1, 16, 16, 16, 0},        // less than a repeat
           {1, 1000, 1008, 1008, 0},  // along the row, with a tail
           {5, 64, 64, 64, 0},        // the same row for all
           {5, 64, 96, 128, 64},      // gaps
           {9, 200, 208, 208, 208},   // down two column tiles
           {300, 32, 32, 32, 0},      // more rows than repeats
           {2, 4096, 4096, 4096, 0},  // out of reach of a repeat stride for float
           {3, 4112, 4112, 4112, 0},  // and for half
       }) {
    SCOPED_TRACE(std::to_string(c.rows) + " x " + std::to_string(c.width));
    expect_difference<half>(c);
    expect_difference<float>(c);
  }
}

TEST(CommonRowWise, ManyRowsAreOneInstruction) {
  TestCore core;
  RowWise<AddOp, half>({at<half>(0, 64 * 128), 128}, {at<half>(16384, 64 * 128), 128},
                       SameRow(at<half>(65536, 128)), 64, 128);
  EXPECT_EQ(core.emitted.size(), 1u);
}

// --- rope
// ------------------------------------------------------------------------------------------

template <typename T>
void expect_rope(uint32_t rows, uint32_t width) {
  TestCore core;
  const uint32_t x_at = 0, direct_at = 32 * 1024, crossed_at = 64 * 1024, cos_at = 96 * 1024,
                 sin_at = 112 * 1024;
  T* x = core.buffer<T>(isa::Space::kUb, x_at);
  T* cos = core.buffer<T>(isa::Space::kUb, cos_at);
  T* sin = core.buffer<T>(isa::Space::kUb, sin_at);
  for (uint32_t i = 0; i < rows * width; ++i) x[i] = T(std::sin(0.37f * static_cast<float>(i)));
  for (uint32_t i = 0; i < width; ++i) {
    cos[i] = T(std::cos(0.11f * static_cast<float>(i)));
    sin[i] = T(std::sin(0.23f * static_cast<float>(i)));
  }
  const Rows<T> direct{at<T>(direct_at, rows * width), width};
  const Rows<T> crossed{at<T>(crossed_at, rows * width), width};
  RopeProducts<T>(direct, crossed, {at<T>(x_at, rows * width), width},
                  SameRow(at<T>(cos_at, width)), SameRow(at<T>(sin_at, width)), rows, width);
  RopeSums<T>(direct, direct, crossed, rows, width);

  const T* out = core.buffer<T>(isa::Space::kUb, direct_at);
  const uint32_t h = width / 2;
  for (uint32_t row = 0; row < rows; ++row) {
    const T* head = x + row * width;
    for (uint32_t i = 0; i < h; ++i) {
      const T minus(-float(sin[i]));
      const T low = T(head[i + h] * minus) + T(head[i] * cos[i]);
      const T high = T(head[i] * sin[i + h]) + T(head[i + h] * cos[i + h]);
      ASSERT_EQ(float(out[row * width + i]), float(low)) << row << " " << i;
      ASSERT_EQ(float(out[row * width + i + h]), float(high)) << row << " " << i;
    }
  }
}

TEST(CommonRope, HalfSplitInTheTypeOfTheRows) {
  expect_rope<half>(7, 128);
  expect_rope<half>(1, 64);
  expect_rope<half>(3, 320);
  expect_rope<float>(5, 64);
  expect_rope<float>(2, 256);
}

TEST(CommonRope, HalvesInPlacesOfTheirOwnAndATableRowForEachRow) {
  constexpr uint32_t kRows = 5, kWidth = 64, kHalf = 32, kPitch = 96;
  TestCore core;
  const auto fill = [&](uint32_t byte, uint32_t count, float step) {
    float* values = core.buffer<float>(isa::Space::kUb, byte);
    for (uint32_t i = 0; i < count; ++i) values[i] = std::sin(step * static_cast<float>(i + 1));
    return values;
  };
  const uint32_t low_at = 0, high_at = 8192, cos_at = 16384, sin_at = 32768, direct_at = 49152,
                 crossed_at = 65536, out_at = 81920;
  const float* low = fill(low_at, kRows * kHalf, 0.31f);
  const float* high = fill(high_at, kRows * kHalf, 0.17f);
  const float* cos = fill(cos_at, kRows * kWidth, 0.05f);
  const float* sin = fill(sin_at, kRows * kWidth, 0.07f);
  const auto rows = [](uint32_t byte, uint32_t pitch) {
    return Rows<float>{at<float>(byte, kRows * pitch), pitch};
  };
  RopeProducts<float>(rows(direct_at, kWidth), rows(crossed_at, kWidth), rows(low_at, kHalf),
                      rows(high_at, kHalf), rows(cos_at, kWidth), rows(sin_at, kWidth), kRows,
                      kWidth);
  RopeSums<float>(rows(out_at, kPitch), rows(direct_at, kWidth), rows(crossed_at, kWidth), kRows,
                  kWidth);
  const float* out = core.buffer<float>(isa::Space::kUb, out_at);
  for (uint32_t r = 0; r < kRows; ++r) {
    const float *c = cos + r * kWidth, *s = sin + r * kWidth;
    for (uint32_t i = 0; i < kHalf; ++i) {
      const float a = low[r * kHalf + i], b = high[r * kHalf + i];
      const float ac = a * c[i], bs = b * s[i], bc = b * c[i + kHalf], as = a * s[i + kHalf];
      ASSERT_EQ(out[r * kPitch + i], ac - bs) << r << " " << i;
      ASSERT_EQ(out[r * kPitch + i + kHalf], bc + as) << r << " " << i;
    }
  }
}

// --- quantisation
// ----------------------------------------------------------------------------------

std::vector<int> rounded(const std::vector<float>& values) {
  TestCore core;
  const auto count = static_cast<uint32_t>(values.size());
  std::copy(values.begin(), values.end(), core.buffer<float>(isa::Space::kUb));
  RoundToInt8(at<int8_t>(65536, count), at<float>(0, count), at<half>(32768, count), count);
  const int8_t* bytes = core.buffer<int8_t>(isa::Space::kUb, 65536);
  return {bytes, bytes + count};
}

TEST(CommonStaticQuant, RoundsOnceToEvenAndSaturates) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(rounded({0.5f, 1.5f, -0.5f, -1.5f, 3.4999f, 3.5f, 126.5f, 127.4f}),
            (std::vector<int>{0, 2, 0, -2, 3, 4, 126, 127}));
  EXPECT_EQ(rounded({127.5f, 128.0f, -128.5f, -129.0f, 2049.0f, -2049.0f, 32767.6f, -32769.0f}),
            (std::vector<int>{127, 127, -128, -128, 127, -128, 127, -128}));
  EXPECT_EQ(rounded({65520.0f, -65520.0f, 3e9f, -3e9f, 3e38f, -3e38f, kInf, -kInf}),
            (std::vector<int>{127, -128, 127, -128, 127, -128, 127, -128}));
  EXPECT_EQ(rounded({nan, -nan, 1e-40f, -0.0f, 1, 2, 3, 4}),
            (std::vector<int>{0, 0, 0, 0, 1, 2, 3, 4}));
}

TEST(CommonStaticQuant, EveryQuarterInReachOfInt16) {
  std::vector<float> values;
  for (float x = -600; x <= 600; x += 0.25f) values.push_back(x);
  while (values.size() % 8 != 0) values.push_back(0);
  const std::vector<int> bytes = rounded(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = std::fmin(127, std::fmax(-128, std::nearbyint(values[i])));
    ASSERT_EQ(bytes[i], static_cast<int>(expected)) << values[i];
  }
}

TEST(CommonStaticQuant, DividesAndThenShiftsEveryRow) {
  TestCore core;
  float* values = core.buffer<float>(isa::Space::kUb);
  float* scale = core.buffer<float>(isa::Space::kUb, 32768);
  float* offset = core.buffer<float>(isa::Space::kUb, 40960);
  std::vector<float> expected;
  for (uint32_t i = 0; i < 96; ++i) {
    scale[i] = static_cast<float>(i) - 40.0f;
    offset[i] = static_cast<float>(i * 3);
  }
  for (uint32_t i = 0; i < 4 * 96; ++i) {
    values[i] = static_cast<float>(i) * 0.7f;
    expected.push_back(values[i] / scale[i % 96] + offset[i % 96]);
  }
  DivideAndShift({at<float>(0, 4 * 96), 96}, at<float>(32768, 96), at<float>(40960, 96), 4, 96);
  for (uint32_t i = 0; i < 4 * 96; ++i) ASSERT_EQ(values[i], expected[i]) << i;
}

}  // namespace
}  // namespace davsim::test
