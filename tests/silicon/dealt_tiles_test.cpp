#include <gtest/gtest.h>

#include <algorithm>

#include "bench/silicon/kernels/gemm_core.hpp"

namespace davsim::silicon {
namespace {

/// Two groups of 300 and 130 rows, three tiles and two of at most 128 rows, five columns of tiles.
Gemm uneven(const std::vector<std::uint32_t>& ends) {
  Gemm g{};
  g.m = ends.back(), g.n = 1200, g.k = 64;
  g.base_m = 128, g.base_n = 256, g.base_k = 64;
  g.groups = static_cast<std::uint32_t>(ends.size());
  g.ends = ends.data();
  g.cores = 4;
  g.dealt = true;
  return g;
}

TEST(DealtTiles, CoverEachElementOnceWhateverTheRowsOfAGroup) {
  const std::vector<std::uint32_t> ends = {300, 430};
  for (const std::uint32_t together : {1u, 2u}) {
    Gemm g = uneven(ends);
    g.dealt_n = together;
    std::vector<int> made(std::size_t{g.m} * g.n);
    for (std::uint32_t core = 0; core < g.cores; ++core) {
      for (const GemmTile& tile : tiles_of(g, core)) {
        EXPECT_EQ(tile.group, tile.row < 300 ? 0u : 1u);
        for (std::uint32_t row = tile.row; row < tile.row + tile.rows; ++row) {
          for (std::uint32_t col = tile.col; col < tile.col + tile.cols; ++col) {
            ++made[std::size_t{row} * g.n + col];
          }
        }
      }
    }
    EXPECT_EQ(std::count(made.begin(), made.end(), 1), std::ptrdiff_t{430} * 1200) << together;
  }
}

TEST(DealtTiles, GoToOneCoreAfterTheOtherAcrossGroups) {
  const std::vector<std::uint32_t> ends = {300, 430};
  const Gemm g = uneven(ends);
  // 15 tiles of the first group end with core 2, so the second group begins with core 3.
  const auto last = tiles_of(g, 2), next = tiles_of(g, 3);
  ASSERT_GE(last.size(), 4u);
  EXPECT_EQ(last[3].row, 256u);
  EXPECT_EQ(last[3].rows, 44u);
  EXPECT_EQ(last[3].col, 1024u);
  ASSERT_GE(next.size(), 4u);
  EXPECT_EQ(next[3].row, 300u);
  EXPECT_EQ(next[3].col, 0u);
}

TEST(DealtTiles, BesideEachOtherAreOneCoresIfTheyAreDealtTogether) {
  const std::vector<std::uint32_t> ends = {300, 430};
  Gemm g = uneven(ends);
  g.dealt_n = 2;
  const auto tiles = tiles_of(g, 1);
  ASSERT_GE(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].row, tiles[1].row);
  EXPECT_EQ(tiles[0].col, 512u);
  EXPECT_EQ(tiles[1].col, 768u);
}

}  // namespace
}  // namespace davsim::silicon
