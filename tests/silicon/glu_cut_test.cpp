#include "bench/silicon/glu_cut.hpp"

#include <gtest/gtest.h>

namespace davsim::silicon {
namespace {

constexpr std::uint64_t kCores = 48;

TEST(GluCut, ATileIsAsManyWholeRowsAsUbHolds) {
  // 20 bytes an element: two buffers of two inputs and a result, and two of float.
  const GluCut cut = GluCut::of({2049, 512, 2}, kCores);
  EXPECT_EQ(cut.rows, 19u);
  EXPECT_EQ(cut.width, 512u);
  EXPECT_EQ(cut.buffers, 2u);
  EXPECT_EQ(cut.tiles, 108u);
  EXPECT_EQ(cut.cores, kCores);
}

TEST(GluCut, LinesOfARowWhereThatMakesFewerTilesOrLeavesMoreWhole) {
  const GluCut of_half = GluCut::of({1009, 1008, 2}, kCores);
  EXPECT_EQ(of_half.rows, 38u);
  EXPECT_EQ(of_half.width, 256u);
  EXPECT_EQ(of_half.tiles, 108u);
  const GluCut of_float = GluCut::of({2046, 2048, 4}, kCores);
  EXPECT_EQ(of_float.rows, 27u);
  EXPECT_EQ(of_float.width, 256u);
}

TEST(GluCut, OneBufferWhereTwoTilesOfACoreBecomeOne) {
  // 68 or 69 tiles of 19 rows are 48 of 27, with one buffer in each queue.
  const GluCut cut = GluCut::of({27 * 48, 512, 2}, kCores);
  EXPECT_EQ(cut.buffers, 1u);
  EXPECT_EQ(cut.rows, 27u);
  EXPECT_EQ(cut.tiles, kCores);
  // With fewer rows some cores would be left without work, with more a core has two tiles again.
  EXPECT_EQ(GluCut::of({27 * 46, 512, 2}, kCores).buffers, 2u);
  EXPECT_EQ(GluCut::of({27 * 49, 512, 2}, kCores).buffers, 2u);
}

TEST(GluCut, RowsThatAreNoWholeDataBlocksArePaddedInUb) {
  const GluCut cut = GluCut::of({273, 509, 4}, kCores);
  EXPECT_LE(cut.rows * ((cut.width + 7) / 8 * 8) * (3 * cut.buffers * 4 + 4), 192u * 1024);
  EXPECT_EQ(cut.rows, 18u);
  EXPECT_EQ(cut.width, 384u);
  EXPECT_EQ(cut.cores, 32u);
}

TEST(GluCut, ASmallTensorIsOneTile) {
  const GluCut cut = GluCut::of({3, 16, 2}, kCores);
  EXPECT_EQ(cut.rows, 3u);
  EXPECT_EQ(cut.width, 16u);
  EXPECT_EQ(cut.cores, 1u);
}

TEST(GluCut, OneRowAtATimeWhereRowsLieTooFarApartForACopy) {
  const GluCut cut = GluCut::of({64, 40001, 2}, kCores);
  EXPECT_EQ(cut.rows, 1u);
  EXPECT_EQ(cut.width % 256, 0u);
}

}  // namespace
}  // namespace davsim::silicon
