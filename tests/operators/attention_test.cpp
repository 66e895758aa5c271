// Attention kernel against the definition: layouts, lengths, windows, masks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "tests/operators/attention_call.hpp"

namespace davsim::test {
namespace {

using attention::MaskKind;
using attention::Window;
constexpr std::int64_t kAll = Window::kUnbounded;

TEST(Attention, OneBlock) {
  expect_attention({.query_rows = {16}, .kv_rows = {16}}, 1);
}

TEST(Attention, SeveralStepsAndTiles) {
  expect_attention({.query_heads = 2, .kv_heads = 2, .query_rows = {150}, .kv_rows = {1100}}, 2);
}

TEST(Attention, AllLayoutsWithDifferentLengths) {
  for (const Layout layout : {Layout::kBsnd, Layout::kBnsd, Layout::kTnd, Layout::kNtd}) {
    SCOPED_TRACE(static_cast<int>(layout));
    expect_attention({.query_heads = 4,
                      .kv_heads = 2,
                      .key_width = 128,
                      .value_width = 128,
                      .query_rows = {33, 0, 140, 1},
                      .kv_rows = {70, 9, 200, 300},
                      .type = DType::kBF16,
                      .layout = layout,
                      .lse = true},
                     3);
  }
}

TEST(Attention, WidthsOfAllKinds) {
  struct Widths {
    std::int64_t key, rope, value;
  };
  for (const Widths& w : {Widths{16, 0, 16},
                          {80, 0, 80},
                          {192, 0, 128},
                          {128, 64, 128},
                          {256, 0, 256},
                          {512, 0, 512}}) {
    SCOPED_TRACE(w.key);
    expect_attention({.query_heads = 2,
                      .kv_heads = 1,
                      .key_width = w.key,
                      .rope_width = w.rope,
                      .value_width = w.value,
                      .query_rows = {40},
                      .kv_rows = {300},
                      .type = DType::kBF16},
                     4);
  }
}

TEST(Attention, Windows) {
  for (const Window& window :
       {Window{kAll, 0, false}, Window{kAll, 0, true}, Window{30, 20, false}, Window{150, -3, true},
        Window{-2, 60, true}, Window{0, 0, true}, Window{kAll, 100, false}}) {
    for (const MaskKind mask : {MaskKind::kNone, MaskKind::kTriangle}) {
      SCOPED_TRACE(std::to_string(window.before) + " " + std::to_string(window.after));
      expect_attention({.query_rows = {200, 90},
                        .kv_rows = {260, 70},
                        .layout = Layout::kBnsd,
                        .window = window,
                        .mask = mask,
                        .lse = true},
                       5);
    }
  }
}

TEST(Attention, WindowsOfRowsThatShareATile) {
  expect_attention({.query_heads = 12,
                    .kv_heads = 2,
                    .query_rows = {3, 5},
                    .kv_rows = {260, 4},
                    .window = {kAll, 0, true},
                    .lse = true},
                   6);
}

TEST(Attention, FullMasks) {
  expect_attention({.query_heads = 2,
                    .kv_heads = 1,
                    .query_rows = {100, 70},
                    .kv_rows = {333, 50},
                    .mask = MaskKind::kFull,
                    .lse = true},
                   7);
  expect_attention({.query_heads = 2,
                    .kv_heads = 1,
                    .query_rows = {100},
                    .kv_rows = {140},
                    .window = {40, 30, false},
                    .mask = MaskKind::kFull,
                    .lse = true},
                   8);
  expect_attention({.query_heads = 8, .query_rows = {1}, .kv_rows = {333}, .mask = MaskKind::kFull},
                   9);
}

TEST(Attention, Biases) {
  for (const DType type : {DType::kF16, DType::kBF16}) {
    expect_attention({.query_heads = 3,
                      .kv_heads = 1,
                      .query_rows = {5, 2},
                      .kv_rows = {200, 77},
                      .type = type,
                      .window = {kAll, 0, true},
                      .bias = true,
                      .lse = true},
                     10);
  }
}

/// Rows 3 and 7 see nothing, and neither do the columns behind the last one. Any byte but 0 hides.
void hide_two_rows(attention::Problem& p) {
  for (const std::int64_t row : {3, 7}) {
    std::memset(p.mask.data + row * p.mask.row_stride, row == 3 ? 1 : 255,
                static_cast<std::size_t>(p.mask.row_stride));
  }
}

TEST(Attention, WhatIsVisibleDoesNotDependOnTheScale) {
  for (const double scale : {1e-8, 1e-37, 1e-44, 1e28, -1e28, 0.0}) {
    for (const Window& window : {Window{}, Window{20, 9, false}}) {
      SCOPED_TRACE(std::to_string(scale) + " " + std::to_string(window.after));
      expect_attention({.query_rows = {40},
                        .kv_rows = {77},
                        .window = window,
                        .mask = MaskKind::kFull,
                        .lse = true,
                        .scale = scale},
                       18, hide_two_rows);
    }
  }
}

TEST(Attention, TheLowestBiasDoesNotHide) {
  // Row 0 has the lowest bfloat16 everywhere, row 1 but for column 5, row 2 has -infinity there.
  const auto change = [](attention::Problem& p) {
    auto* bias = reinterpret_cast<std::uint16_t*>(p.bias.data);
    for (std::int64_t row = 0; row < 3; ++row) {
      std::uint16_t* const first = bias + row * p.bias.strides.row;
      std::fill(first, first + 77, row == 2 ? 0xff80 : 0xff7f);
      if (row > 0) first[5] = 0;
    }
    std::memset(p.mask.data, 0, 3 * static_cast<std::size_t>(p.mask.row_stride));
    hide_two_rows(p);
  };
  expect_attention({.query_rows = {40},
                    .kv_rows = {77},
                    .type = DType::kBF16,
                    .mask = MaskKind::kFull,
                    .bias = true},
                   19, change);
}

TEST(Attention, ABiasThatHides) {
  // As PagedAttention's: above 0.5 a column is hidden, at 0.5 it is not.
  const auto change = [](attention::Problem& p) {
    p.bias.hides = true;
    auto* bias = reinterpret_cast<isa::half*>(p.bias.data);
    for (std::int64_t i = 0; i < 3 * p.bias.strides.row; ++i) {
      bias[i] = isa::half(i % 3 == 0 ? 0.50048828125f : i % 3 == 1 ? 0.5f : -60000.0f);
    }
    attention::Mask& same = p.mask;
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < same.row_stride; ++j) same.data[i * same.row_stride + j] = 0;
    }
  };
  AttnSizes sizes{.query_rows = {3}, .kv_rows = {50}, .mask = MaskKind::kFull, .bias = true};
  sizes.scale = 1e-30;
  AttnCase c = AttnBuilder(sizes, 20).build();
  change(c.problem);
  attention::launch(c.problem, device());
  // The reference says it with a mask.
  attention::Problem said = c.problem;
  said.bias = {};
  for (std::int64_t i = 0; i < 3; ++i) {
    for (std::int64_t j = 0; j < 50; ++j) {
      said.mask.data[i * said.mask.row_stride + j] = (i * c.problem.bias.strides.row + j) % 3 == 0;
    }
  }
  const AttnReference reference(said);
  for (std::int64_t i = 0; i < 3; ++i) {
    const AttnReference::Row want = reference.row(0, 0, i);
    for (std::int64_t d = 0; d < said.value_width; ++d) {
      const std::int64_t at = reference.query_index(said.out, 0, 0, i) + d;
      EXPECT_NEAR(real_at(said.out.data, said.out.type, at), want.out[d],
                  allowed(said.out.type, want.out[d]));
    }
  }
}

