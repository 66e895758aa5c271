#include "bench/silicon/kernels/tile_bands.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace davsim::silicon {
namespace {

TEST(TileBands, GoDownABandAndThenBack) {
  const TileBands bands{5, 2, 3};
  const std::vector<TilePlace> expected{{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1},
                                        {2, 1}, {3, 1}, {4, 1}, {3, 0}, {4, 0}};
  for (std::uint32_t tile = 0; tile < expected.size(); ++tile) {
    EXPECT_EQ(bands.place_of(tile), expected[tile]) << tile;
  }
}

TEST(TileBands, HoldEachTileOnce) {
  const TileBands bands{8, 4, 3};
  std::vector<int> seen(32);
  for (std::uint32_t tile = 0; tile < 32; ++tile) {
    const TilePlace place = bands.place_of(tile);
    ASSERT_LT(place.row, 8u);
    ASSERT_LT(place.col, 4u);
    ++seen[place.row * 4 + place.col];
  }
  EXPECT_EQ(seen, std::vector<int>(32, 1));
}

}  // namespace
}  // namespace davsim::silicon
