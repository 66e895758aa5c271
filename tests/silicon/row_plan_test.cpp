#include "bench/silicon/kernels/row_plan.hpp"

#include <gtest/gtest.h>

#include "bench/silicon/kernels/rms_norm.hpp"

namespace davsim::silicon::row_wise {
namespace {

Job added(std::uint32_t width) {
  return {1000, width, true, true, true, false};
}

TEST(RowPlan, TilesOfTheOperatorWithAnAdditionHaveAtMost16Rows) {
  EXPECT_EQ(Plan::of(added(128), 2).rows, 16u);
  EXPECT_EQ(Plan::of(added(512), 2).rows, 16u);
  EXPECT_EQ(Plan::of(added(2048), 2).rows, 5u);
  EXPECT_EQ(Plan::of(added(8192), 2).rows, 1u);
}

TEST(RowPlan, TheOperatorWithAnAdditionCutsRowsThatDoNotFit) {
  EXPECT_EQ(Plan::of(added(16384), 2).rows, 0u);
}

TEST(RmsPiece, RowsAreWholeUpToWhatUbHolds) {
  EXPECT_EQ(rms_piece(12288, 2), 12288u);
  EXPECT_EQ(rms_piece(2001, 2), 2001u);
  EXPECT_EQ(rms_piece(10240, 4), 10240u);
}

TEST(RmsPiece, WiderRowsAreCutIntoEvenPiecesOfWholeDataBlocks) {
  EXPECT_EQ(rms_piece(12289, 2), 6160u);
  EXPECT_EQ(rms_piece(24192, 2), 12096u);
  EXPECT_EQ(rms_piece(10241, 4), 5128u);
  EXPECT_EQ(rms_piece(32768, 4), 8192u);
}

}  // namespace
}  // namespace davsim::silicon::row_wise