TEST(Attention, NothingToSee) {
  expect_attention({.query_rows = {5, 3}, .kv_rows = {0, 20}, .lse = true}, 11);
  expect_attention({.query_rows = {50}, .kv_rows = {20}, .window = {kAll, 0, true}, .lse = true},
                   12);
}

TEST(Attention, PartsAreMerged) {
  for (const std::int64_t parts : {2, 5}) {
    expect_attention({.query_heads = 6,
                      .kv_heads = 2,
                      .key_width = 128,
                      .value_width = 128,
                      .query_rows = {2, 30},
                      .kv_rows = {1000, 300},
                      .window = {kAll, 0, true},
                      .lse = true,
                      .parts = parts},
                     13);
  }
}

TEST(Attention, PagesOfAllKinds) {
  for (const Cache cache : {Cache::kBnBsH, Cache::kBnNBsD, Cache::kNz}) {
    for (const std::int64_t page_rows : {16, 128, 512}) {
      SCOPED_TRACE(std::to_string(static_cast<int>(cache)) + " " + std::to_string(page_rows));
      expect_attention({.query_heads = 10,
                        .kv_heads = 2,
                        .query_rows = {1, 1, 1},
                        .kv_rows = {300, 1, 128},
                        .cache = cache,
                        .page_rows = page_rows},
                       14);
    }
  }
}

