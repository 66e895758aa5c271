// Reductions and norms of rows, their dynamic quantisation, and the interleaved rope, on a core
// without a clock.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/common/dynamic_quant.h"
#include "kernels/common/rope.h"
#include "kernels/common/row_norm.h"
#include "tests/isa/test_core.hpp"
#include "tests/operators/tensor_at.hpp"

namespace davsim::test {
namespace {

using namespace kernel_common;
using AscendC::LocalTensor;
using AscendC::TPosition;

constexpr uint32_t kGammaAt = 60 * 1024, kBetaAt = 70 * 1024, kScratchAt = 80 * 1024;

/// A core with rows of numbers of both signs at 0, and a row for all at each of kGammaAt, kBetaAt.
class CommonRows : public testing::TestWithParam<std::pair<uint32_t, uint32_t>> {
 protected:
  void SetUp() override {
    x_ = fill(0, rows_ * width_, 0.37f);
    gamma_ = fill(kGammaAt, width_, 0.11f);
    beta_ = fill(kBetaAt, width_, 0.23f);
    before_.assign(x_, x_ + rows_ * width_);
    scratch_ = CutRowScratch(at(kScratchAt, RowScratchBytes(rows_, width_) / 4), rows_, width_);
  }
  float* fill(uint32_t byte, uint32_t count, float step) {
    float* values = core_.buffer<float>(isa::Space::kUb, byte);
    for (uint32_t i = 0; i < count; ++i) values[i] = 3 * std::sin(step * static_cast<float>(i + 1));
    return values;
  }
  double before(uint32_t row, uint32_t column) const { return before_[row * width_ + column]; }
  void expect(uint32_t row, uint32_t column, double wanted) const {
    ASSERT_NEAR(x_[row * width_ + column], wanted, 1e-5) << row << " " << column;
  }

  const uint32_t rows_ = GetParam().first, width_ = GetParam().second;
  TestCore core_;
  float *x_ = nullptr, *gamma_ = nullptr, *beta_ = nullptr;
  std::vector<float> before_;
  RowScratch scratch_;
};

TEST_P(CommonRows, SumsAndMaxima) {
  const LocalTensor<float> to = at(kGammaAt, rows_), folds = at(kScratchAt, rows_ * width_);
  RowSums(to, at(0, rows_ * width_), folds, rows_, width_);
  for (uint32_t r = 0; r < rows_; ++r) {
    double sum = 0;
    for (uint32_t c = 0; c < width_; ++c) sum += before(r, c);
    EXPECT_NEAR(gamma_[r], sum, 1e-4) << r;
  }
  RowMaxima(to, at(0, rows_ * width_), folds, rows_, width_);
  for (uint32_t r = 0; r < rows_; ++r) {
    EXPECT_EQ(gamma_[r], *std::max_element(&before_[r * width_], &before_[r * width_] + width_));
  }
}

TEST_P(CommonRows, RmsNorm) {
  RmsNormRows(at(0, rows_ * width_), at(kGammaAt, width_), scratch_, 0.25f, rows_, width_);
  for (uint32_t r = 0; r < rows_; ++r) {
    double sum = 0;
    for (uint32_t c = 0; c < width_; ++c) sum += before(r, c) * before(r, c);
    const double rms = std::sqrt(sum / width_ + 0.25);
    for (uint32_t c = 0; c < width_; ++c) expect(r, c, before(r, c) / rms * gamma_[c]);
  }
}

TEST_P(CommonRows, LayerNorm) {
  LayerNormRows(at(0, rows_ * width_), at(kGammaAt, width_), at(kBetaAt, width_), scratch_, 0.25f,
                rows_, width_);
  for (uint32_t r = 0; r < rows_; ++r) {
    double sum = 0, squares = 0;
    for (uint32_t c = 0; c < width_; ++c) sum += before(r, c);
    const double mean = sum / width_;
    for (uint32_t c = 0; c < width_; ++c) squares += std::pow(before(r, c) - mean, 2);
    const double deviation = std::sqrt(squares / width_ + 0.25);
    for (uint32_t c = 0; c < width_; ++c) {
      expect(r, c, (before(r, c) - mean) / deviation * gamma_[c] + beta_[c]);
    }
  }
}

TEST_P(CommonRows, DynamicQuant) {
  // The first row is zero: it gives zeros and is dequantised with 0.
  std::fill(x_, x_ + width_, 0.0f);
  std::fill(before_.begin(), before_.begin() + width_, 0.0f);
  const uint32_t bytes_at = 160 * 1024;
  DynamicQuantRows(LocalTensor<int8_t>(TPosition::VECCALC, bytes_at, rows_ * width_),
                   at(kBetaAt, (rows_ + 7) / 8 * 8), at(0, rows_ * width_), scratch_, rows_,
                   width_);
  const int8_t* bytes = core_.buffer<int8_t>(isa::Space::kUb, bytes_at);
  for (uint32_t r = 0; r < rows_; ++r) {
    float most = 0;
    for (uint32_t c = 0; c < width_; ++c)
      most = std::fmax(most, std::fabs(before_[r * width_ + c]));
    const float scale = 127 / most;
    EXPECT_EQ(beta_[r], 1 / scale) << r;
    for (uint32_t c = 0; c < width_; ++c) {
      const float wanted = most == 0 ? 0 : std::nearbyint(before_[r * width_ + c] * scale);
      ASSERT_EQ(bytes[r * width_ + c], static_cast<int>(wanted)) << r << " " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, CommonRows,
                         testing::Values(std::pair{1u, 512u}, std::pair{19u, 512u},
                                         std::pair{9u, 1536u}, std::pair{7u, 128u},
                                         std::pair{17u, 64u}));

TEST(CommonRope, InterleavedTakesEvenAndOddValues) {
  for (const auto& [rows, width] : {std::pair{5u, 64u}, {1u, 64u}, {6u, 128u}, {300u, 64u}}) {
    TestCore core;
    float* x = core.buffer<float>(isa::Space::kUb);
    const uint32_t count = rows * width, tables_at = 77 * 1024, scratch_at = 80 * 1024;
    for (uint32_t i = 0; i < count; ++i) x[i] = static_cast<float>(i % 1000);
    const std::vector<float> before(x, x + count);
    float* cos = core.buffer<float>(isa::Space::kUb, tables_at);
    float* sin = cos + width;
    for (uint32_t i = 0; i < width; ++i) {
      cos[i] = static_cast<float>(i + 1);
      sin[i] = static_cast<float>(width - i);
    }
    // As many rows at once as the scratch has room for.
    for (uint32_t done = 0; done < rows; done += 200) {
      const uint32_t now = std::min(rows - done, 200u);
      RopeInterleaved({at(done * width * 4, now * width), width}, at(done * width * 4, now * width),
                      SameRow(at(tables_at, width)), SameRow(at(tables_at + width * 4, width)),
                      at(scratch_at, 2 * now * width), now, width);
    }
    const uint32_t h = width / 2;
    for (uint32_t r = 0; r < rows; ++r) {
      const float* row = &before[r * width];
      for (uint32_t i = 0; i < h; ++i) {
        ASSERT_EQ(x[r * width + i], row[2 * i] * cos[i] - row[2 * i + 1] * sin[i]) << r;
        ASSERT_EQ(x[r * width + i + h], row[2 * i + 1] * cos[i + h] + row[2 * i] * sin[i + h]) << r;
      }
    }
  }
}

}  // namespace
}  // namespace davsim::test