TEST(Attention, L2KeepsNoKeysAndValuesThatAreReadPastIt) {
  const auto past = [](attention::Problem& p) { p.kv_past_l2 = true; };
  for (const Cache cache : {Cache::kNone, Cache::kBnBsH, Cache::kNz}) {
    SCOPED_TRACE(static_cast<int>(cache));
    const AttnSizes sizes{.query_rows = {1}, .kv_rows = {256}, .cache = cache};
    constexpr std::uint64_t kBytes = 2 * 2 * 256 * 64;
    expect_attention(sizes, 18, past);
    AttnCase c = AttnBuilder(sizes, 18).build();
    // Of two launches the second one.
    const auto read_from_hbm = [&] {
      device().flush_l2();
      attention::launch(c.problem, device());
      return attention::launch(c.problem, device()).memory.hbm_read_bytes;
    };
    EXPECT_LT(read_from_hbm(), kBytes);
    past(c.problem);
    EXPECT_GE(read_from_hbm(), kBytes);
  }
}

TEST(Attention, LatentDecode) {
  for (const Cache cache : {Cache::kBnBsH, Cache::kNz}) {
    expect_attention({.query_heads = 32,
                      .kv_heads = 1,
                      .key_width = 512,
                      .rope_width = 64,
                      .value_width = 512,
                      .query_rows = {1, 2},
                      .kv_rows = {150, 300},
                      .type = DType::kBF16,
                      .layout = Layout::kTnd,
                      .cache = cache,
                      .window = {kAll, 0, true},
                      .mask = MaskKind::kTriangle,
                      .shared_value = true,
                      .scale = 0.07},
                     15);
  }
}

/// One vector core has no rows: it must not run ahead of the other one.
TEST(Attention, ManyStepsOfFewRows) {
  expect_attention({.query_heads = 2,
                    .key_width = 16,
                    .value_width = 16,
                    .query_rows = {1},
                    .kv_rows = {20 * 512},
                    .parts = 1},
                   17);
}

TEST(Attention, UnitsOfTiles) {
  for (const std::int64_t tiles : {1, 2, 4}) {
    SCOPED_TRACE(std::to_string(tiles) + " tiles");
    expect_attention({.query_heads = 5,
                      .query_rows = {130, 1},
                      .kv_rows = {700, 40},
                      .window = {kAll, 0, true},
                      .unit_tiles = tiles},
                     18);
  }
}

TEST(Attention, ScoresOfAnySize) {
  expect_attention({.query_rows = {64}, .kv_rows = {200}, .lse = true, .scale = 128}, 16);
}

}  // namespace
}  // namespace davsim::test
